package changes

import (
	"cmp"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
)

// typeKinds maps the types of Conventional Commits, and what people write for
// them, to kinds.
var typeKinds = map[string]Kind{
	"feat": Feature, "feature": Feature, "features": Feature, "feats": Feature, "add": Feature, "added": Feature,
	"enhancement": Feature, "enhance": Feature, "improvement": Feature, "improve": Feature,
	"fix": Fix, "bugfix": Fix, "bug": Fix, "hotfix": Fix, "fixes": Fix, "fixed": Fix,
	"perf": Performance, "performance": Performance,
	"security": Security, "sec": Security,
	"deprecate": Deprecation, "deprecated": Deprecation, "deprecation": Deprecation,
	"remove": Removal, "removed": Removal, "removal": Removal,
	"revert": Revert, "reverts": Revert,
	"docs": Documentation, "doc": Documentation, "documentation": Documentation, "readme": Documentation,
	"deps": DependencyUpdate, "dep": DependencyUpdate, "dependencies": DependencyUpdate, "vendor": DependencyUpdate,
	"build": Internal, "ci": Internal, "test": Internal, "tests": Internal, "testing": Internal, "style": Internal, "styles": Internal,
	"refactor": Internal, "refact": Internal, "refactoring": Internal, "chore": Internal, "chores": Internal,
	"enh": Feature, "maint": Internal, "tst": Internal, "bld": Internal, "sty": Internal, "rel": Internal, // numpy and its like
	"internal": Internal, "lint": Internal, "wip": Internal, "release": Internal, "gha": Internal, "workflow": Internal, "workflows": Internal,
}

// kind says what the group means to a reader. The convention comes first, then
// the words of the title, then the commits of the branch, then the paths.
func (g *group) kind(paths func(hash string) iter.Seq2[string, error]) Kind {
	if g.raisesDependency() {
		return DependencyUpdate
	}
	kind, known := g.kindByWords()
	if g.isSecurity(kind) {
		return Security
	}
	if known != told && kind != Internal && paths != nil {
		of := pathKind
		if _, ok := parseBump(g.title); ok {
			of = manifestKind
		}
		if agreed := g.pathsKind(paths, of); agreed != Other {
			return agreed
		}
	}
	return kind
}

// kindByWords is the kind by what is written, without the paths.
func (g *group) kindByWords() (Kind, certainty) {
	if kind, ok := g.changelogKind(); ok {
		return kind, told
	}
	kind, known := kindOf(g.header)
	if known == open && g.merged {
		kind, known = branchKind(g.ownCommits())
	}
	if (kind == Internal || kind == Other) && len(g.deprecations()) > 0 {
		return Deprecation, told
	}
	return kind, known
}

// changelogKinds are the values that GitLab's documentation gives the trailer
// Changelog, which decides where a commit stands in a changelog.
var changelogKinds = map[string]Kind{
	"added": Feature, "feature": Feature, "fixed": Fix, "bug_fix": Fix, "security": Security, "performance": Performance,
	"deprecated": Deprecation, "removed": Removal,
}

// changelogKind is the weightiest that the trailers of the group ask for.
func (g *group) changelogKind() (kind Kind, ok bool) {
	trailers := slices.Clone(g.trailers)
	for _, c := range g.ownCommits() {
		trailers = append(trailers, c.trailers...)
	}
	best := len(Kinds())
	for _, t := range trailers {
		if kind, known := changelogKinds[strings.ToLower(t.value)]; known && strings.EqualFold(t.key, "Changelog") {
			best = min(best, slices.Index(Kinds(), kind))
		}
	}
	if best == len(Kinds()) {
		return "", false
	}
	return Kinds()[best], true
}

var deprecatedLine = regexp.MustCompile(`(?m)^DEPRECATED: +(\S.*)$`)

// deprecations are the footers in which the convention of Angular names what is
// deprecated.
func (g *group) deprecations() []string {
	lines := deprecatedLine.FindAllString(g.body, -1)
	for _, t := range g.trailers {
		if t.key == "DEPRECATED" && t.value != "" {
			lines = append(lines, t.key+": "+t.value)
		}
	}
	return lines
}

// pathsKind is the kind that all touched paths agree on, otherwise Other.
func (g *group) pathsKind(paths func(hash string) iter.Seq2[string, error], of func(path string) Kind) Kind {
	commits := g.commits()
	if g.merged {
		commits = []*commit{g.lead} // the merge shows the sum of its branch
	}
	agreed := Kind("")
	for _, c := range commits {
		for p, err := range paths(c.Hash) {
			kind := of(path.Clean(strings.ReplaceAll(p, `\`, "/")))
			if err != nil || kind == Other || agreed != "" && kind != agreed {
				return Other
			}
			agreed = kind
		}
	}
	return cmp.Or(agreed, Other)
}

// A certainty is how well a kind is known.
type certainty int

const (
	open    certainty = iota
	guessed           // from the verb of a sentence
	told              // by a convention
)

// kindOf reads the kind off a subject.
func kindOf(h header) (Kind, certainty) {
	if kind, ok := typeKinds[h.typ]; ok {
		return refineKind(kind, h.title), told
	}
	if kind, ok := emojiKind(h.emoji); ok {
		return kind, told
	}
	if kind, ok := verbKind(h.title); ok {
		return kind, guessed
	}
	return Other, open
}

var (
	deprecates = regexp.MustCompile(`(?i)^deprecat(?:e|es|ed|ing)\b`)
	removes    = regexp.MustCompile(`(?i)^(?:remove|drop)(?:s|d|ped)?\b`)
)

// refineKind tells deprecations and removals from the features and chores that
// the convention makes of them.
func refineKind(kind Kind, title string) Kind {
	switch {
	case (kind == Feature || kind == Internal) && deprecates.MatchString(title):
		return Deprecation
	case kind == Feature && removes.MatchString(title):
		return Removal
	}
	return kind
}

var (
	advisory      = regexp.MustCompile(`(?i)\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3})\b`)
	advisoryLine  = regexp.MustCompile(`(?im)^(?:[-*]\s+)?(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|security|refs?|see|cve|advisory|addresses)\b:?\s*)*(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3})\b`)
	vulnerability = regexp.MustCompile(`(?i)\bvulnerabilit(?:y|ies)\b|\bsecurity (?:fix|issue|hole|flaw|bug|patch)`)
	weakness      = regexp.MustCompile(`(?i)\b(?:xss|csrf|ssrf)\b|\b(?:sql|css|html|header|command|code) injections?\b|\b(?:path|directory) traversal\b`)
	securityScope = regexp.MustCompile(`(?i)^(?:sec|security|vuln|vulnerability|vulnerabilities|cve)$`)
	quiet         = map[string]bool{"test": true, "tests": true, "ci": true, "style": true, "docs": true, "doc": true}
)

// isSecurity reports whether the group, of that kind by its other marks, closes a
// security hole: by the number of an advisory, by the words, or by the scope. In the
// body only a line that begins with the number tells; prose may mention any.
func (g *group) isSecurity(kind Kind) bool {
	_, private := strings.CutPrefix(g.head, "GHSA-")
	switch {
	case kind == Fix && weakness.MatchString(g.title):
		return true
	case kind == Fix || kind == Other:
		return private || securityScope.MatchString(g.scope) || vulnerability.MatchString(g.title) || advisory.MatchString(g.title) || advisoryLine.MatchString(g.body)
	case kind == Internal:
		return advisory.MatchString(g.title) && !quiet[g.typ]
	}
	return private
}

// branchKind is the kind of a branch whose title leaves it open: the weightiest
// of its commits.
func branchKind(own []*commit) (Kind, certainty) {
	order := Kinds()
	best, least := len(order), told
	for _, c := range own {
		kind, known := kindOf(c.header)
		if known != open {
			best = min(best, slices.Index(order, kind))
		}
		least = min(least, known)
	}
	if best == len(order) || least == open && order[best] == Internal {
		return Other, open
	}
	return order[best], max(least, guessed)
}

// raisesDependency reports whether the group is about nothing but dependencies. A
// feature or fix with such a scope has to say so in its title too.
func (g *group) raisesDependency() bool {
	if _, ok := g.bump(); ok {
		return true
	}
	if !g.aboutDependencies() {
		return false
	}
	kind, known := typeKinds[g.typ]
	return known && (kind == Internal || kind == DependencyUpdate) || startsBump.MatchString(g.title)
}
