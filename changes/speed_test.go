package changes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// BenchmarkCollect measures a release of 25,000 commits, a third of them merges.
func BenchmarkCollect(b *testing.B) {
	commits := longHistory(25000)
	for b.Loop() {
		Collect(Release{}, commits, &Options{Forge: ParseRemote("https://github.com/acme/widget")})
	}
}

// TestLargeInput: no shape of a large input keeps it from ending; a test that does
// not end is one that fails.
func TestLargeInput(t *testing.T) {
	nested := []Commit{{Hash: "0", Message: "feat: x"}}
	for i := range 20000 { // every commit merges the one before it from the side
		nested = append(nested, Commit{Hash: fmt.Sprintf("%040x", i), Parents: []string{"f", nested[i].Hash}, Message: "Merge branch 'x'"})
	}
	slices.Reverse(nested)
	inputs := map[string][]Commit{
		"long history":      longHistory(25000),
		"nested merges":     nested,
		"one huge message":  {{Hash: "a", Message: "feat: x (#1)\n\n" + strings.Repeat("* fix #12, see acme/w#13 <a@b.c>\n\n", 30000)}},
		"one huge line":     {{Hash: "a", Message: "feat: x\n\n" + strings.Repeat("Fixes #1, a: b ", 60000)}},
		"one huge subject":  {{Hash: "a", Message: strings.Repeat("Revert \"", 50000)}},
		"brackets":          {{Hash: "a", Message: "fix(" + strings.Repeat("(", 100000) + "): x"}},
		"numbers":           {{Hash: "a", Message: "fix: x " + strings.Repeat("(#1) ", 50000) + "(#2)"}},
		"breaking footers":  {{Hash: "a", Message: "fix: x\n\n" + strings.Repeat("BREAKING CHANGE: y\n", 50000)}},
		"reverted commits":  {{Hash: "a", Message: "Revert x\n\nThis reverts commits " + strings.Repeat("1234567, ", 50000)}},
		"trailers":          {{Hash: "a", Message: "fix: x\n\n" + strings.Repeat("A: b\n c\n", 50000)}},
		"continuation only": {{Hash: "a", Message: "fix: x\n\n" + strings.Repeat(" c\n", 50000) + "A: b"}},
	}
	for name, commits := range inputs {
		t.Run(name, func(t *testing.T) {
			if m := Collect(Release{}, commits, nil); len(m.Changes) == 0 {
				t.Error("there are no changes")
			}
		})
	}
}

func longHistory(n int) []Commit {
	commits := make([]Commit, n)
	hash := func(i int) string { return fmt.Sprintf("%040x", i) }
	for i := range commits {
		c := Commit{Hash: hash(i), Author: Person{fmt.Sprintf("Person Number%d", i%300), fmt.Sprintf("p%d@example.com", i%300)}}
		c.Message = fmt.Sprintf("feat(mod%d): change number %d\n\nSome text about it.\n\nFixes #%d\nSigned-off-by: Ann Author <ann@example.com>\n", i%40, i, i)
		c.Parents = []string{hash(i + 1)}
		if i%3 == 0 {
			c.Parents = []string{hash(i + 2), hash(i + 1)}
			c.Message = fmt.Sprintf("Merge pull request #%d from acme/x\n\nTitle %d\n", i, i)
		} else if i%3 == 1 {
			c.Parents = []string{hash(i + 2)}
		}
		if i%50 == 1 && i > 0 {
			c.Message = fmt.Sprintf("Revert \"x\"\n\nThis reverts commit %s.\n", hash(i+30))
		}
		commits[i] = c
	}
	return commits
}
