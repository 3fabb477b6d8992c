package history

import (
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

// A version is the part of a tag that is ordered. Numbers have any size and no
// leading zeros.
type version struct {
	numbers []string
	pre     string // "-rc.10" in the canonical form of semver, or empty for a final version
	after   string // "-post.1": what comes after the final version, in the same form
	build   string // "-build.5": build metadata, which orders only what is equal otherwise
}

// A name is a tag's name taken apart. Tags of one family follow each other.
type tagName struct {
	family  string // what stands before the version, without its "v": "", "api/", "packages-"
	v       string // "v", "V" or nothing
	numbers string // of the version, as written: "1_2_3"
	rest    string // what follows them, as written
	version version
}

// Forms of the numbers in a tag, tried in this order. The rest behind them may
// not hold a slash, so that the last part of a path decides.
var numberForms = []*regexp.Regexp{
	regexp.MustCompile(`[0-9]+(?:\.[0-9]+){1,5}`),
	regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}`),
	regexp.MustCompile(`[0-9]+(?:_[0-9]+){1,3}`),
	regexp.MustCompile(`[0-9]+(?:-[0-9]+){2,3}`),
	regexp.MustCompile(`[0-9]+`),
}

// parseTag reads a tag's short name. False means that it holds no version.
func parseTag(name string) (tagName, bool) {
	slash := strings.LastIndexByte(name, '/') + 1
	for form, re := range numberForms {
		places := re.FindAllStringIndex(name[slash:], -1)
		if len(places) == 0 {
			continue
		}
		place := placeOfVersion(name[slash:], places)
		prefix, numbers, rest := name[:slash+place[0]], name[slash+place[0]:slash+place[1]], name[slash+place[1]:]
		t := tagName{numbers: numbers, rest: rest}
		t.family, t.v = cutV(prefix)
		if form == len(numberForms)-1 && !endsInSeparator(t.family) && t.family != "r" && t.family != "b" {
			return tagName{}, false // "utf8", "sha1": a number that belongs to a word, and not to a revision or build
		}
		var ok bool
		t.version, ok = parseVersion(numbers, rest)
		return t, ok
	}
	return tagName{}, false
}

// placeOfVersion chooses the first place with a full version, or the first of all:
// in "log4j-1.2-api-2.17.0" the version is the last one.
func placeOfVersion(name string, places [][]int) []int {
	for _, place := range places {
		if strings.Count(name[place[0]:place[1]], ".") >= 2 {
			return place
		}
	}
	return places[0]
}

// cutV takes the "v" of a version off its prefix.
func cutV(prefix string) (family, v string) {
	family, found := prefix, false
	for _, v := range []string{"v", "V", "v.", "V.", "v_", "V_"} {
		if family, found = strings.CutSuffix(prefix, v); found && endsInSeparator(family) {
			return family, v
		}
	}
	return prefix, ""
}

func endsInSeparator(s string) bool {
	if s == "" {
		return true
	}
	c := s[len(s)-1]
	return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// parseVersion reads the numbers of a version and what follows them.
func parseVersion(numbers, rest string) (version, bool) {
	var v version
	for _, number := range strings.FieldsFunc(numbers, func(r rune) bool { return r < '0' || r > '9' }) {
		v.numbers = append(v.numbers, trimZeros(number))
	}
	rest, build, _ := strings.Cut(rest, "+")
	if stamp := buildStamp.FindString(rest); stamp != "" {
		rest, build = rest[:len(rest)-len(stamp)], stamp
	}
	v.build, _ = canonicalSuffix(build)
	suffix, ok := canonicalSuffix(rest)
	switch first, _, _ := strings.Cut(strings.TrimPrefix(suffix, "-"), "."); first {
	case "final", "ga", "release", "stable":
	case "post", "patch", "sp", "hotfix":
		v.after = suffix
	default:
		v.pre = suffix
	}
	return v, ok
}

// buildStamp is the time of a build, as Jetty and Eclipse put it behind their versions.
var buildStamp = regexp.MustCompile(`[.-]v[0-9]{8,14}$`)

// isDate reports whether the numbers are a day or a month: what follows depends on
// the calendar.
func (v version) isDate() bool {
	first := v.number(0)
	if len(v.numbers) == 1 {
		return len(first) == 8 && (strings.HasPrefix(first, "19") || strings.HasPrefix(first, "20"))
	}
	return len(first) == 4 && (strings.HasPrefix(first, "19") || strings.HasPrefix(first, "20"))
}

// pythonWords are the short words of PEP 440, which stand for the long ones.
var pythonWords = map[string]string{"a": "alpha", "b": "beta", "c": "rc"}

var suffixWords = regexp.MustCompile(`[0-9]+|[a-z]+`)

// canonicalSuffix turns "rc10", ".beta1" and "-RC_2" into "-rc.10", "-beta.1" and
// "-rc.2", which semver orders as people do.
func canonicalSuffix(rest string) (string, bool) {
	rest = strings.ToLower(rest)
	if strings.ContainsFunc(rest, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._~", r)
	}) {
		return "", false
	}
	words := suffixWords.FindAllString(rest, -1)
	if len(words) == 0 {
		return "", rest == ""
	}
	for i, word := range words {
		if long, ok := pythonWords[word]; ok && i+1 < len(words) {
			word = long
		}
		words[i] = trimZeros(word)
	}
	return "-" + strings.Join(words, "."), true
}

func trimZeros(number string) string {
	if trimmed := strings.TrimLeft(number, "0"); trimmed != "" {
		return trimmed
	}
	return number[:min(1, len(number))]
}

func (v version) isPrerelease() bool { return v.pre != "" }

// compare orders versions as semver does, with any count of numbers: missing ones
// are zero.
func (v version) compare(w version) int {
	for i := range max(len(v.numbers), len(w.numbers)) {
		if c := compareNumbers(v.number(i), w.number(i)); c != 0 {
			return c
		}
	}
	if c := semver.Compare("v0.0.0"+v.pre, "v0.0.0"+w.pre); c != 0 {
		return c
	}
	// A suffix makes a version lower in semver; one that comes after makes it higher.
	switch {
	case v.after == w.after:
		return 0
	case v.after == "":
		return -1
	case w.after == "":
		return 1
	}
	return semver.Compare("v0.0.0"+v.after, "v0.0.0"+w.after)
}

func (v version) number(i int) string {
	if i < len(v.numbers) {
		return v.numbers[i]
	}
	return "0"
}

func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// CompareVersions compares the versions that two names of releases end with, whatever
// stands before them: "v1.2.0", "1.2.0", "api/v1.2.0". It is false when one has none.
func CompareVersions(a, b string) (order int, ok bool) {
	x, okX := parseTag(a)
	y, okY := parseTag(b)
	if !okX || !okY {
		return 0, false
	}
	return x.version.compare(y.version), true
}
