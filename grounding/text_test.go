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
	m := changes.Manifest{Release: changes.Release{Name: "v1.1.0", Tag: "v1.1.0", PreviousTag: "v1.0.0", RepositoryURL: "https://github.com/acme/w"}, Contributors: []changes.Contributor{
		{Name: "Ann Author", Login: "ann"}, {Name: "Bob Builder"},
	}, Changes: []changes.Change{
		{ID: "c1", Kind: changes.Feature, Title: "list widgets", PullRequest: 11, Authors: []string{"Ann Author"}, References: []changes.Reference{{Number: 7}}, Commits: []string{strings.Repeat("f", 40)}},
		{ID: "c2", Kind: changes.Fix, Title: "off by one", Authors: []string{"Ann Author", "Bob Builder"}, Commits: []string{hash}},
		{ID: "c3", Kind: changes.Feature, Title: "drop colours", Breaking: true, PullRequest: 13, Commits: []string{strings.Repeat("d", 40)}},
	}}
	const broken = "* drop colours (#13)\n"
	for _, tc := range []struct{ name, text, want string }{
		{"holds", broken + "* list widgets by @ann in https://github.com/acme/w/pull/11\n* off by one (" + hash[:7] + ")\n", ""},
		{"breaking is missing", "* list widgets (#11)\n", "0 missing-breaking drop colours"},
		{"another release", broken + "\n- x (#99)\n- y (https://github.com/acme/w/commit/1234567)\n", "3 unknown-change #99; 4 unknown-change 1234567"},
		{"an issue that a change names", broken + "- list widgets (#11, closes #7)\n", ""},
		{"twice", broken + "- list (#11)\n- list (#11)\n", "3 duplicate #11"},
		{"two things of one change", broken + "- list (#11)\n- sort by name (#11)\n", ""},
		{"an issue that nothing names", broken + "- list (#11), see issue #98 and #97, fixes #96\n", ""},
		{"somebody else", broken + "- list by @eve (#11)\n- off by one (" + hash[:7] + ") (@eve)\n", "2 unsupported @eve"},
		{"a label", broken + "- `[@acme/core-2]` list (#11)\n- **v9:** list widgets (#11)\n", "3 duplicate #11"},
		{"a name with a number", broken + "- list (#11) (Pixel998)\n", ""},
		{"other releases compared", broken + "\n**Full Changelog**: https://github.com/acme/w/compare/v0.9.0...v1.1.0\n[v1.1.0]: https://github.com/acme/w/compare/v1.0.0...v1.1.0\n", "3 unsupported https://github.com/acme/w/compare/v0.9.0...v1.1.0"},
		{"a digest that nothing names", "* drop colours of 0a0a0a1 (#13)\n", "1 unknown-change 0a0a0a1"},
		{"a number that the history does not hold", broken + "- An off by one error (#77)\n", ""},
		{"a name in code", "* drop colours of `@colour_list` (#13)\n", "1 unsupported `@colour_list`"},
		{"an address of a package", broken + "- list fflate@0.8.2 (#11)\n", "2 unsupported 0.8.2"},
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
