package changes

import (
	"regexp"
	"strings"
)

// verbKinds maps the first word of a subject outside the convention to a kind.
var verbKinds = map[string]Kind{
	"fix": Fix, "fixes": Fix, "fixed": Fix, "fixing": Fix, "fixup": Fix, "bugfix": Fix, "hotfix": Fix, "bug": Fix,
	"correct": Fix, "corrects": Fix, "corrected": Fix, "resolve": Fix, "resolves": Fix, "resolved": Fix, "repair": Fix, "repairs": Fix, "repaired": Fix,
	"prevent": Fix, "prevents": Fix, "prevented": Fix, "avoid": Fix, "avoids": Fix, "avoided": Fix, "don't": Fix, "properly": Fix, "correctly": Fix, "ensure": Fix, "ensures": Fix, "typo": Fix, "typos": Fix, "dont": Fix, "workaround": Fix,
	"add": Feature, "adds": Feature, "added": Feature, "adding": Feature, "implement": Feature, "implements": Feature, "implemented": Feature,
	"create": Feature, "creates": Feature, "created": Feature, "provide": Feature, "provides": Feature,
	"introduce": Feature, "introduces": Feature, "introduced": Feature, "support": Feature, "supports": Feature, "allow": Feature, "allows": Feature, "allowed": Feature,
	"enable": Feature, "enables": Feature, "enabled": Feature, "feature": Feature, "new": Feature, "expose": Feature, "exposes": Feature, "exposed": Feature,
	"optimize": Performance, "optimizes": Performance, "optimized": Performance, "optimise": Performance, "optimises": Performance, "optimised": Performance,
	"speedup": Performance, "performance": Performance, "perf": Performance,
	"deprecate": Deprecation, "deprecates": Deprecation, "deprecated": Deprecation, "deprecating": Deprecation,
	"remove": Removal, "removes": Removal, "removed": Removal, "removing": Removal, "drop": Removal, "drops": Removal, "dropped": Removal, "delete": Removal, "deletes": Removal, "deleted": Removal,
	"document": Documentation, "documents": Documentation, "documented": Documentation, "docs": Documentation, "doc": Documentation, "documentation": Documentation, "readme": Documentation,
	"refactor": Internal, "refactors": Internal, "refactored": Internal, "refactoring": Internal, "cleanup": Internal, "cleanups": Internal, "tidy": Internal,
	"lint": Internal, "linting": Internal, "reformat": Internal, "reformatted": Internal, "gofmt": Internal, "test": Internal, "tests": Internal, "ci": Internal,
}

// verbPatterns come before the verb alone: they look at what it is done to.
var verbPatterns = []struct {
	pattern *regexp.Regexp
	kind    Kind
}{
	{regexp.MustCompile(`(?i)^[\w']+ (?:(?:the|a|an|some|missing|new|more|flaky|failing|broken|unit|integration|e2e|regression|old|unused) ){0,3}(?:tests?|test ?cases?|testcases?|unit-tests?|linters?|lint (?:issues?|errors?|warnings?)|lint|ci|ci/cd|workflows?|github actions?|benchmarks?)(?: .*)?$`), Internal},
	{regexp.MustCompile(`(?i)^[\w']+ (?:(?:the|a|an|some|missing|new|more|typos?|broken|links?|in|to|old) ){0,4}(?:readme(?:\.\w+)?|docs|documentation|doc comments?|docstrings?|javadoc|godocs?|man ?pages?|changelog(?:\.\w+)?|contributing(?:\.md)?|comments?|tutorials?)(?: (?:for|of|about|on|in|with|to) .*)?$`), Documentation},
	{regexp.MustCompile(`(?i)^(?:update|bump|upgrade|refresh)[sd]? (?:(?:the|all|some|npm|go|go\.mod|dev|direct|indirect|minor|patch) ){0,2}(?:dependenc(?:y|ies)|deps|vendor(?:ing|ed .*)?|lock ?files?|go\.(?:mod|sum))\b`), DependencyUpdate},
	{regexp.MustCompile(`(?i)^(?:remove|delete|drop)[sd]? (?:(?:the|a|an|some|all|now) )?(?:unused|dead|unneeded|unnecessary|unneccessary|redundant|useless|repeated|duplicated?|extra|extraneous|trailing|stray|superfluous|leftover|commented|debug(?:ging)?|todos?|whitespace|comments?|imports?|tests?|code)\b`), Internal},
	{regexp.MustCompile(`(?i)^clean(?:s|ed|ing)? ?up\b|^apply (?:lint|format|prettier|rustfmt|gofmt|black)|^run (?:gofmt|prettier|rustfmt|black)`), Internal},
	{regexp.MustCompile(`(?i)^(?:speed(?:s|ed)? up|improve[sd]? (?:the )?(?:performance|speed)|(?:reduce|lower)[sd]? (?:the )?(?:memory|cpu|allocations?|latency|startup|load)|make .* (?:faster|quicker))\b`), Performance},
	{regexp.MustCompile(`(?i)^(?:mark|flag)(?:s|ed|ing)? .*\bdeprecated\b`), Deprecation},
	{regexp.MustCompile(`(?i)^do(?:es)? not\b|^(?:bug ?fix|crash|regression)\b|^(?:close|fixe?|resolve)[sd]? (?:issue )?\(?#\d+`), Fix},
}

// subjectPrefix is what projects put before the sentence of a subject: the part
// of the code, as in "net/http: ", or a tag in brackets.
var subjectPrefix = regexp.MustCompile(`^(?:\[[^\]]{1,40}\]:? *|[\w./,{}*+@&-]{1,60}(?: [\w./,{}*+@&-]{1,40})?: +)`)

// verbKind reads the kind off the words of a subject; ok is false if they leave it open.
func verbKind(title string) (kind Kind, ok bool) {
	_, title = cutEmoji(title)
	for range 3 {
		prefix := subjectPrefix.FindString(title)
		if kind, ok := typeKinds[strings.ToLower(strings.Trim(prefix, "[]: "))]; ok {
			return kind, true
		}
		title = title[len(prefix):]
	}
	for _, p := range verbPatterns {
		if p.pattern.MatchString(title) {
			return p.kind, true
		}
	}
	word, _, _ := strings.Cut(title, " ")
	word, _, _ = strings.Cut(word, "(") // "Fix(issue 12)"
	kind, ok = verbKinds[strings.ToLower(strings.Trim(word, ":,.!"))]
	return kind, ok
}

// emojiKinds maps gitmoji to kinds, by character and by shortcode. Those that
// leave open what they mean to a reader are not in it.
var emojiKinds = map[string]Kind{
	"✨": Feature, ":sparkles:": Feature, "♿": Feature, ":wheelchair:": Feature, "🌐": Feature, ":globe_with_meridians:": Feature, "💄": Feature, ":lipstick:": Feature,
	"🐛": Fix, ":bug:": Fix, "🚑": Fix, ":ambulance:": Fix, "🩹": Fix, ":adhesive_bandage:": Fix, "🥅": Fix, ":goal_net:": Fix, "👽": Fix, ":alien:": Fix,
	"🔒": Security, ":lock:": Security,
	"⚡": Performance, ":zap:": Performance,
	"🗑": Deprecation, ":wastebasket:": Deprecation,
	"⏪": Revert, ":rewind:": Revert,
	"📝": Documentation, ":memo:": Documentation, "📚": Documentation, ":books:": Documentation,
	"⬆": DependencyUpdate, ":arrow_up:": DependencyUpdate, "⬇": DependencyUpdate, ":arrow_down:": DependencyUpdate, "📌": DependencyUpdate, ":pushpin:": DependencyUpdate,
	"➕": DependencyUpdate, ":heavy_plus_sign:": DependencyUpdate, "➖": DependencyUpdate, ":heavy_minus_sign:": DependencyUpdate,
	"🎨": Internal, ":art:": Internal, "♻": Internal, ":recycle:": Internal, "✅": Internal, ":white_check_mark:": Internal, "🧪": Internal, ":test_tube:": Internal,
	"👷": Internal, ":construction_worker:": Internal, "💚": Internal, ":green_heart:": Internal, "🚨": Internal, ":rotating_light:": Internal, "🔧": Internal, ":wrench:": Internal,
	"🔨": Internal, ":hammer:": Internal, "🚧": Internal, ":construction:": Internal, "💡": Internal, ":bulb:": Internal, "⚰": Internal, ":coffin:": Internal,
	"🚚": Internal, ":truck:": Internal, "🏗": Internal, ":building_construction:": Internal, "🙈": Internal, ":see_no_evil:": Internal,
}

// emojiKind returns the kind of the first emoji that has one.
func emojiKind(emoji string) (kind Kind, ok bool) {
	for one := range strings.FieldsSeq(strings.ReplaceAll(emoji, "\ufe0f", " ")) {
		if kind, ok := emojiKinds[one]; ok {
			return kind, true
		}
	}
	return "", false
}
