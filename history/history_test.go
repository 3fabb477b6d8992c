package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

// TestCommitsAgreesWithGit compares ranges of random histories, with merges, several
// roots and clocks that go backwards, with the difference of what git rev-list
// lists for the two ends.
func TestCommitsAgreesWithGit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		dir := gittest.Build(t, randomHistory(rnd))
		repo, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		heads := strings.Fields(gittest.Git(t, dir, "for-each-ref", "--format=%(objectname)"))
		for range 8 {
			from, to := heads[rnd.IntN(len(heads))], heads[rnd.IntN(len(heads))]
			log, err := repo.Commits(t.Context(), from, to, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, c := range log.Commits {
				got = append(got, c.Hash)
			}
			// Not rev-list from..to: where clocks are wrong, git's own walk may list too much.
			known := strings.Fields(gittest.Git(t, dir, "rev-list", from))
			want := slices.DeleteFunc(strings.Fields(gittest.Git(t, dir, "rev-list", to)), func(h string) bool { return slices.Contains(known, h) })
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s..%s (-git +got):\n%s", from, to, diff)
			}
		}
	}
}

func randomHistory(rnd *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintln(&b, "commit root\nbranch b0")
	branches := 1
	for i := range 25 {
		if rnd.IntN(6) == 0 {
			fmt.Fprintf(&b, "at %d\n", 1600000000+rnd.IntN(100_000_000))
		}
		switch rnd.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "branch b%d\n", branches)
			branches++
		case 1:
			fmt.Fprintf(&b, "checkout b%d\n", rnd.IntN(branches))
		case 2:
			fmt.Fprintf(&b, "merge b%d merge %d\n", rnd.IntN(branches), i)
		case 3:
			if rnd.IntN(4) == 0 {
				fmt.Fprintf(&b, "orphan b%d\ncommit root %d\n", branches, i)
				branches++
			}
		}
		fmt.Fprintf(&b, "commit number %d\n", i)
	}
	return b.String()
}

func TestShallowCloneIsIncomplete(t *testing.T) {
	full := gittest.Build(t, "commit feat: zero\ntag v1.0.0\ncommit feat: one\ncommit feat: two\ncommit feat: three")
	dir := t.TempDir()
	gittest.Git(t, dir, "clone", "-q", "--depth", "2", "--no-tags", "file://"+full, "shallow")
	repo, err := Open(dir+"/shallow", nil)
	if err != nil {
		t.Fatal(err)
	}
	release, err := repo.Release(t.Context(), Selection{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := repo.Commits(t.Context(), release.From, release.To, nil)
	if err != nil {
		t.Fatal(err)
	}
	if release.Complete || log.Complete || len(log.Commits) != 2 {
		t.Errorf("release complete: %v, log complete: %v, %d commits; want an incomplete range of 2", release.Complete, log.Complete, len(log.Commits))
	}
}

func TestMessagesInOtherEncodings(t *testing.T) {
	dir := gittest.Build(t, `
		encoding ISO-8859-1
		commit fix: caf\xe9
		tag declared
		commit fix: na\xefve bytes
	`)
	repo, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for rev, want := range map[string]string{"declared": "fix: café\n", "HEAD": "fix: na\uFFFDve bytes\n"} {
		c, err := repo.Commit(t.Context(), gittest.Git(t, dir, "rev-parse", rev))
		if err != nil {
			t.Fatal(err)
		}
		if c.Message != want {
			t.Errorf("message of %s is %q, want %q", rev, c.Message, want)
		}
	}
}

func TestUnknownRevisionNamesWhatIsNear(t *testing.T) {
	repo, err := Open(gittest.Build(t, "commit a\ntag v1.0.0\ncommit b\ntag v1.1.0\ntag other"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = repo.Release(t.Context(), Selection{Revision: "v1.O.0"})
	var unknown *UnknownRevisionError
	if !errors.As(err, &unknown) || unknown.Revision != "v1.O.0" || unknown.Nearest[0] != "v1.0.0" {
		t.Errorf("error is %#v", err)
	}
}

func TestParseVersion(t *testing.T) {
	for _, tc := range []struct {
		tag, family string
		ok, pre     bool
	}{
		{"v1.2.3", "", true, false}, {"1.2.3", "", true, false}, {"api/v1.1.0", "api/", true, false},
		{"packages-0.2.1", "packages-", true, false}, {"ui-kit2_4.10.0", "ui-kit2_", true, false}, {"@acme/web@1.1.0", "@acme/web@", true, false},
		{"v1.1.0-rc.1", "", true, true}, {"8.1.0.beta1", "", true, true}, {"v9.2.0990", "", true, false},
		{"v1", "", false, false}, {"v1.2", "", false, false}, {"latest", "", false, false}, {"nightly", "", false, false},
	} {
		v, ok := parseVersion(tc.tag)
		if ok != tc.ok || ok && (v.family != tc.family || v.pre != tc.pre) {
			t.Errorf("parseVersion(%q) = %+v, %v", tc.tag, v, ok)
		}
	}
}

func TestNextVersion(t *testing.T) {
	for _, tc := range []struct {
		previous, prefix string
		raise            Raise
		want             string
	}{
		{"v1.2.3", "", RaisePatch, "v1.2.4"}, {"v1.2.3", "", RaiseMinor, "v1.3.0"}, {"v1.2.3", "", RaiseMajor, "v2.0.0"},
		{"0.2.3", "", RaiseMajor, "0.3.0"}, {"api/v1.0.0", "", RaiseMinor, "api/v1.1.0"}, {"v1.1.0-rc.1", "", RaiseMinor, "v1.1.0-rc.2"},
		{"", "", RaiseMinor, "v0.1.0"}, {"", "foo/", RaisePatch, "foo/v0.1.0"}, {"v1.0.0", "", RaiseNothing, ""},
	} {
		if got := NextVersion(tc.previous, tc.prefix, tc.raise); got != tc.want {
			t.Errorf("NextVersion(%q, %q, %d) = %q, want %q", tc.previous, tc.prefix, tc.raise, got, tc.want)
		}
	}
}
