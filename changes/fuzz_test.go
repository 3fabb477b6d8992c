package changes

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzCollect: whatever a message holds, every commit ends up in one change or in
// none, and what comes out is text that can be shown.
func FuzzCollect(f *testing.F) {
	for _, seed := range []string{
		"feat(a)!: b (#12)\n\n* c\n\nBREAKING CHANGE: d\n\n```\nx\n```\n\nCo-authored-by: E <e@example.com>\n",
		"Merge pull request #12 from acme/x\n\nfix: y\n\nFixes #3\n",
		"Merge #12 #13\n\n12: a r=b a=c\n\n13: d\n",
		"Revert \"Revert \"x\"\"\n\nThis reverts commit 1234567, 89abcdef.\n",
		"Merge branch 'x' into 'main'\n\nTitle\n\nSee merge request g/p!12\n",
		"revert: x\n\nRefs: abcdef1\n", "Bump [x](https://y) from 1.0 to v2.0 in /z\n", "✨ x\x1b[31m\u202e\xff\r\n\r\n\r",
		"BREAKING CHANGE:", ":", "(#1)", "Merge PR #1", "#:\n\n \n: \n\t", "fix:\n\n---\n#  >8 \n",
	} {
		f.Add(seed, "Ann <ann@example.com> <x>", true)
	}
	f.Fuzz(func(t *testing.T, message, mailmap string, merge bool) {
		tip := Commit{Hash: "c0ffee1", Parents: []string{"abcdef1"}, Author: Person{"Ann", "ann@example.com"}, Message: message}
		if merge {
			tip.Parents = append(tip.Parents, "1234567")
		}
		commits := []Commit{tip, {Hash: "1234567", Message: "feat: x"}, {Hash: "abcdef1", Message: message}}
		m := Collect(Release{}, commits, &Options{Mailmap: mailmap, Forge: ParseRemote("https://github.com/acme/widget")})
		seen := map[string]bool{}
		for _, c := range m.Changes {
			for _, hash := range c.Commits {
				if seen[hash] {
					t.Errorf("%s is in two changes", hash)
				}
				seen[hash] = true
			}
			texts := append([]string{c.Title, c.Body, c.BreakingNote, c.Scope}, c.Details...)
			for _, text := range append(texts, c.Authors...) {
				checkText(t, text)
			}
			if strings.Contains(c.Title, "\n") {
				t.Errorf("title %q", c.Title)
			}
		}
	})
}

func checkText(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return isInvisible(r) || unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		t.Errorf("%q holds what can't be seen", text)
	}
}

// FuzzParseMessage: the parts are parts of the message.
func FuzzParseMessage(f *testing.F) {
	f.Add("feat: a\n\nb\n\nBREAKING CHANGE: c\nd\n\nSigned-off-by: E <e@x>\n f\n")
	f.Add("a\nb\n\n**BREAKING CHANGE**: c\n\n- d\n\n(cherry picked from commit 1234567)\nX: y\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := parseMessage(text)
		if strings.ContainsAny(m.subject, "\n\r") {
			t.Errorf("subject %q", m.subject)
		}
		for _, note := range m.notes {
			if note == "" || !m.breaks {
				t.Errorf("note %q", note)
			}
		}
		for _, tr := range m.trailers {
			if tr.key == "" || strings.Contains(tr.value, "\n") {
				t.Errorf("trailer %q", tr)
			}
		}
		if len(m.body) > len(text) {
			t.Errorf("the body grew: %q", m.body)
		}
	})
}
