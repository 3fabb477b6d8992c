package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferences(t *testing.T) {
	issue := func(n int) Reference { return Reference{Number: n} }
	closed := func(n int) Reference { return Reference{Number: n, Closes: true} }
	tests := []struct {
		message string
		want    []Reference
	}{
		{"fix: x (#12)\n\nCloses #3, #4 and #5. See #6.", []Reference{closed(3), closed(4), closed(5), issue(6)}},
		{"Fix #7: crash", []Reference{closed(7)}},
		{"fix: x\n\nFixes: #8\nRefs: acme/other#9, GH-10", []Reference{closed(8), {Repository: "acme/other", Number: 9}, issue(10)}},
		{"fix: x\n\nresolves https://github.com/acme/widget/issues/11\nsee https://gitlab.com/a/b/c/-/issues/12", []Reference{closed(11), {Repository: "a/b/c", Number: 12}}},
		{"feat: PROJ-12 crash in UTF-8 and SHA-256\n\nAlso ABC-1.\nFixes XYZ-3.", []Reference{{Key: "PROJ-12"}, {Key: "XYZ-3", Closes: true}}},
		{"fix: C#12, &#39;, #0, x#13 and `#14`\n\n```\nFixes #15\n```\n<!-- Fixes #16 -->\n<!--\nFixes #17\n-->", nil},
		{"fix: prefix #18 of acme/widget#19", []Reference{issue(18), issue(19)}},
		{"feat!: s\n\nBREAKING CHANGE: gone.\n\n## Related\n\n<!-- session 123 -->\nFixes #1476.\nSigned-off-by: Ann <a@example.com>", []Reference{closed(1476)}},
		{"Bump x from 1.0 to 1.1 (#20)\n\nBumps x from 1.0 to 1.1.\n- fixes #21", nil},
		{"fix: from #336699 to #112233, fixes #123456 (#654321)", []Reference{closed(123456)}},
		{"fix: no exclamation !12, wow !13", nil},
		{"fix: a\n\nFixes #22\nand fixes #22, see #22", []Reference{closed(22)}},
	}
	gitLab := &Options{Forge: ParseRemote("https://gitlab.com/acme/widget")}
	m := Collect(Release{}, []Commit{{Hash: "a", Message: "fix: x\n\nSee !12 and acme/other!13, wow!14"}}, gitLab)
	if diff := cmp.Diff([]Reference{issue(12), {Repository: "acme/other", Number: 13}}, m.Changes[0].References); diff != "" {
		t.Errorf("merge requests -want +got:\n%s", diff)
	}
	for _, test := range tests {
		opts := &Options{Forge: ParseRemote("https://github.com/acme/widget")}
		m := Collect(Release{}, []Commit{{Hash: "a", Message: test.message}}, opts)
		if diff := cmp.Diff(test.want, m.Changes[0].References); diff != "" {
			t.Errorf("%q -want +got:\n%s", test.message, diff)
		}
	}
}
