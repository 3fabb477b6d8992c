package changes

import (
	"regexp"
	"strings"
)

// A header is a subject taken apart.
type header struct {
	typ         string // in lower case; empty outside the convention
	scope       string
	title       string
	breaking    bool
	pullRequest int
}

// conventional is the header of Conventional Commits 1.0.0, read leniently: an
// emoji before it, capitals, spaces, any scope, "!" on either side of the scope.
var conventional = regexp.MustCompile(`^(?:(?::[a-z0-9_+-]+:|[^\x00-\x7f]+)\s*)*([A-Za-z][A-Za-z0-9_-]*|BREAKING[ -]CHANGE)\s*(!?)\s*(?:\(([^()]*)\))?\s*(!?)\s*:(\s*)(\S.*)$`)

// gitmoji is an emoji, or its name, at the start of a subject.
var gitmoji = regexp.MustCompile(`^((?::[a-z0-9_+-]+:|[^\x00-\x7f]+)\s*)+`)

func parseHeader(subject string) header {
	subject, number := pullRequestSuffix(subject)
	h := header{title: subject, pullRequest: number}
	m := conventional.FindStringSubmatch(subject)
	if m == nil {
		return h
	}
	typ := strings.ToLower(m[1])
	_, known := kindOfType[typ]
	switch {
	case m[5] == "" && !known: // a name with a colon in it, as in std::move or c:\
		return h
	case typ == "breaking change" || typ == "breaking-change":
		h.title, h.breaking = m[6], true
		return h
	case notTypes[typ]:
		return h
	}
	h.typ, h.scope, h.title = typ, strings.TrimSpace(m[3]), m[6]
	h.breaking = m[2] != "" || m[4] != ""
	if !known && h.scope == "" {
		h.scope = m[1] // "net: …", as in Go: what stands before the colon is where
	}
	return h
}

// notTypes are words that people put before a colon without meaning a type.
var notTypes = map[string]bool{"note": true, "todo": true, "warning": true, "re": true, "fwd": true, "http": true, "https": true}

// suffixes hold the pull request number that forges put behind the title of a
// squashed commit: "(#12)", Bitbucket's "(pull request #12)", GitLab's "(!12)".
var suffix = regexp.MustCompile(`\s*\((?:pull request )?[#!](\d{1,9})\)\s*$`)

// azure is the prefix of Azure DevOps for merged and for squashed pull requests.
var azure = regexp.MustCompile(`^Merged PR (\d{1,9}):\s*(\S.*)$`)

func pullRequestSuffix(subject string) (string, int) {
	if m := azure.FindStringSubmatch(subject); m != nil {
		return m[2], atoi(m[1])
	}
	m := suffix.FindStringSubmatchIndex(subject)
	if m == nil || m[0] == 0 {
		return subject, 0
	}
	return subject[:m[0]], atoi(subject[m[2]:m[3]])
}

// atoi converts at most nine digits.
func atoi(digits string) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}
