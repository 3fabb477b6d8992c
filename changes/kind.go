package changes

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// kindOfType holds the types of Conventional Commits, of Angular's convention, and
// the names that people use in their place.
var kindOfType = map[string]Kind{
	"feat": Feature, "feature": Feature, "features": Feature, "feats": Feature, "add": Feature, "added": Feature, "new": Feature,
	"enhancement": Feature, "enhance": Feature, "improvement": Feature, "improve": Feature,
	"fix": Fix, "fixes": Fix, "fixed": Fix, "bugfix": Fix, "hotfix": Fix, "bug": Fix,
	"perf": Performance, "performance": Performance, "optimize": Performance,
	"docs": Documentation, "doc": Documentation, "documentation": Documentation,
	"deps": DependencyUpdate, "dep": DependencyUpdate, "dependencies": DependencyUpdate, "dependency": DependencyUpdate,
	"security": Security, "sec": Security,
	"deprecate": Deprecation, "deprecated": Deprecation, "deprecation": Deprecation,
	"remove": Removal, "removed": Removal, "removal": Removal,
	"revert": Revert,
	"build":  Internal, "ci": Internal, "test": Internal, "tests": Internal, "style": Internal, "refactor": Internal, "refact": Internal,
	"chore": Internal, "chores": Internal, "release": Internal, "lint": Internal, "wip": Internal, "cleanup": Internal, "internal": Internal, "tooling": Internal,
}

// kindOfWord holds what the first word of a plain subject says.
var kindOfWord = map[string]Kind{
	"add": Feature, "adds": Feature, "added": Feature, "adding": Feature, "implement": Feature, "implements": Feature, "implemented": Feature,
	"introduce": Feature, "introduces": Feature, "introduced": Feature, "support": Feature, "supports": Feature, "supported": Feature,
	"allow": Feature, "allows": Feature, "allowed": Feature, "enable": Feature, "enables": Feature, "enabled": Feature,
	"new": Feature, "provide": Feature, "provides": Feature, "expose": Feature, "exposes": Feature, "feature": Feature,
	"fix": Fix, "fixes": Fix, "fixed": Fix, "fixing": Fix, "bugfix": Fix, "hotfix": Fix, "correct": Fix, "corrects": Fix, "corrected": Fix,
	"repair": Fix, "resolve": Fix, "resolves": Fix, "resolved": Fix, "prevent": Fix, "prevents": Fix, "avoid": Fix, "avoids": Fix,
	"remove": Removal, "removes": Removal, "removed": Removal, "drop": Removal, "drops": Removal, "dropped": Removal, "delete": Removal, "deletes": Removal, "deleted": Removal,
	"deprecate": Deprecation, "deprecates": Deprecation, "deprecated": Deprecation,
	"optimize": Performance, "optimizes": Performance, "optimise": Performance, "speedup": Performance,
	"document": Documentation, "documents": Documentation, "docs": Documentation, "doc": Documentation,
	"refactor": Internal, "refactors": Internal, "refactored": Internal, "refactoring": Internal, "cleanup": Internal, "lint": Internal, "test": Internal, "tests": Internal, "ci": Internal, "gofmt": Internal, "reformat": Internal,
}

// kindOfEmoji holds those of gitmoji.dev that say what a change is to a user.
var kindOfEmoji = map[string]Kind{
	"✨": Feature, ":sparkles:": Feature, "🎉": Feature, ":tada:": Feature,
	"🐛": Fix, ":bug:": Fix, "🚑": Fix, ":ambulance:": Fix, "🩹": Fix, ":adhesive_bandage:": Fix,
	"⚡": Performance, ":zap:": Performance, "🔒": Security, ":lock:": Security,
	"📝": Documentation, ":memo:": Documentation, "⬆": DependencyUpdate, ":arrow_up:": DependencyUpdate, "⬇": DependencyUpdate, ":arrow_down:": DependencyUpdate,
	"🗑": Deprecation, ":wastebasket:": Deprecation, "🔥": Removal, ":fire:": Removal, "⏪": Revert, ":rewind:": Revert,
	"♻": Internal, ":recycle:": Internal, "✅": Internal, ":white_check_mark:": Internal, "👷": Internal, ":construction_worker:": Internal,
	"💚": Internal, ":green_heart:": Internal, "🎨": Internal, ":art:": Internal, "🚨": Internal, ":rotating_light:": Internal, "🔧": Internal, ":wrench:": Internal,
}

// classify returns the kind of a subject, and false when the words leave it open.
func classify(h header, subject string) (Kind, bool) {
	kind, known := kindOfType[h.typ]
	if !known {
		kind, known = kindOfWords(h.title, subject)
	}
	switch scope := strings.ToLower(h.scope); {
	case kind == Internal && h.typ != "" && isDependencyScope(scope):
		kind = DependencyUpdate
	case (kind == Fix || kind == Internal) && isBump(h.title):
		kind = DependencyUpdate
	case (scope == "security" || scope == "sec") && kind != Internal && kind != Documentation:
		kind = Security
	case aboutSecurity.MatchString(h.title) && (kind == Fix || !known):
		return Security, true
	case h.typ != "" && deprecates.MatchString(h.title) && (kind == Feature || kind == Internal || kind == Fix):
		kind = Deprecation
	}
	return kind, known
}

func isDependencyScope(scope string) bool {
	return scope == "deps" || scope == "dep" || scope == "dependencies" || scope == "deps-dev" || scope == "deps-prod"
}

var (
	// aboutSecurity is a fix of something that could be abused. The bare word
	// "security" is not enough: a security group is a thing like any other.
	aboutSecurity  = regexp.MustCompile(`(?i)\bCVE-\d{4}-\d{4,}\b|\bGHSA(?:-[0-9a-z]{4}){3}\b|\bvulnerabilit(?:y|ies)\b|\bsecurity (?:fix|issue|bug|patch|hole|flaw|vulnerability)\b`)
	deprecates     = regexp.MustCompile(`(?i)^deprecate[sd]?\b`)
	faster         = regexp.MustCompile(`(?i)^(?:improve[sd]?|increase[sd]?|better)\b.*\bperformance\b|^speed(?:s|ing)? up\b|^make .* faster\b|^reduce[sd]? (?:memory|allocations)\b`)
	ofTests        = regexp.MustCompile(`(?i)^(?:add|adds|added|fix|fixes|fixed|update|updates|updated|improve|more|remove|skip|enable|disable)\s+(?:\w+\s+){0,3}?(?:unit |flaky |failing |regression |integration )?tests?\b(?:$| (?:for|of|in|to|on|case|cases|coverage)\b)`)
	ofDocs         = regexp.MustCompile(`(?i)^(?:add|adds|added|fix|fixes|fixed|update|updates|updated|improve|improves|improved|clarify|correct)\s+(?:\w+\s+){0,2}?(?:docs?|documentation|readme(?:\.md)?|docstrings?|godoc)\b`)
	ofHousekeeping = regexp.MustCompile(`(?i)^(?:add|update|updates|updated|fix)\s+(?:the\s+)?(?:changelog|\.gitignore|copyright|license headers?|contributors)\b|\bunused (?:import|variable|parameter|function|code|file)s?\b|\bdead code\b|^clean ?up\b`)
)

// kindOfWords classifies a subject outside the convention.
func kindOfWords(title, subject string) (Kind, bool) {
	if lead := strings.TrimSpace(gitmoji.FindString(subject)); lead != "" {
		for _, emoji := range strings.Fields(lead) {
			if kind, ok := kindOfEmoji[strings.TrimSuffix(emoji, "\ufe0f")]; ok {
				return kind, true
			}
		}
		title = strings.TrimSpace(strings.TrimPrefix(title, lead))
	}
	switch {
	case isBump(title):
		return DependencyUpdate, true
	case ofTests.MatchString(title), ofHousekeeping.MatchString(title):
		return Internal, true
	case ofDocs.MatchString(title):
		return Documentation, true
	case faster.MatchString(title):
		return Performance, true
	}
	word, _, _ := strings.Cut(title, " ")
	kind, ok := kindOfWord[strings.ToLower(strings.Trim(word, ":,.[]()"))]
	if !ok {
		return Other, false
	}
	return kind, true
}

// kindOfPaths says what a change is that touches only files of one sort.
func kindOfPaths(paths []string) Kind {
	all := func(is func(string) bool) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !is(p) })
	}
	switch {
	case all(isDocs):
		return Documentation
	case all(isManifest):
		return DependencyUpdate
	case all(func(p string) bool { return isTooling(p) || isManifest(p) }):
		return Internal
	}
	return Other
}

func isDocs(p string) bool {
	base := strings.ToLower(path.Base(p))
	if hasDirectory(p, "docs", "doc") {
		return true
	}
	switch path.Ext(base) {
	case ".md", ".rst", ".adoc", ".mdx":
		return true
	}
	return base == "readme" || base == "license" || base == "authors"
}

var manifests = []string{
	"go.mod", "go.sum", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "cargo.toml", "cargo.lock", "gemfile", "gemfile.lock",
	"requirements.txt", "poetry.lock", "pyproject.toml", "uv.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle", "mix.lock",
}

func isManifest(p string) bool { return slices.Contains(manifests, strings.ToLower(path.Base(p))) }

func isTooling(p string) bool {
	base := strings.ToLower(path.Base(p))
	switch {
	case hasDirectory(p, "test", "tests", "testdata", "__tests__", "spec", ".github", ".circleci", ".gitlab", "ci"):
		return true
	case strings.HasSuffix(base, "_test.go"), strings.Contains(base, ".test."), strings.Contains(base, ".spec."), strings.HasPrefix(base, "test_"):
		return true
	}
	return base == "makefile" || base == ".gitignore" || base == ".gitattributes" || base == ".editorconfig" || base == ".travis.yml" || base == ".gitlab-ci.yml"
}

func hasDirectory(p string, names ...string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
		return slices.Contains(names, strings.ToLower(dir))
	})
}
