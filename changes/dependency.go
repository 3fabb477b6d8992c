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
	// A version, a digest in code marks, or the bounds that a requirement sets.
	version  = "`?((?:[~^>=<!]+ ?)?[vV]?[0-9a-f][\\w.+*-]*(?:, ?[~^>=<!]+ ?[\\w.+*-]+)*)`?"
	bumpTail = `(?: (?:in|across|for) .*| \[security\]| \((?:main|master|major|minor|patch)\)| - autoclosed)*$`
)

var (
	bumpFromTo = regexp.MustCompile(bumpVerb + bumpWhat + bumpName + bumpSort + ` from ` + version + ` to ` + version + bumpTail)
	bumpTo     = regexp.MustCompile(bumpVerb + bumpWhat + bumpName + bumpSort + ` to ` + version + bumpTail)
	bumpToName = regexp.MustCompile(bumpVerb + ` to` + bumpWhat + bumpName + ` ` + version + bumpTail) // "Update to NAME 1.2"
	dotted     = regexp.MustCompile(`\d\.\d`)
	variant    = regexp.MustCompile(`^[vV]?\d+-[a-z]+$`) // "18-alpine", as images are tagged
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
		b.sure = looksLikeVersion(b.from) && looksLikeVersion(b.to) || strings.ContainsAny(b.name, "/@:")
		return b, hasDigit(b.from) && hasDigit(b.to)
	}
	if found := bumpTo.FindStringSubmatch(title); found != nil {
		b := bump{name: bumpedName(found[1]), to: found[2]}
		b.sure = namesSort.MatchString(title) || dotted.MatchString(b.to) && !strings.HasPrefix(strings.ToLower(title), "update")
		return b, hasDigit(b.to)
	}
	if found := bumpToName.FindStringSubmatch(title); found != nil && dotted.MatchString(found[2]) {
		return bump{name: bumpedName(found[1]), to: found[2]}, true
	}
	return bump{}, false
}

func looksLikeVersion(text string) bool { return dotted.MatchString(text) || variant.MatchString(text) }

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

// listedBumps are the rows in which a bot tells what it raised at once: dependabot in
// lines of their own, renovate in a table.
var listedBumps = regexp.MustCompile("(?m)^(?:Updates `([^`\n]+)` from `?([^`\\s]+)`? to `?([^`\\s]+)`?" +
	"|\\| \\[?([^\\]|\\s]+)[^|\n]* \\|.*[ \\[]`([^`\n]+)` (?:->|→) `([^`\n]+)`.*)$")

// bumps returns the dependencies that the group raises and does nothing else: the one
// that the title names, or those that a bot lists.
func (g *group) bumps() []bump {
	if b, ok := parseBump(g.title); ok {
		return []bump{b}
	}
	if !g.byDependencyBot() {
		return nil
	}
	var listed []bump
	for _, c := range g.ownCommits() {
		for _, row := range listedBumps.FindAllStringSubmatch(c.body, -1) {
			b := bump{name: row[1] + row[4], from: row[2] + row[5], to: row[3] + row[6]}
			if !slices.Contains(listed, b) {
				listed = append(listed, b)
			}
		}
	}
	return listed
}

func bumpLines(raised []bump) []string {
	lines := make([]string, len(raised))
	for i, b := range raised {
		lines[i] = b.name + " from " + b.from + " to " + b.to
	}
	return lines
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
// over all changes, which are those of groups. Changes that raise a dependency and
// lower it again cancel out.
func mergeBumps(list []Change, groups []group) []Dependency {
	var found []Dependency
	at := map[string]int{}
	for i := range groups {
		if list[i].Kind != DependencyUpdate || list[i].Reverted {
			continue
		}
		for _, b := range groups[i].bumps() {
			j, known := at[b.name]
			if !known {
				j = len(found)
				at[b.name] = j
				found = append(found, Dependency{Name: b.name, From: b.from})
			}
			found[j].To, found[j].Changes = b.to, append(found[j].Changes, list[i].ID)
		}
	}
	cancelBumps(list, groups, found)
	return slices.DeleteFunc(found, func(d Dependency) bool { return d.From == d.To })
}

// cancelBumps marks the changes of dependencies that end at the version they began with.
func cancelBumps(list []Change, groups []group, found []Dependency) {
	for _, d := range found {
		if d.From != d.To || len(d.Changes) == 1 {
			continue
		}
		for i := range list {
			if slices.Contains(d.Changes, list[i].ID) && len(groups[i].bumps()) == 1 {
				list[i].Reverted = true
			}
		}
	}
}
