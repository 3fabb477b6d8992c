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

// NextVersion returns the tag after previous, with its prefix and "v": in 0.x a
// major raise raises the minor version, and the next of a pre-release is the next
// pre-release of the same version when that is high enough. Without a previous
// tag it is prefix + "v0.1.0". What holds no version stays as it is.
func NextVersion(previous, prefix string, raise Raise) string {
	if previous == "" {
		family, v := cutV(prefix)
		if v == "" {
			v = "v"
		}
		return family + v + "0.1.0"
	}
	tag, ok := parseTag(previous)
	if !ok || raise == RaiseNothing {
		return previous
	}
	core := coreNumbers(tag.version)
	if len(tag.version.numbers) == 1 && !tag.version.isPrerelease() {
		return tag.family + tag.v + strconv.FormatUint(core[0]+1, 10) // such projects only count
	}
	if tag.version.isPrerelease() && raised(core, raise) {
		return nextPrerelease(previous)
	}
	bump(core, raise)
	next := tag.family + tag.v + joinNumbers(core)
	if tag.version.isPrerelease() {
		next += firstPrerelease(previous)
	}
	return next
}

// coreNumbers are major, minor and patch. More numbers than three are dropped.
func coreNumbers(v version) []uint64 {
	core := make([]uint64, 3)
	for i := range core {
		core[i], _ = strconv.ParseUint(v.number(i), 10, 64)
	}
	return core
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

// bump raises one part and clears those after it.
func bump(core []uint64, raise Raise) {
	switch {
	case raise == RaiseMajor && core[0] > 0:
		core[0], core[1], core[2] = core[0]+1, 0, 0
	case raise == RaiseMajor, raise == RaiseMinor:
		core[1], core[2] = core[1]+1, 0
	default:
		core[2]++
	}
}

func joinNumbers(core []uint64) string {
	var parts []string
	for _, n := range core {
		parts = append(parts, strconv.FormatUint(n, 10))
	}
	return strings.Join(parts, ".")
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

// firstPrerelease is the pre-release part of a tag, counted from one again.
func firstPrerelease(tag string) string {
	suffix := suffixOf(tag)
	stem, counter := splitCounter(suffix)
	if counter == "" {
		return stem
	}
	return stem + "1"
}

// suffixOf is what stands behind the numbers of a tag.
func suffixOf(tag string) string {
	parsed, ok := parseTag(tag)
	if !ok {
		return ""
	}
	rest := strings.TrimPrefix(tag, parsed.family+parsed.v)
	for range parsed.version.numbers {
		rest = strings.TrimLeft(rest, "0123456789")
		if len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9' {
			rest = rest[1:]
		}
	}
	return rest
}
