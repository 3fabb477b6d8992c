package history

import (
	"strconv"
	"strings"
)

// Raise is a part of a version that a release raises.
type Raise int

// The parts.
const (
	RaiseNothing Raise = iota
	RaisePatch
	RaiseMinor
	RaiseMajor
)

// NextVersion returns the tag after previous, in its form: the prefix, the "v", the
// separators and the count of numbers stay. In 0.x a major raise raises the minor
// version, and the next of a pre-release is the next pre-release of the same version
// when that is high enough. Without a previous tag it is prefix + "v0.1.0". What holds
// no version stays as it is; what follows a date is not known, and "".
func NextVersion(previous, prefix string, raise Raise) string {
	if previous == "" {
		family, v := cutV(prefix)
		if v == "" {
			v = "v"
		}
		return family + v + "0.1.0"
	}
	tag, ok := parseTag(previous)
	switch {
	case !ok || raise == RaiseNothing:
		return previous
	case tag.version.isDate():
		return ""
	case len(tag.version.numbers) == 1 && !tag.version.isPrerelease():
		raise = RaiseMajor // such projects only count
	}
	core := coreNumbers(tag.version)
	if tag.version.isPrerelease() && raised(core, raise) {
		return nextPrerelease(previous)
	}
	bump(core, raise, len(tag.version.numbers) == 1)
	next := tag.family + tag.v + tag.written(core)
	switch {
	case tag.version.isPrerelease():
		next += firstPrerelease(tag.rest)
	case tag.version.after == "" && tag.version.build == "":
		next += tag.rest // ".Final"
	}
	return next
}

// coreNumbers are major, minor and patch.
func coreNumbers(v version) []uint64 {
	core := make([]uint64, 3)
	for i := range core {
		core[i], _ = strconv.ParseUint(v.number(i), 10, 64)
	}
	return core
}

// written writes the numbers of a version as the tag has them: as many, with the same
// separator, and padded where it pads. A patch of "1.2" is "1.2.1".
func (t tagName) written(core []uint64) string {
	old := strings.FieldsFunc(t.numbers, func(r rune) bool { return r < '0' || r > '9' })
	separator := "."
	if rest := strings.TrimLeft(t.numbers, "0123456789"); rest != "" {
		separator = rest[:1]
	}
	count := len(old)
	if count < len(core) && core[count] != 0 {
		count = len(core)
	}
	parts := make([]string, count)
	for i := range parts {
		parts[i] = "0"
		if i < len(core) {
			parts[i] = strconv.FormatUint(core[i], 10)
		}
		if i < len(old) && len(old[i]) > 1 && old[i][0] == '0' {
			parts[i] = strings.Repeat("0", max(0, len(old[i])-len(parts[i]))) + parts[i]
		}
	}
	return strings.Join(parts, separator)
}

// raised tells whether the version of a pre-release is high enough for a raise
// already: 2.0.0-rc.1 is one for any, 1.1.0-rc.1 for a minor raise.
func raised(core []uint64, raise Raise) bool {
	major, minor, patch := core[0], core[1], core[2]
	switch raise {
	case RaiseMajor:
		return minor == 0 && patch == 0 || major == 0 && patch == 0
	case RaiseMinor:
		return patch == 0
	}
	return true
}

// bump raises one part and clears those after it. A version of one number counts up
// from zero too.
func bump(core []uint64, raise Raise, counts bool) {
	switch {
	case raise == RaiseMajor && (core[0] > 0 || counts):
		core[0], core[1], core[2] = core[0]+1, 0, 0
	case raise == RaiseMajor, raise == RaiseMinor:
		core[1], core[2] = core[1]+1, 0
	default:
		core[2]++
	}
}

// splitCounter cuts a tag before the number it ends with, build metadata left out.
func splitCounter(tag string) (stem, counter string) {
	tag, _, _ = strings.Cut(tag, "+")
	stem = strings.TrimRight(tag, "0123456789")
	return stem, tag[len(stem):]
}

// nextPrerelease counts a pre-release on; one without a count gets ".1".
func nextPrerelease(tag string) string {
	stem, counter := splitCounter(tag)
	if counter == "" {
		return stem + ".1"
	}
	n, err := strconv.ParseUint(counter, 10, 64)
	if err != nil {
		return tag
	}
	return stem + strconv.FormatUint(n+1, 10)
}

// firstPrerelease is the suffix of a pre-release, counted from one again.
func firstPrerelease(suffix string) string {
	stem, counter := splitCounter(suffix)
	if counter == "" {
		return stem
	}
	return stem + "1"
}
