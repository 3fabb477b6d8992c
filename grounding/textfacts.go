package grounding

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

var (
	// "by @ann", "(@ann)", "thanks to @ann": who made the change that stands beside it.
	madeBy = regexp.MustCompile(`(?i)(?:\bby |\bthanks,? (?:to )?|\()\[?@([a-z\d][a-z\d-]*)(?:\[bot\])?\b`)
	// The page of a forge that compares two releases.
	compareAddress = regexp.MustCompile(`(https?://[^\s()<>\]]+?)(?:/-)?/compare/([^\s()<>\]]+?)\.{2,3}([^\s()<>\]]+)`)
)

// authors holds the people that an item names as makers against the changes that it
// names. Only where the logins of all authors are known can a name be wrong.
func (t *textCheck) authors(it textItem, ids []string) {
	logins := t.logins(ids)
	if logins == nil || thanks.MatchString(it.text) {
		return
	}
	for _, found := range madeBy.FindAllStringSubmatch(it.text, -1) {
		if !logins[strings.ToLower(found[1])] {
			t.add(it.line, notes.Finding{Code: notes.Unsupported, Changes: ids, Found: "@" + found[1], Expected: "the authors of the cited changes are others"})
		}
	}
}

// logins are those of the authors of some changes, in lower case; nil when one of them
// is not known.
func (t *textCheck) logins(ids []string) map[string]bool {
	logins := map[string]bool{}
	for _, id := range ids {
		for _, name := range t.scene.changes[id].Authors {
			i := slices.IndexFunc(t.manifest.Contributors, func(c changes.Contributor) bool { return c.Name == name })
			if i < 0 || t.manifest.Contributors[i].Login == "" {
				return nil
			}
			logins[strings.ToLower(t.manifest.Contributors[i].Login)] = true
			logins[strings.ToLower(name)] = true
		}
	}
	if len(logins) == 0 {
		return nil // machines
	}
	return logins
}

// compareLinks holds the links that compare releases of the repository against the range.
func (t *textCheck) compareLinks(it textItem) {
	r := t.manifest.Release
	for _, found := range compareAddress.FindAllStringSubmatch(it.text, -1) {
		if r.RepositoryURL == "" || !strings.EqualFold(found[1], r.RepositoryURL) {
			continue
		}
		if !isEnd(found[2], r.PreviousTag, r.From) || r.Tag != "" && !isEnd(found[3], r.Tag, r.To) {
			t.add(it.line, notes.Finding{Code: notes.Unsupported, Found: found[0], Expected: "the release is " + r.PreviousTag + "..." + r.Name})
		}
	}
}

// isEnd reports whether the escaped name of a revision is that of a tag, or of its commit.
func isEnd(escaped, tag, hash string) bool {
	name, err := url.PathUnescape(escaped)
	return err == nil && (name == tag || len(name) >= 7 && strings.HasPrefix(hash, name))
}
