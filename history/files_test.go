package history

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

const withFiles = `
	file README.md hello
	file src/a.go one\ntwo\nthree
	file src/deep/b.go b
	file docs/guide.md guide
	commit feat: zero
	file src/a.go one\n2\nthree
	remove docs/guide.md
	file docs fine
	commit feat: one
	rename src/deep/b.go src/other/c.go
	commit refactor: move
	branch topic
	file web/x.ts x
	commit feat: web
	checkout main
	file src/a.go one\n2\n3
	commit fix: three
	merge topic Merge branch 'topic'
	file bin \x00\x01
	commit chore: binary
`

func TestChangedPaths(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	repo := openRepository(t, dir)
	for _, hash := range strings.Fields(gittest.Git(t, dir, "rev-list", "HEAD")) {
		var got []string
		for path, err := range repo.ChangedPaths(t.Context(), hash) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, path)
		}
		slices.Sort(got)
		want := gittest.Git(t, dir, "log", "-1", "-m", "--first-parent", "--no-renames", "--name-only", "--format=", hash)
		if strings.Join(got, "\n") != want {
			t.Errorf("ChangedPaths(%s): %q, want %q", hash, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	repo := openRepository(t, dir)
	for _, tc := range []struct {
		revision string
		want     []FileDiff
	}{
		{"HEAD", []FileDiff{{Path: "bin", Binary: true}}},
		{"HEAD~1", []FileDiff{{Path: "web/x.ts", Text: "diff --git a/web/x.ts b/web/x.ts\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..587be6b4c3f93f93c489c0111bba5596147a26cb\n--- /dev/null\n+++ b/web/x.ts\n@@ -0,0 +1 @@\n+x\n"}}},
		{"HEAD~2", []FileDiff{{Path: "src/a.go", Text: "diff --git a/src/a.go b/src/a.go\nindex " +
			gittest.Git(t, dir, "rev-parse", "HEAD~3:src/a.go") + ".." + gittest.Git(t, dir, "rev-parse", "HEAD~2:src/a.go") +
			" 100644\n--- a/src/a.go\n+++ b/src/a.go\n@@ -1,3 +1,3 @@\n one\n 2\n-three\n+3\n"}}},
		{"HEAD~3", []FileDiff{{Path: "src/other/c.go", OldPath: "src/deep/b.go",
			Text: "diff --git a/src/deep/b.go b/src/other/c.go\nrename from src/deep/b.go\nrename to src/other/c.go\n"}}},
	} {
		got, err := repo.Diff(t.Context(), gittest.Git(t, dir, "rev-parse", tc.revision))
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("Diff(%s): %v (-want +got):\n%s", tc.revision, err, diff)
		}
	}
}

func TestCommitsOfPaths(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	repo := openRepository(t, dir)
	for _, paths := range [][]string{
		{"src"}, {"src/"}, {"./src/deep"}, {"src/a.go"}, {"*.go"}, {"docs"}, {"web", "README.md"}, {"nowhere"}, {"."},
		{":!src"}, {":(exclude)src", "*.md"}, {":(glob)src/*.go"}, {":(glob)**/b.go"}, {":(icase)SRC/A.go"}, {":/web"}, {":(top,literal)web"}, {"s[a-z]c/a.go"},
	} {
		for _, from := range []string{"", "HEAD~3", "HEAD~2"} {
			checkPaths(t, dir, repo, from, paths)
		}
	}
	for _, path := range []string{":(attr:x)a", ":(glob"} {
		if _, err := repo.Commits(t.Context(), "", gittest.Git(t, dir, "rev-parse", "HEAD"), []string{path}); err == nil {
			t.Errorf("path %q was accepted", path)
		}
	}
}

// TestCommitsOfPathsInSubdirectory holds that paths are seen from the directory that
// was opened, as git sees them.
func TestCommitsOfPathsInSubdirectory(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	inside := filepath.Join(dir, "src")
	repo := openRepository(t, inside)
	for _, paths := range [][]string{{"."}, {"a.go"}, {"../docs"}, {"deep"}, {":/web"}, {":(top)web"}, {":!a.go"}, {"*.go"}} {
		checkPaths(t, inside, repo, "", paths)
	}
	if _, err := repo.Commits(t.Context(), "", gittest.Git(t, dir, "rev-parse", "HEAD"), []string{"../../elsewhere"}); err == nil {
		t.Error("a path outside of the repository was accepted")
	}
}

func checkPaths(t *testing.T, dir string, repo *Repository, from string, paths []string) {
	t.Helper()
	start, args := "", []string{"rev-list", "--full-history", "HEAD"}
	if from != "" {
		start = gittest.Git(t, dir, "rev-parse", from)
		args = append(args, "^"+start)
	}
	log, err := repo.Commits(t.Context(), start, gittest.Git(t, dir, "rev-parse", "HEAD"), paths)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range log.Commits {
		if log.Touching[c.Hash] {
			got = append(got, c.Hash)
		}
	}
	want := gittest.Git(t, dir, append(append(args, "--"), paths...)...)
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("paths %q from %q (-want +got):\n%s", paths, from, diff)
	}
}

func TestFile(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	repo := openRepository(t, dir)
	first := gittest.Git(t, dir, "rev-list", "--max-parents=0", "HEAD")
	data, err := repo.File(t.Context(), first, "docs/guide.md")
	if err != nil || string(data) != "guide\n" {
		t.Errorf("File: %q, %v", data, err)
	}
	for path, message := range map[string]string{"src": "directory", "none": "no \"none\"", "README.md/x": "not a directory", "": "no \"\"", "../x": "no \"..\""} {
		if _, err := repo.File(t.Context(), first, path); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("File(%q): error %v, want %q", path, err, message)
		}
	}
}

func TestFileBehindALink(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	for name, target := range map[string]string{"README": "README.md", "more/up": "../README", "loop": "loop", "out": "../../etc/passwd"} {
		file := filepath.Join(t.TempDir(), "target")
		if err := os.WriteFile(file, []byte(target), 0o666); err != nil {
			t.Fatal(err)
		}
		blob := gittest.Git(t, dir, "hash-object", "-w", file)
		gittest.Git(t, dir, "update-index", "--add", "--cacheinfo", "120000,"+blob+","+name)
	}
	gittest.Git(t, dir, "commit", "-q", "-m", "links")
	repo, head := openRepository(t, dir), gittest.Git(t, dir, "rev-parse", "HEAD")
	want, err := repo.File(t.Context(), head, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README", "more/up"} {
		if data, err := repo.File(t.Context(), head, name); err != nil || !bytes.Equal(data, want) {
			t.Errorf("File(%q): %q, %v", name, data, err)
		}
	}
	for name, message := range map[string]string{"loop": "too many links", "out": "no \"..\""} {
		if _, err := repo.File(t.Context(), head, name); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("File(%q): error %v, want %q", name, err, message)
		}
	}
}

func TestAuthors(t *testing.T) {
	dir := gittest.Build(t, `
		commit feat: zero
		author Bob Builder <bob@example.com>
		commit feat: one
		author Ann Author <ann@example.com>
		commit feat: two
		author Cy Late <cy@example.com>
		commit feat: three
	`)
	var names []string
	for a, err := range openRepository(t, dir).Authors(t.Context(), gittest.Git(t, dir, "rev-parse", "HEAD~1")) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, a.Name+" <"+a.Email+">")
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Ann Author <ann@example.com>", "Bob Builder <bob@example.com>"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestMailmap(t *testing.T) {
	dir := gittest.Build(t, "file .mailmap A <a@x>\nfile more.map B <b@x>\ncommit feat: zero\n")
	bare := filepath.Join(t.TempDir(), "bare.git")
	gittest.Git(t, dir, "clone", "-q", "--bare", dir, bare)
	gittest.Git(t, dir, "config", "mailmap.blob", "HEAD:more.map")
	gittest.Git(t, dir, "config", "mailmap.file", "extra")
	if err := os.WriteFile(filepath.Join(dir, "extra"), []byte("C <c@x>"), 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{dir: "A <a@x>\nB <b@x>\nC <c@x>\n", bare: "A <a@x>\n"} {
		if got := openRepository(t, dir).Mailmap(t.Context()); got != want {
			t.Errorf("Mailmap of %s: %q, want %q", dir, got, want)
		}
	}
}
