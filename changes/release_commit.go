package changes

import (
	"regexp"
	"strings"
)

// rollup is the title of a pull request that a bot made of others.
var rollup = regexp.MustCompile(`^Rollup of \d+ pull requests`)

// versionPackages is the title that changesets gives its pull request.
var versionPackages = regexp.MustCompile(`^(?i:version packages)(?: \([\w-]+\))?$`)

var versionWord = regexp.MustCompile(`^(?:@?[\w./-]*[@/-])?[vV]?\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.+-]*)?$`)

// releaseWords may stand in the subject of a commit that makes a release; those
// that are true say so, the others only join them.
var releaseWords = map[string]bool{
	"release": true, "releases": true, "releasing": true, "released": true, "version": true, "versions": true, "versioning": true,
	"bump": true, "bumps": true, "bumped": true, "bumping": true, "publish": true, "prepare": true, "preparing": true, "tag": true,
	"cut": true, "tagging": true, "setting": true, "(cargo-release)": true, "post-release": true, "updated": false, "rc": true, "snapshot": true,
	"to": false, "for": false, "from": false, "the": false, "of": false, "and": false, "next": false, "new": false, "update": false,
	"set": false, "main": false, "notes": false, "in": false, "with": false, "master": false, "iteration": false,
	"stable": false, "final": false, "package": false, "repository": false, "repo": false, "packages": false, "project": false, "crate": false, "crates": false,
	"related": false, "all": false, "back": false, "begin": false, "on": false, "number": false, "start": false, "post": false, "patch": false, "minor": false, "major": false, "→": false, "->": false, "=>": false,
	"[skip": false, "[ci": false, "skip]": false, "ci]": false, "skip-ci": false, "[maven-release-plugin]": false, "[skip-ci]": false,
}

// versionWords may stand beside a version in such a subject, and say so together with it.
var versionWords = map[string]bool{"changelog": true, "changelogs": true, "changes": true, "development": true, "dev": true, "iteration": true, "cycle": true}

// isRelease reports whether the group does nothing but make a release: its
// subject consists of a version and of words about releasing. That is no change.
func (g *group) isRelease() bool {
	if g.header.breaking || g.breaks {
		return false
	}
	_, title := cutEmoji(g.title)
	if versionPackages.MatchString(title) {
		return true
	}
	words := strings.Fields(title)
	switch kind, known := typeKinds[g.typ]; {
	case strings.HasPrefix(g.typ, "releas") || g.typ == "bump" || g.typ == "version" || g.typ == "publish":
		words = append([]string{"release"}, words...)
	case g.typ != "" && known && kind != Internal, g.typ != "" && !known:
		return false
	case strings.EqualFold(g.scope, "release") || strings.EqualFold(g.scope, "main"):
		words = append([]string{"release"}, words...)
	}
	return aboutReleasing(words)
}

func aboutReleasing(words []string) bool {
	versions, says, soft := 0, 0, 0
	for i, word := range words {
		word = strings.ToLower(strings.Trim(word, `:;,."'`+"`"))
		isWord, known := releaseWords[word]
		switch {
		case versionWord.MatchString(word):
			versions++
		case isWord:
			says++
		case versionWords[word]:
			soft++
		case known:
		case i > 0 && strings.EqualFold(words[i-1], "release") && beginsWithVersion(words[i+1:]):
			// "release NAME 1.2.0", "release NAME version 1.2.0"
		default:
			return false
		}
	}
	return says > 0 || versions > 0 && soft > 0 || versions == 1 && len(words) == 1
}

func beginsWithVersion(words []string) bool {
	if len(words) > 1 && strings.EqualFold(words[0], "version") {
		words = words[1:]
	}
	return len(words) > 0 && versionWord.MatchString(words[0])
}
