package history

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// A version is a release tag taken apart.
type version struct {
	family    string // what stands before the version, without an optional "v"
	tag       string
	canonical string // for golang.org/x/mod/semver
	pre       bool
}

// released matches a tag that ends in a semantic version. "v1" and "v1.2" are tags
// that move with the releases, and no releases themselves.
var released = regexp.MustCompile(`^(.*?)(v?)(\d+)\.(\d+)\.(\d+)((?:[-.]?[a-zA-Z][0-9A-Za-z.-]*|-[0-9A-Za-z.-]+)?)(\+[0-9A-Za-z.-]+)?$`)

func parseVersion(tag string) (version, bool) {
	m := released.FindStringSubmatch(tag)
	if m == nil || strings.HasSuffix(m[1], ".") || m[1] != "" && isDigit(m[1][len(m[1])-1]) {
		return version{}, false
	}
	number := func(s string) string {
		if s = strings.TrimLeft(s, "0"); s == "" {
			return "0"
		}
		return s
	}
	v := version{family: m[1], tag: tag, canonical: "v" + number(m[3]) + "." + number(m[4]) + "." + number(m[5])}
	if pre := strings.TrimLeft(m[6], "-."); pre != "" {
		v.pre = true
		v.canonical += "-" + runs.ReplaceAllString(pre, "$1.$2")
	}
	return v, semver.IsValid(v.canonical)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// runs splits "rc10" into "rc.10", so that it comes after "rc9".
var runs = regexp.MustCompile(`([A-Za-z])(\d)`)

// Raise is a part of a version that a release raises.
type Raise int

// The parts.
const (
	RaiseNothing Raise = iota
	RaisePatch
	RaiseMinor
	RaiseMajor
)

// numbers takes the last numbers of a tag apart from what stands around them.
var numbers = regexp.MustCompile(`^(.*?)(\d+)\.(\d+)\.(\d+)(?:([-.]?[a-zA-Z]+[.-]?)(\d+))?`)

// NextVersion returns the tag after previous, with its prefix and "v": in 0.x a
// major raise raises the minor version, and after a pre-release comes the next of
// the same version. Without a previous tag it is prefix + "v0.1.0".
func NextVersion(previous, prefix string, raise Raise) string {
	if raise == RaiseNothing {
		return ""
	}
	m := numbers.FindStringSubmatch(previous)
	if m == nil {
		return strings.TrimSuffix(prefix, "v") + "v0.1.0"
	}
	major, minor, patch := toInt(m[2]), toInt(m[3]), toInt(m[4])
	if m[5] != "" {
		return m[1] + strings.Join([]string{m[2], m[3], m[4]}, ".") + m[5] + strconv.Itoa(toInt(m[6])+1)
	}
	switch {
	case raise == RaiseMajor && major > 0:
		major, minor, patch = major+1, 0, 0
	case raise >= RaiseMinor:
		minor, patch = minor+1, 0
	default:
		patch++
	}
	return m[1] + strconv.Itoa(major) + "." + strconv.Itoa(minor) + "." + strconv.Itoa(patch)
}

func toInt(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
