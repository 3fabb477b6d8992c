package grounding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/changes"
)

func TestCheckText(t *testing.T) {
	hash := strings.Repeat("0a1b2c3d4e", 4)
	m := changes.Manifest{Changes: []changes.Change{
		{ID: "c1", Kind: changes.Feature, Title: "list widgets", PullRequest: 11, References: []changes.Reference{{Number: 7}}, Commits: []string{strings.Repeat("f", 40)}},
		{ID: "c2", Kind: changes.Fix, Title: "off by one", Commits: []string{hash}},
		{ID: "c3", Kind: changes.Feature, Title: "drop colours", Breaking: true, PullRequest: 13, Commits: []string{strings.Repeat("d", 40)}},
	}}
	const broken = "* drop colours (#13)\n"
	for _, tc := range []struct{ name, text, want string }{
		{"holds", broken + "* list widgets by @ann in https://github.com/acme/w/pull/11\n* off by one (" + hash[:7] + ")\n", ""},
		{"breaking is missing", "* list widgets (#11)\n", "0 missing-breaking drop colours"},
		{"another release", broken + "\n- x (#99)\n- y (https://github.com/acme/w/commit/1234567)\n", "3 unknown-change #99; 4 unknown-change 1234567"},
		{"an issue that a change names", broken + "- list widgets (#11, closes #7)\n", ""},
		{"twice", broken + "- list (#11)\n- list (#11)\n", "3 duplicate #11"},
		{"thanks are no repetition", broken + "- list (#11)\n* @ann made their first contribution in #11\n", ""},
		{"a detail out of the air", broken + "- list `widget --all`, 3 at a time (#11)\n", "2 unsupported `widget --all`; 2 unsupported 3"},
		{"an item over two lines", broken + "- list\n  widgets with --many\n  (#11)\n", "2 unsupported --many"},
		{"what names nothing is not judged", broken + "- 100 improvements\n\nSee https://example.com/abcdef1 for v9.9.9.\n", ""},
		{"code and headings are no items", broken + "```\n#99\n```\n## 2.0 (#99)\n", ""},
		{"words that look like hashes", broken + "- defaced facade 1234567\n", ""},
		{"line ends", strings.ReplaceAll(broken+"- x (#99)\n", "\n", "\r\n"), "2 unknown-change #99"},
	} {
		var got []string
		for _, f := range CheckText(tc.text, m, nil) {
			got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Code, f.Found))
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// FuzzCheckText: no text makes the check fail or go on without end, and lines are those
// of the text.
func FuzzCheckText(f *testing.F) {
	f.Add("- x (#11)\n\n```\n* y `--z` from 1 to 2 https://a/pull/3 @b\n")
	m, evidence := bornOut()
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range CheckText(text, m, evidence) {
			if found.Line < 0 || found.Line > strings.Count(text, "\n")+1 {
				t.Errorf("line %d of %d", found.Line, strings.Count(text, "\n")+1)
			}
		}
	})
}
