package gitstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"release-notes-agent/internal/gittest"
)

const small = `
	file sub/dir/x zero
	commit feat: zero
	annotate v1.0.0
	file a one
	commit feat: one
	tag v1.1.0
`

func open(t *testing.T, dir string, env map[string]string) *Store {
	t.Helper()
	s, err := Open(dir, &Options{Getenv: func(name string) string { return env[name] }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// sameAsGit checks what every shape of repository must give.
func sameAsGit(t *testing.T, s *Store, dir string) {
	t.Helper()
	head, _, err := s.Head()
	if want := gittest.Git(t, dir, "rev-parse", "HEAD"); err != nil || head.String() != want {
		t.Fatalf("Head: %s, %v; want %s", head, err, want)
	}
	typ, data, err := s.Object(head)
	if want := gittest.Git(t, dir, "cat-file", "commit", "HEAD"); err != nil || typ != plumbing.CommitObject || string(data) != want+"\n" {
		t.Errorf("Object: %s, %v:\n%s", typ, err, data)
	}
	tags, err := s.Refs("refs/tags/")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, ref := range tags {
		lines = append(lines, ref.Hash.String()+" "+string(ref.Name))
	}
	want, _ := gitOutput(dir, "show-ref", "--tags")
	if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("Refs: %s\nwant %s", got, want)
	}
}

func TestShapes(t *testing.T) {
	for _, tc := range []struct {
		name string
		// shape changes a repository and returns the directory to open.
		shape func(t *testing.T, dir string) string
	}{
		{"plain", func(t *testing.T, dir string) string { return dir }},
		{"subdirectory", func(t *testing.T, dir string) string { return filepath.Join(dir, "sub", "dir") }},
		{"inside .git", func(t *testing.T, dir string) string { return filepath.Join(dir, ".git", "refs") }},
		{"packed", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "gc", "-q")
			return dir
		}},
		{"linked work tree", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "wt")
			gittest.Git(t, dir, "worktree", "add", "-q", to, "-b", "wt", "HEAD~1")
			return to
		}},
		{"bare", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "bare.git")
			gittest.Git(t, dir, "clone", "-q", "--bare", dir, to)
			return to
		}},
		{"separate directory", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "away"))
			return dir
		}},
		{".git is a link", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "away")
			rename(t, filepath.Join(dir, ".git"), to)
			symlink(t, to, filepath.Join(dir, ".git"))
			return dir
		}},
		{"alternates", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "shared")
			gittest.Git(t, dir, "clone", "-q", "--shared", dir, to)
			return to
		}},
		{"alternates of alternates", func(t *testing.T, dir string) string {
			first, to := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
			gittest.Git(t, dir, "clone", "-q", "--shared", dir, first)
			gittest.Git(t, dir, "clone", "-q", "--shared", first, to)
			return to
		}},
		{"relative alternates", func(t *testing.T, dir string) string {
			to := dir + "-shared"
			t.Cleanup(func() { os.RemoveAll(to) })
			gittest.Git(t, dir, "clone", "-q", "--shared", dir, to)
			write(t, filepath.Join(to, ".git", "objects", "info", "alternates"), "../../../"+filepath.Base(dir)+"/.git/objects\n")
			return to
		}},
		{"shallow", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "shallow")
			gittest.Git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, to)
			return to
		}},
		{"extensions", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "config", "extensions.worktreeConfig", "true")
			gittest.Git(t, dir, "config", "branch.main.merge", "refs/pull/1/head")
			return dir
		}},
		{"detached", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "checkout", "-q", "--detach", "HEAD~1")
			return dir
		}},
		{"broken references", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "pack-refs", "--all")
			write(t, filepath.Join(dir, ".git", "refs", "tags", ".DS_Store"), "x")
			write(t, filepath.Join(dir, ".git", "refs", "tags", "v2.lock"), "")
			return dir
		}},
		{"loose maintenance pack", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "maintenance", "run", "--task=loose-objects")
			gittest.Git(t, dir, "maintenance", "run", "--task=loose-objects")
			return dir
		}},
		{"index version 1", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d")
			return dir
		}},
		{"no index for one pack", func(t *testing.T, dir string) string {
			gittest.Git(t, dir, "repack", "-q", "-a", "-d")
			write(t, filepath.Join(dir, ".git", "objects", "pack", "pack-"+strings.Repeat("0", 40)+".pack"), "PACK")
			return dir
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := tc.shape(t, gittest.Build(t, small))
			sameAsGit(t, open(t, dir, nil), dir)
		})
	}
}

func TestEnvironmentNamesRepository(t *testing.T) {
	dir, elsewhere := gittest.Build(t, small), t.TempDir()
	s := open(t, elsewhere, map[string]string{"GIT_DIR": filepath.Join(dir, ".git")})
	sameAsGit(t, s, dir)
	if s.WorkTree() != elsewhere {
		t.Errorf("work tree %q, want %q", s.WorkTree(), elsewhere)
	}
}

func TestOpenRefuses(t *testing.T) {
	gittest.NeedGit(t)
	if _, err := Open(t.TempDir(), nil); !errors.Is(err, ErrNotRepository) {
		t.Errorf("empty directory: %v", err)
	}
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "--object-format=sha256")
	if _, err := Open(dir, nil); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "SHA256") {
		t.Errorf("SHA-256: %v", err)
	}
	for _, config := range []string{
		"[core]\n repositoryformatversion = 2\n",
		"[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = reftable\n",
		"[core]\n repositoryformatversion = 1\n[extensions]\n future = true\n",
	} {
		dir := gittest.Build(t, small)
		write(t, filepath.Join(dir, ".git", "config"), config)
		if _, err := Open(dir, nil); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: %v", config, err)
		}
	}
}

func TestUnborn(t *testing.T) {
	gittest.NeedGit(t)
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "trunk")
	_, branch, err := open(t, dir, nil).Head()
	if !errors.Is(err, ErrUnborn) || branch != "trunk" {
		t.Errorf("Head: %q, %v", branch, err)
	}
}

func TestPeeled(t *testing.T) {
	dir := gittest.Build(t, small)
	gittest.Git(t, dir, "pack-refs", "--all")
	ref, err := open(t, dir, nil).Ref("refs/tags/v1.0.0")
	if want := gittest.Git(t, dir, "rev-parse", "v1.0.0^{}"); err != nil || ref.Peeled.String() != want {
		t.Errorf("Peeled %s, %v; want %s", ref.Peeled, err, want)
	}
}

func TestParents(t *testing.T) {
	dir := gittest.Build(t, small)
	head, first := gittest.Git(t, dir, "rev-parse", "HEAD"), gittest.Git(t, dir, "rev-parse", "HEAD~1")
	write(t, filepath.Join(dir, ".git", "info", "grafts"), "# cut\n"+head+"\n")
	write(t, filepath.Join(dir, ".git", "shallow"), first+"\n")
	s := open(t, dir, nil)
	if parents, ok := s.Parents(plumbing.NewHash(head)); !ok || len(parents) != 0 {
		t.Errorf("grafted: %v, %v", parents, ok)
	}
	if !s.IsShallow() || !s.ShallowBoundary(plumbing.NewHash(first)) {
		t.Error("shallow boundary not seen")
	}
}

func TestReplace(t *testing.T) {
	dir := gittest.Build(t, small)
	gittest.Git(t, dir, "replace", "HEAD", "HEAD~1")
	sameAsGit(t, open(t, dir, nil), dir)
}

func TestAbbreviated(t *testing.T) {
	for _, pack := range []bool{false, true} {
		dir := gittest.Build(t, small)
		if pack {
			gittest.Git(t, dir, "gc", "-q")
		}
		head := gittest.Git(t, dir, "rev-parse", "HEAD")
		for _, length := range []int{7, 8, 40} {
			found, err := open(t, dir, nil).Abbreviated(head[:length])
			if err != nil || len(found) != 1 || found[0].String() != head {
				t.Errorf("%d digits, packed %v: %v, %v", length, pack, found, err)
			}
		}
	}
}

func TestRemoteURL(t *testing.T) {
	for _, tc := range []struct{ name, config, global, want string }{
		{"plain", "[remote \"origin\"]\n\turl = git@github.com:acme/w.git\n", "", "git@github.com:acme/w.git"},
		{"first of two", "[remote \"origin\"]\n\turl = a:b\n\turl = c:d\n", "", "a:b"},
		{"insteadOf, longest wins", "[remote \"origin\"]\nurl=gh:acme/w\n[url \"https://x/\"]\ninsteadOf=gh\n[url \"https://github.com/\"]\ninsteadOf = gh:\n", "", "https://github.com/acme/w"},
		{"global insteadOf", "[remote \"origin\"]\nurl=gh:acme/w\n", "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n", "https://github.com/acme/w"},
		{"pushInsteadOf does not count", "[remote \"origin\"]\nurl=https://h/a\n[url \"git@h:\"]\npushInsteadOf=https://h/\n", "", "https://h/a"},
		{"mark, comment, quotes", "\xef\xbb\xbf[remote \"origin\"] # x\n  url = \"https://h/a;b\" ; c\n", "", "https://h/a;b"},
		{"included", "[include]\npath = more\n", "", "https://included/a"},
		{"none", "", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, home := gittest.Build(t, small), t.TempDir()
			write(t, filepath.Join(dir, ".git", "config"), tc.config)
			write(t, filepath.Join(dir, ".git", "more"), "[remote \"origin\"]\nurl = https://included/a\n")
			write(t, filepath.Join(home, ".gitconfig"), tc.global)
			s := open(t, dir, map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1"})
			if got := s.RemoteURL("origin"); got != tc.want {
				t.Errorf("RemoteURL = %q, want %q", got, tc.want)
			}
		})
	}
}
