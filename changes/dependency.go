package changes

import (
	"regexp"
	"slices"
	"strings"
)

// A bump is one step of one dependency, as the title of a change tells it.
type bump struct {
	name, from, to string
	sure           bool // the words or the versions leave no doubt
}

const (
	bumpVerb = `^(?i:bump|bumps|bumped|update|updates|updated|upgrade|upgrades|upgraded|roll|downgrade|downgrades)`
	// What renovate and dependabot call a dependency before and after its name.
	bumpWhat = `(?: (?i:the|dependency|dependencies|module|package|rust crate|crate|plugin|gem|helm release|image|github action|action|terraform))*`
	bumpName = ` ([^\s,]*[^\s:,])`
	bumpSort = `(?: (?i:requirement|version|action|docker tag|docker digest|digest|orb|monorepo|helm release|plugin|package|dependency|image|gem|crate|packages|commit hash))*`
	version  = `((?:[~^>=<]+ ?)?[vV]?[0-9a-f][\w.+-]*)`
	bumpTail = `(?: (?:in|across|for) .*| \[security\]| \((?:main|master|major|minor|patch)\)| - autoclosed)*$`
)

var (
	bumpFromTo = regexp.MustCompile(bumpVerb + bumpWhat + bumpName + bumpSort + ` from ` + version + ` to ` + version + bumpTail)
	bumpTo     = regexp.MustCompile(bumpVerb + bumpWhat + bumpName + bumpSort + ` to ` + version + bumpTail)
	dotted     = regexp.MustCompile(`\d\.\d`)
	startsBump = regexp.MustCompile(bumpVerb + `\b|^(?i:pin|unpin|lock file maintenance|update lock)`)
	depsScope  = regexp.MustCompile(`(?i)^(?:deps?|dependenc(?:y|ies)|deps?-.+|.*[-/,. ]deps)$`)
)

// namesSort are the words with which renovate says what it raises. People who write
// them mean it too.
var namesSort = regexp.MustCompile(`^\S+ (?i:dependency|module|rust crate|helm release|docker image|github action) | (?i:docker tag|docker digest|digest|orb|monorepo) to `)

// manifestPrefix is the file of dependencies that a subject may begin with.
var manifestPrefix = regexp.MustCompile(`^(?i:\[deps\]|(?:[\w.-]+/)*(?:go\.mod|go\.sum|package\.json|Cargo\.toml|Cargo\.lock|requirements\.txt|pyproject\.toml|Gemfile|pom\.xml|build\.gradle|composer\.json)): +`)

// parseBump reads a title that says no more than which dependency was raised.
func parseBump(title string) (bump, bool) {
	_, title = cutEmoji(strings.TrimSuffix(title, "."))
	if found := manifestPrefix.FindString(title); found != "" {
		b, ok := parseBump(title[len(found):])
		b.sure = true
		return b, ok
	}
	if found := bumpFromTo.FindStringSubmatch(title); found != nil {
		b := bump{name: bumpedName(found[1]), from: found[2], to: found[3]}
		b.sure = dotted.MatchString(b.from) && dotted.MatchString(b.to) || strings.ContainsAny(b.name, "/@:")
		return b, hasDigit(b.from) && hasDigit(b.to)
	}
	if found := bumpTo.FindStringSubmatch(title); found != nil {
		b := bump{name: bumpedName(found[1]), to: found[2]}
		b.sure = namesSort.MatchString(title) || dotted.MatchString(b.to) && !strings.HasPrefix(strings.ToLower(title), "update")
		return b, hasDigit(b.to)
	}
	return bump{}, false
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// bumpedName takes the name out of code marks and links.
func bumpedName(name string) string {
	if inner, _, ok := strings.Cut(strings.TrimPrefix(name, "["), "]("); ok {
		return inner
	}
	return strings.Trim(name, "`\"'")
}

// bump returns the dependency that the group raises and does nothing else.
// Without a bot or a scope that speaks of dependencies, the versions must look
// like ones: "bump the timeout from 10 to 30" is no dependency.
func (g *group) bump() (bump, bool) {
	b, ok := parseBump(g.title)
	return b, ok && (b.sure || g.aboutDependencies())
}

// aboutDependencies reports whether the scope, the type or the author say that
// the group is about dependencies.
func (g *group) aboutDependencies() bool {
	return depsScope.MatchString(g.scope) || typeKinds[g.typ] == DependencyUpdate || g.byDependencyBot()
}

// byDependencyBot reports whether all commits of the group are a bot's bumps.
func (g *group) byDependencyBot() bool {
	own := g.ownCommits()
	return len(own) > 0 && !slices.ContainsFunc(own, func(c *commit) bool { return !c.quotes })
}

var (
	dependencyBot = regexp.MustCompile(`(?i)(?:dependabot|renovate|greenkeeper|depfu|pyup|scala.steward|snyk|updatecli)`)
	botBody       = regexp.MustCompile(`^(?:Bumps (?:\[|the |\S+ from )|This PR contains the following updates)`)
)

// quotesOthers reports whether the message is a dependency bot's, which quotes the
// release notes of others: nothing in its body is about this repository.
func quotesOthers(author Person, m message) bool {
	if isBot(author) && dependencyBot.MatchString(author.Name+" "+author.Email) {
		return true
	}
	if botBody.MatchString(m.body) {
		return true
	}
	return slices.ContainsFunc(m.trailers, func(t trailer) bool {
		return strings.EqualFold(t.key, "Signed-off-by") && dependencyBot.MatchString(t.value)
	})
}

// mergeBumps tells for each dependency from which version to which it was raised
// over all changes, which are those of groups.
func mergeBumps(list []Change, groups []group) []Dependency {
	var found []Dependency
	at := map[string]int{}
	for i := range groups {
		if list[i].Kind != DependencyUpdate || list[i].Reverted {
			continue
		}
		b, ok := groups[i].bump()
		if !ok {
			continue
		}
		if j, known := at[b.name]; known {
			found[j].To, found[j].Changes = b.to, append(found[j].Changes, list[i].ID)
			continue
		}
		at[b.name] = len(found)
		found = append(found, Dependency{Name: b.name, From: b.from, To: b.to, Changes: []string{list[i].ID}})
	}
	return slices.DeleteFunc(found, func(d Dependency) bool { return d.From == d.To })
}
