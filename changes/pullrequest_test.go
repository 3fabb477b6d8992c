package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithPullRequests(t *testing.T) {
	commit := func(hash, author, message string) Commit {
		return Commit{Hash: hash, Author: Person{author, author + "@example.com"}, Message: message}
	}
	before := Collect(Release{}, []Commit{
		commit("a", "Ann", "Add things (#1)"),
		commit("b", "Bob", "fix: old words (#2)"),
		commit("c", "Cy", "Various (#3)"),
		commit("d", "Dan", "feat: direct"),
		commit("e", "Eve", "Bump foo from 1.0.0 to 1.1.0 (#5)"),
		commit("f", "Fay", "Tidy (#6)"),
	}, nil)
	kept := cmp.Diff(nil, before)
	after := WithPullRequests(before, map[int]PullRequest{
		1: {Number: 1, Title: "Add things, for good", Labels: []string{"kind/bug", "area/docs"}, Author: "ann-dev", Body: "Why.\r\n<!-- template -->\n"},
		2: {Number: 2, Title: "feat(api)!: new words (#2)", Author: "bob-dev"},
		3: {Number: 3, Title: "\x1b[31mVarious\n", Labels: []string{"Type: Security", "enhancement", "Breaking Change"}, Author: "dependabot[bot]"},
		5: {Number: 5, Title: "Bump foo", Labels: []string{"dependencies"}},
		6: {Number: 6, Labels: []string{"skip-changelog"}},
	})
	type summary struct {
		Kind             Kind
		Scope, Title     string
		Body             string
		Breaking, Hidden bool
	}
	var got []summary
	for _, c := range after.Changes {
		got = append(got, summary{c.Kind, c.Scope, c.Title, c.Body, c.Breaking, c.Hidden})
	}
	want := []summary{
		{Internal, "", "Tidy", "", false, true},
		{DependencyUpdate, "", "Bump foo from 1.0.0 to 1.1.0", "", false, false},
		{Feature, "", "direct", "", false, false},
		{Security, "", "Various", "", true, false},
		{Feature, "api", "new words", "", true, false},
		{Fix, "", "Add things, for good", "Why.", false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	var names []string
	for _, c := range after.Contributors {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"ann-dev", "bob-dev", "Cy", "Dan", "Eve", "Fay"}, names); diff != "" {
		t.Errorf("contributors (-want +got):\n%s", diff)
	}
	if cmp.Diff(nil, before) != kept {
		t.Error("the manifest that was given has changed")
	}
}

func TestLabelWord(t *testing.T) {
	for label, want := range map[string]string{
		"bug": "bug", "kind/bug": "bug", "Type: Bug": "bug", "C-bug": "bug", "breaking change": "breaking-change", "semver:major": "major",
		"area/docs": "area/docs", "good first issue": "good-first-issue", "": "",
	} {
		if got := labelWord(label); got != want {
			t.Errorf("labelWord(%q) = %q, want %q", label, got, want)
		}
	}
}

func TestIssuesThatPullRequestsClose(t *testing.T) {
	m := Collect(Release{}, []Commit{
		{Hash: "a", Message: "Sort (#1)\n\nFixes #5"},
		{Hash: "b", Message: "Bump foo from 1.0.0 to 1.1.0 (#2)"},
	}, &Options{Forge: ParseRemote("https://github.com/acme/widget")})
	m = WithPullRequests(m, map[int]PullRequest{
		1: {Number: 1, Title: "Sort", Body: "See #6. Closes #7, #5 and acme/other#8, resolves https://github.com/acme/widget/issues/9.\n<!-- closes #10 -->\n```\ncloses #11\n```\nFixes #1"},
		2: {Number: 2, Title: "Bump foo", Body: "Closes #12"},
	})
	m = WithIssues(m, map[int]string{5: "It is\x1b[31m not\nsorted", 6: "no", 7: "Seven", 8: "no"})
	want := []Reference{
		{Number: 5, Closes: true, Title: "It is not sorted"}, {Number: 7, Closes: true, Title: "Seven"},
		{Repository: "acme/other", Number: 8, Closes: true}, {Number: 9, Closes: true},
	}
	for _, c := range m.Changes {
		expected := map[int][]Reference{1: want}[c.PullRequest]
		if diff := cmp.Diff(expected, c.References); diff != "" {
			t.Errorf("#%d (-want +got):\n%s", c.PullRequest, diff)
		}
	}
}
