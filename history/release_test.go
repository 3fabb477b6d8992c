package history

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

// A want is what a selection should give: the release's names and its subjects.
type want struct {
	sel            Selection
	name, previous string
	subjects       string // newest first, separated by " | "
}

func at(revision string) Selection { return Selection{Revision: revision} }

func TestRelease(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		wants        []want
	}{
		{"newest tag by date is on a maintenance branch", `
			commit feat: a
			tag 1.0.0
			commit feat: b
			tag 2.0.0
			commit feat: d
			tag 2.1.0
			branch release/1 1.0.0
			at 1700090000
			commit fix: c
			tag 1.0.1
			checkout main
			commit feat: e
		`, []want{
			{at(""), "Unreleased", "2.1.0", "feat: e"},
			{at("2.1.0"), "2.1.0", "2.0.0", "feat: d"},
			{at("1.0.1"), "1.0.1", "1.0.0", "fix: c"},
		}},
		{"branch older than the tag is merged after it", `
			commit feat: base
			branch feature
			commit feat: f1
			checkout main
			commit feat: m1
			commit feat: m2
			tag v1.0.0
			checkout feature
			commit feat: f2
			checkout main
			merge feature Merge branch 'feature'
			tag v1.1.0
		`, []want{
			{at("v1.1.0"), "v1.1.0", "v1.0.0", "Merge branch 'feature' | feat: f2 | feat: f1"},
			{at("v1.0.0"), "v1.0.0", "", "feat: m2 | feat: m1 | feat: base"},
		}},
		{"tags on merge commits", `
			commit feat: one
			tag 0.1.0
			branch d2
			commit feat: two
			checkout main
			merge d2 Merge branch 'd2'
			tag 0.2.0
			branch d3
			commit feat: three
			checkout main
			merge d3 Merge branch 'd3'
			tag 0.3.0
		`, []want{{at("0.3.0"), "0.3.0", "0.2.0", "Merge branch 'd3' | feat: three"}}},
		{"order by number", `
			commit feat: zero
			tag v1.0.0
			commit feat: two
			tag v1.2.0
			commit feat: ten
			tag v1.10.0
		`, []want{
			{at("v1.10.0"), "v1.10.0", "v1.2.0", "feat: ten"},
			{at("v1.2.0"), "v1.2.0", "v1.0.0", "feat: two"},
		}},
		{"a final release covers its candidates", `
			commit feat: zero
			tag v1.0.0
			commit feat: one
			tag v1.1.0-rc.1
			commit feat: two
			tag v1.1.0-rc.2
			commit feat: three
			tag v1.1.0
		`, []want{
			{at("v1.1.0"), "v1.1.0", "v1.0.0", "feat: three | feat: two | feat: one"},
			{at("v1.1.0-rc.2"), "v1.1.0-rc.2", "v1.1.0-rc.1", "feat: two"},
			{at("v1.1.0-rc.1"), "v1.1.0-rc.1", "v1.0.0", "feat: one"},
			{Selection{To: "v1.1.0-rc.2~0", NextVersion: "v1.2.0"}, "v1.2.0", "v1.0.0", "feat: two | feat: one"},
		}},
		{"candidates are before their final", `
			commit feat: a
			tag v1.0.0-rc.1
			tag v1.0.0-rc.2
			commit feat: b
			tag v1.0.0
			commit feat: new
			tag v1.1.0
			commit fix: later
		`, []want{
			{at("v1.1.0"), "v1.1.0", "v1.0.0", "feat: new"},
			{at(""), "Unreleased", "v1.1.0", "fix: later"},
			{at("v1.0.0"), "v1.0.0", "", "feat: b | feat: a"},
		}},
		{"two packages on one commit", `
			commit feat: one
			tag Proj1-1.0.0
			tag Proj2-1.0.0
			commit feat!: two
			tag Proj1-2.0.0
			tag Proj2-2.0.0
		`, []want{
			{at("Proj2-2.0.0"), "Proj2-2.0.0", "Proj2-1.0.0", "feat!: two"},
			{Selection{TagPrefix: "Proj2-"}, "Proj2-2.0.0", "Proj2-1.0.0", "feat!: two"},
		}},
		{"moving tags", `
			commit feat: zero
			tag v1.0.0
			commit feat: one
			tag v1.1.0
			commit feat: two
			tag v1.2.0
			tag v1
			tag v1.2
			tag latest
			tag nightly
		`, []want{
			{at(""), "v1.2.0", "v1.1.0", "feat: two"},
			{at("v1.2.0"), "v1.2.0", "v1.1.0", "feat: two"},
			{at("v1"), "v1.2.0", "v1.1.0", "feat: two"},
		}},
		{"two numbers are a release of their own", `
			commit feat: zero
			tag go1.20
			commit fix: one
			tag go1.20.1
			commit feat: two
			tag go1.21
		`, []want{
			{at("go1.21"), "go1.21", "go1.20.1", "feat: two"},
			{at("go1.20.1"), "go1.20.1", "go1.20", "fix: one"},
		}},
		{"tag of a tag", `
			commit feat: initial feature
			commit fix: bug fix
			annotate rc-1
			annotate v0.1.0 rc-1
		`, []want{
			{at("v0.1.0"), "v0.1.0", "", "fix: bug fix | feat: initial feature"},
			{at(""), "v0.1.0", "", "fix: bug fix | feat: initial feature"},
		}},
		{"lightweight and annotated", `
			commit feat: one
			annotate v0.1.0
			commit feat: two
			tag v0.2.0
			commit feat: three
			tag v0.3.0
		`, []want{{at("v0.3.0"), "v0.3.0", "v0.2.0", "feat: three"}}},
		{"first release", `
			commit feat: root
			commit fix: next
			tag v0.1.0
		`, []want{{at("v0.1.0"), "v0.1.0", "", "fix: next | feat: root"}}},
		{"no tags", `
			commit feat: root
			commit fix: next
		`, []want{
			{at(""), "Unreleased", "", "fix: next | feat: root"},
			{Selection{NextVersion: "v0.1.0"}, "v0.1.0", "", "fix: next | feat: root"},
		}},
		{"after the tag", `
			commit feat: one
			tag v0.1.0
			commit feat: two
			tag v0.2.0
			commit fix: three
		`, []want{{Selection{NextVersion: "0.3.0"}, "0.3.0", "v0.2.0", "fix: three"}}},
		{"prefixes", `
			commit feat: foo one
			tag foo/0.1.0
			commit feat: bar one
			tag bar/2.0.0
			commit feat: pkg one
			tag packages-0.2.1
			commit feat: api one
			tag api/v1.0.0
			commit feat: api two
			tag api/v1.1.0
			commit fix: foo two
			commit fix: pkg two
			tag v9.9.9
		`, []want{
			{Selection{TagPrefix: "foo/"}, "Unreleased", "foo/0.1.0", "fix: pkg two | fix: foo two | feat: api two | feat: api one | feat: pkg one | feat: bar one"},
			{Selection{TagPrefix: "packages-"}, "Unreleased", "packages-0.2.1", "fix: pkg two | fix: foo two | feat: api two | feat: api one"},
			{at("api/v1.1.0"), "api/v1.1.0", "api/v1.0.0", "feat: api two"},
			{Selection{To: "api/v1.1.0", TagPrefix: "api/v"}, "api/v1.1.0", "api/v1.0.0", "feat: api two"},
		}},
		{"only prefixed tags", `
			commit feat: one
			tag web@1.0.0
			commit feat: two
			tag api@3.0.0
			commit feat: three
		`, []want{{at(""), "Unreleased", "api@3.0.0", "feat: three"}}},
		{"clocks go backwards", `
			commit feat: zero
			tag v1.0.0
			at 1500000000
			commit feat: skewed
			at 1700100000
			commit feat: normal
			tag v1.1.0
		`, []want{{at("v1.1.0"), "v1.1.0", "v1.0.0", "feat: normal | feat: skewed"}}},
		{"tag and branch of one name", `
			commit feat: zero
			tag v1.0.0
			commit feat: one
			tag v1.1.0
			branch v1.1.0
			commit feat: branch only
			checkout main
		`, []want{{at("v1.1.0"), "v1.1.0", "v1.0.0", "feat: one"}}},
		{"ranges", `
			commit feat: zero
			tag v1.0.0
			commit feat: one
			tag v1.1.0
			commit feat: two
			tag v1.2.0
			commit feat: three
		`, []want{
			{at("v1.0.0..v1.2.0"), "v1.2.0", "v1.0.0", "feat: two | feat: one"},
			{at("v1.1.0.."), "Unreleased", "v1.1.0", "feat: three | feat: two"},
			{at("..v1.1.0"), "v1.1.0", "v1.0.0", "feat: one"},
			{Selection{From: "v1.0.0"}, "Unreleased", "v1.0.0", "feat: three | feat: two | feat: one"},
			{at("HEAD~2..HEAD^"), "v1.2.0", "v1.1.0", "feat: two"},
			{at("main~3..main"), "Unreleased", "v1.0.0", "feat: three | feat: two | feat: one"},
		}},
		{"a lower version was released last", `
			commit feat: zero
			tag v9.0.0
			commit feat: one
			tag v1.0.0
		`, []want{{at("v1.0.0"), "v1.0.0", "v9.0.0", "feat: one"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			repo := openRepository(t, gittest.Build(t, tc.script))
			for _, want := range tc.wants {
				checkRelease(t, repo, want)
			}
		})
	}
}

func checkRelease(t *testing.T, repo *Repository, want want) {
	t.Helper()
	release, log := readRelease(t, repo, want.sel)
	if release.Name != want.name || release.PreviousTag != want.previous || !release.Complete || !log.Complete {
		t.Errorf("%+v: name %q, previous %q, complete %v; want %q, %q", want.sel, release.Name, release.PreviousTag, release.Complete, want.name, want.previous)
	}
	if (release.PreviousTag == "") != (release.From == "") {
		t.Errorf("%+v: previous tag %q, from %q", want.sel, release.PreviousTag, release.From)
	}
	if got := subjects(log); got != want.subjects {
		t.Errorf("%+v: commits %s\nwant %s", want.sel, got, want.subjects)
	}
}

func readRelease(t *testing.T, repo *Repository, sel Selection) (Release, Log) {
	t.Helper()
	release, err := repo.Release(t.Context(), sel)
	if err != nil {
		t.Fatalf("Release(%+v): %v", sel, err)
	}
	log, err := repo.Commits(t.Context(), release.From, release.To, nil)
	if err != nil {
		t.Fatalf("Commits of %+v: %v", sel, err)
	}
	return release, log
}

func subjects(log Log) string {
	var list []string
	for _, c := range log.Commits {
		subject, _, _ := strings.Cut(c.Message, "\n")
		list = append(list, subject)
	}
	return strings.Join(list, " | ")
}

func TestReleaseRefuses(t *testing.T) {
	repo := openRepository(t, gittest.Build(t, `
		commit feat: zero
		tag v1.0.0
		commit feat: one
		tag v1.1.0
	`))
	for _, tc := range []struct{ revision, message, nearest string }{
		{"v1.O.0", `no tag, branch or commit "v1.O.0"`, "v1.1.0 v1.0.0"},
		{"v1.0.0..nope", `no tag, branch or commit "nope"`, "v1.1.0 v1.0.0"},
		{"v1.1.0..v1.0.0", "reversed", ""},
		{"v1.0.0...v1.1.0", "three dots", ""},
		{"..", "no ends", ""},
		{"main@{1}", `no tag, branch or commit "main@{1}"`, "v1.1.0 v1.0.0"},
		{"HEAD~7", "has 0 parents", ""},
		{"HEAD^2", "has 1 parents", ""},
		{"HEAD^{tree}", "not supported", ""},
		{"0123456789012345678901234567890123456789", "no tag, branch or commit", "v1.1.0 v1.0.0"},
	} {
		_, err := repo.Release(t.Context(), at(tc.revision))
		if err == nil || !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%q: error %v, want %q", tc.revision, err, tc.message)
		}
		var unknown *UnknownRevisionError
		if errors.As(err, &unknown) && strings.Join(unknown.Nearest, " ") != tc.nearest {
			t.Errorf("%q: nearest %q, want %q", tc.revision, unknown.Nearest, tc.nearest)
		}
	}
	if _, err := repo.Release(t.Context(), Selection{Revision: "v1.1.0", To: "v1.0.0"}); err == nil {
		t.Error("a revision together with an end was accepted")
	}
}

func TestReleaseOfShallowClone(t *testing.T) {
	full := gittest.Build(t, `
		commit feat: zero
		tag v1.0.0
		commit feat: n1
		commit feat: n2
		commit feat: n3
	`)
	dir := filepath.Join(t.TempDir(), "shallow")
	gittest.Git(t, full, "clone", "-q", "--depth=2", "--no-tags", "file://"+full, dir)
	for _, previous := range []string{"", "v1.0.0"} {
		if previous != "" {
			gittest.Git(t, dir, "fetch", "-q", "--depth=1", "origin", "tag", previous)
		}
		release, log := readRelease(t, openRepository(t, dir), Selection{})
		if release.Complete || log.Complete || release.PreviousTag != previous || subjects(log) != "feat: n3 | feat: n2" {
			t.Errorf("with tag %q: %+v, %s", previous, release, subjects(log))
		}
	}
}

func TestUnreachableTag(t *testing.T) {
	repo := openRepository(t, gittest.Build(t, `
		commit feat: zero
		tag v1.0.0
		branch develop
		commit feat: one
		checkout main
		merge develop Release 1.1.0
		tag v1.1.0
		checkout develop
		commit feat: two
		mark old
		commit feat: three
	`))
	release, log := readRelease(t, repo, Selection{})
	if release.Unreachable != "v1.1.0" || release.PreviousTag != "v1.0.0" || subjects(log) != "feat: three | feat: two | feat: one" {
		t.Errorf("%+v: %s", release, subjects(log))
	}
	release, _ = readRelease(t, repo, at("v1.0.0~0"))
	if release.Unreachable != "" {
		t.Errorf("a tag that has the end in its history is called unreachable: %q", release.Unreachable)
	}
}

// TestTagsOnOtherObjects has tags with versions on a tree, on a blob and on what is
// missing.
func TestTagsOnOtherObjects(t *testing.T) {
	for _, pack := range []bool{false, true} {
		dir := gittest.Build(t, "file a one\ncommit feat: zero\ntag v1.0.0\ncommit feat: one\n")
		gittest.Git(t, dir, "tag", "v3.0.0", "HEAD^{tree}")
		gittest.Git(t, dir, "tag", "-a", "-m", "blob", "v2.0.0", "HEAD:a")
		if pack {
			gittest.Git(t, dir, "pack-refs", "--all")
		}
		repo := openRepository(t, dir)
		release, log := readRelease(t, repo, Selection{})
		if release.PreviousTag != "v1.0.0" || release.Unreachable != "" || subjects(log) != "feat: one" {
			t.Errorf("packed %v: %+v: %s", pack, release, subjects(log))
		}
		if _, err := repo.Release(t.Context(), at("v3.0.0")); err == nil || !strings.Contains(err.Error(), "names a tree") {
			t.Errorf("release of a tree: %v", err)
		}
	}
}

// TestMissingParent loses a commit, as a damaged or partial clone does.
func TestMissingParent(t *testing.T) {
	dir := gittest.Build(t, "commit feat: zero\ncommit feat: one\ncommit feat: two\n")
	lost := gittest.Git(t, dir, "rev-parse", "HEAD~2")
	if err := os.Remove(filepath.Join(dir, ".git", "objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	release, log := readRelease(t, openRepository(t, dir), Selection{})
	if log.Complete || subjects(log) != "feat: two | feat: one" {
		t.Errorf("%+v: complete %v, %s", release, log.Complete, subjects(log))
	}
}

func TestReleaseOfAnnotatedTag(t *testing.T) {
	repo := openRepository(t, gittest.Build(t, `
		commit feat: zero
		at 1700100000
		annotate v1.0.0
		  | Widget 1.0
		  |
		  | All of it.
	`))
	release, _ := readRelease(t, repo, Selection{})
	if want := "v1.0.0\nWidget 1.0\n\nAll of it."; release.TagMessage != want || release.Date.Unix() != 1700103600 {
		t.Errorf("message %q, date %v", release.TagMessage, release.Date)
	}
}

func TestShortHash(t *testing.T) {
	dir := gittest.Build(t, "commit feat: zero\ntag v1.0.0\ncommit feat: one\n")
	repo := openRepository(t, dir)
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	for _, name := range []string{head[:7], strings.ToUpper(head[:9]), head, "v1.0.0-1-g" + head[:8]} {
		release, err := repo.Release(t.Context(), at(name))
		if err != nil || release.To != head {
			t.Errorf("%q: %+v, %v", name, release, err)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"v1.0.0", "v1.o.0", 1}} {
		if got := []int{editDistance(tc.a, tc.b), editDistance(tc.b, tc.a)}; !slices.Equal(got, []int{tc.want, tc.want}) {
			t.Errorf("editDistance(%q, %q): %s", tc.a, tc.b, cmp.Diff(tc.want, got[0]))
		}
	}
}
