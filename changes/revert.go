package changes

import (
	"regexp"
	"slices"
	"strings"
)

// A revert is what a message says of the change that it takes back.
type revert struct {
	title  string   // subject of the change
	hashes []string // perhaps short
	pulls  []int
}

var (
	revertQuoted = regexp.MustCompile(`^(?:Revert|Reapply|Roll ?back)\s+["“'](.+)["”']\s*(?:\([#!]\d+\))?$`)
	revertTyped  = regexp.MustCompile(`(?i)^revert(?:\([^)]*\))?!?:\s*(.+?)\s*(?:\([#!]\d+\))?$`)
	revertHash   = regexp.MustCompile(`(?i)\b(?:reverts?|reverting|refs?:?)\s+(?:commits?\s+)?([0-9a-f]{7,40}(?:(?:,|\s+and)\s*[0-9a-f]{7,40})*)\b`)
	revertPull   = regexp.MustCompile(`(?i)\breverts?\s+(?:pull request |merge request )?(?:[\w.-]+/[\w./-]+)?[#!](\d{1,9})\b`)
	hexRun       = regexp.MustCompile(`[0-9a-f]{7,40}`)
)

// revertOf reads a message that takes something back; false when it does not. A
// partial revert is a change of its own.
func revertOf(m message) (revert, bool) {
	var r revert
	if g := revertQuoted.FindStringSubmatch(m.subject); g != nil {
		r.title = g[1]
		if strings.HasPrefix(m.subject, "Reapply") {
			r.title = `Revert "` + r.title + `"`
		}
	} else if g := revertTyped.FindStringSubmatch(m.subject); g != nil {
		r.title = g[1]
	} else {
		return revert{}, false
	}
	text := m.body
	for _, t := range m.trailers {
		text += "\n" + t.Key + ": " + t.Value
	}
	for _, g := range revertHash.FindAllStringSubmatch(strings.ToLower(text), -1) {
		r.hashes = append(r.hashes, hexRun.FindAllString(g[1], -1)...)
	}
	for _, g := range revertPull.FindAllStringSubmatch(text, -1) {
		r.pulls = append(r.pulls, atoi(g[1]))
	}
	return r, true
}

// cancelReverts marks changes that were taken back in the release, and what took
// them back. It goes from the newest: a revert that is itself reverted has no
// effect. What reverts something released earlier stays, under its title.
func cancelReverts(list []draftChange) {
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		if c.revert == nil || c.Reverted {
			continue
		}
		if j := findReverted(list[:i], *c.revert); j >= 0 {
			list[j].Reverted, c.Reverted = true, true
			continue
		}
		inner := parseHeader(strings.TrimSuffix(strings.TrimPrefix(c.revert.title, `Revert "`), `"`))
		c.Scope, c.Title, c.Hidden, c.Kind = inner.scope, inner.title, false, Revert
		if strings.HasPrefix(c.subject, "Reapply") {
			c.Kind = Feature
			if kind, known := classify(inner, inner.title); known {
				c.Kind, c.Hidden = kind, kind == Internal
			}
		}
	}
}

// findReverted returns the newest change that r takes back whole, -1 if there is
// none.
func findReverted(earlier []draftChange, r revert) int {
	for i := len(earlier) - 1; i >= 0; i-- {
		c := earlier[i]
		if c.Reverted {
			continue
		}
		switch {
		case len(r.hashes) > 0:
			if c.isCommit(r.hashes) {
				return i
			}
		case len(r.pulls) > 0:
			if slices.Contains(r.pulls, c.PullRequest) && c.PullRequest != 0 {
				return i
			}
		case c.subject == r.title, withoutSuffix(c.subject) == withoutSuffix(r.title):
			return i
		}
	}
	return -1
}

func withoutSuffix(subject string) string {
	subject, _ = pullRequestSuffix(subject)
	return subject
}

// isCommit reports whether hashes name the commit that stands for the change, its
// only other one, or all of them.
func (c draftChange) isCommit(hashes []string) bool {
	named := func(full string) bool {
		return slices.ContainsFunc(hashes, func(h string) bool { return strings.HasPrefix(full, h) })
	}
	if named(c.Commits[0]) {
		return true
	}
	rest := c.Commits[1:]
	return len(rest) > 0 && !slices.ContainsFunc(rest, func(h string) bool { return !named(h) })
}
