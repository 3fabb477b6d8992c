package changes

import (
	"regexp"
	"strconv"
	"strings"
)

// referenceForm is an issue or pull request in any of the ways people write one:
// its address, "owner/name#12", "#12", GitLab's "!12", "GH-12", and the key of
// another tracker.
var referenceForm = regexp.MustCompile(`https?://[^\s/<>()]+/([\w.-]+(?:/[\w.-]+)+?)(?:/-)?/(?:issues|pull|pulls|pull-requests|merge_requests|work_items)/(\d{1,9})\b` +
	`|([A-Za-z\d][\w.-]*(?:/[\w.-]+)+)?[#!]([1-9]\d{0,8})\b` +
	`|\bGH-([1-9]\d{0,8})\b` +
	`|\b([A-Z][A-Z\d]+-[1-9]\d{0,6})\b`)

var (
	// closing is what stands right before a reference that the change closes: the
	// words of GitHub, GitLab and Gitea.
	closing = regexp.MustCompile(`(?i)(?:^|[^\w-])(?:close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving)(?: (?:issues?|bugs?))?:?\s+$`)
	listed  = regexp.MustCompile(`^\s*(?:,|and|&|, and)\s*$`)
	colour  = regexp.MustCompile(`(?i)\bcolou?rs?:?\s*$`)
	code    = regexp.MustCompile("`[^`\n]*`")
)

// noTracker are the words before a dash and a number that are no project of a tracker.
var noTracker = map[string]bool{
	"CVE": true, "CWE": true, "GHSA": true, "UTF": true, "SHA": true, "AES": true, "RSA": true, "ISO": true, "RFC": true, "HTTP": true, "TLS": true, "GPT": true,
	"MD": true, "GH": true, "UCS": true, "CRC": true, "IPV": true, "PEP": true, "ECMA": true, "ES": true, "JDK": true, "RHEL": true, "ED": true, "IEEE": true,
	"GPL": true, "LGPL": true, "AGPL": true, "BSD": true, "X": true, "COVID": true, "MP": true, "WIN": true, "APACHE": true, "X86": true, "ARM": true,
	"DSA": true, "TIER": true, "PR": true, "MR": true, "QUIC": true, "BASE": true, "ANSI": true, "WCAG": true, "ARMV": true, "RC": true, "HMAC": true, "SSE": true,
}

// references returns what the group names, in the order of appearance, without
// its own pull request.
func (g *group) references(forge Forge) []Reference {
	var found referenceList
	add := func(m message, quotes bool) {
		found.read(m.subject, true, forge)
		if !quotes {
			found.readBody(m.body, forge)
			for _, note := range m.notes {
				found.readBody(note, forge)
			}
		}
		for _, t := range m.trailers {
			found.read(t.key+": "+t.value, true, forge)
		}
	}
	add(g.message, g.byDependencyBot())
	if g.merged {
		for _, c := range g.ownCommits() {
			add(c.message, c.quotes)
		}
	}
	return found.without(g.number)
}

type referenceList []Reference

// readBody reads prose: code and comments, as templates have them, are left out.
func (l *referenceList) readBody(body string, forge Forge) {
	if !strings.ContainsAny(body, "#-/") {
		return
	}
	var state blockState
	for line := range strings.SplitSeq(body, "\n") {
		inside := state.inside()
		state.read(line)
		if !inside && !state.inside() && !strings.Contains(line, "<!--") {
			l.read(line, false, forge)
		}
	}
}

// read adds the references of a line. Keys of other trackers look like much else,
// so that in prose they count only where something is said to be closed.
func (l *referenceList) read(line string, keys bool, forge Forge) {
	if !strings.ContainsAny(line, "0123456789") {
		return
	}
	line = code.ReplaceAllString(line, "``")
	end, closes := 0, false
	for _, at := range referenceForm.FindAllStringSubmatchIndex(line, -1) {
		r, ok := newReference(line, at, forge)
		before := line[end:at[0]]
		closes = closing.MatchString(before) || closes && listed.MatchString(before)
		end = at[1]
		if r.Closes = closes; ok && (r.Key == "" || keys || closes) {
			l.add(r)
		}
	}
}

// newReference reads the match of referenceForm at the indexes at of line.
func newReference(line string, at []int, forge Forge) (r Reference, ok bool) {
	part := func(i int) string {
		if at[2*i] < 0 {
			return ""
		}
		return line[at[2*i]:at[2*i+1]]
	}
	r.Repository, r.Key = part(1)+part(3), part(6)
	r.Number, _ = strconv.Atoi(part(2) + part(4) + part(5))
	if strings.EqualFold(r.Repository, forge.repository()) {
		r.Repository = ""
	}
	if r.Key != "" {
		project, _, _ := strings.Cut(r.Key, "-")
		return r, !noTracker[project] && !strings.HasPrefix(line[at[1]:], "-") && !precededByWord(line, at[0])
	}
	if part(4) != "" && line[at[8]-1] == '!' && part(3) == "" && forge.Kind != GitLab {
		return r, false // an exclamation
	}
	if rest := line[at[1]:]; len(rest) > 1 && rest[0] == '.' && '0' <= rest[1] && rest[1] <= '9' || colour.MatchString(line[max(0, at[0]-16):at[0]]) {
		return r, false // a version, or a colour
	}
	if part(3) == "" && len(part(4)) == 6 && !introduces.MatchString(line[:at[0]]) && !strings.HasPrefix(line[at[1]:], ")") {
		return r, false // more likely a colour in hexadecimal
	}
	return r, r.Number > 0 && !precededByWord(line, at[0])
}

// introduces is a word before a number that says that it is one of an issue.
var introduces = regexp.MustCompile(`(?i)(?:\b(?:close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|refs?|references?|see|issues?|bugs?|pr|pull request|part of|related to|relates to|for|of|and|in|by|since)\b:?\s*(?:#\d+(?:,| and|,and)?\s*)*|^\s*[-*]?\s*)$`)

// precededByWord keeps out "C#12", "&#39;" and parts of addresses.
func precededByWord(line string, at int) bool {
	return at > 0 && (strings.IndexByte("&#/-_@.", line[at-1]) >= 0 || isAlphanumeric(line[at-1]))
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z'
}

func (l *referenceList) add(r Reference) {
	for i, known := range *l {
		if known.Repository == r.Repository && known.Number == r.Number && known.Key == r.Key {
			(*l)[i].Closes = known.Closes || r.Closes
			return
		}
	}
	if len(*l) < maxReferences {
		*l = append(*l, r)
	}
}

// maxReferences bounds the work on messages that are lists of numbers.
const maxReferences = 200

// without returns the list without the pull request of that number.
func (l referenceList) without(number int) []Reference {
	var kept []Reference
	for _, r := range l {
		if r.Repository != "" || r.Key != "" || r.Number != number {
			kept = append(kept, r)
		}
	}
	return kept
}
