package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"release-notes-agent/internal/gittest"
)

// TestAgainstGoGit compares what is read of random repositories with go-git used the
// ordinary way: its own storage, and a log of either end taken from each other.
func TestAgainstGoGit(t *testing.T) {
	gittest.NeedGit(t)
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 3))
			dir := randomRepository(t, rng, 60)
			if seed%2 == 1 {
				gittest.Git(t, dir, "repack", "-adq", "--depth=50", "--window=50")
			}
			reference := filesystem.NewStorage(osfs.New(filepath.Join(dir, ".git")), cache.NewObjectLRUDefault())
			from, to := gittest.Git(t, dir, "rev-parse", "c15"), gittest.Git(t, dir, "rev-parse", "main")
			repo := openRepository(t, dir)
			log, err := repo.Commits(t.Context(), from, to, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]Commit{}
			for _, c := range log.Commits {
				got[c.Hash] = c
			}
			if diff := cmp.Diff(referenceRange(t, reference, from, to), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("commits (-go-git +got):\n%s", diff)
			}
			for hash := range got {
				var paths []string
				for path, err := range repo.ChangedPaths(t.Context(), hash) {
					if err != nil {
						t.Fatal(err)
					}
					paths = append(paths, path)
				}
				slices.Sort(paths)
				if diff := cmp.Diff(referencePaths(t, reference, hash), paths, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("paths of %s (-go-git +got):\n%s", hash, diff)
				}
			}
		})
	}
}

// randomRepository has size commits, "main" the last and "c15" one of the first, whose
// files come, change and go in a few directories.
func randomRepository(t *testing.T, rng *rand.Rand, size int) (dir string) {
	t.Helper()
	g := randomGraph(rng, size, clocks["hour skew"])
	dir = t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	var in bytes.Buffer
	for i, parents := range g.parents {
		message := fmt.Sprintf("feat: change %d\n\nBödy of %d\n%s\n", i, i, bytes.Repeat([]byte("x "), rng.IntN(300)))
		fmt.Fprintf(&in, "commit refs/heads/c%d\nmark :%d\nauthor Änn %d <a%d@x> %d -0330\ncommitter C <c@x> %d +0100\ndata %d\n%s\n",
			i, i+1, i%5, i%5, g.dates[i]-50, g.dates[i], len(message), message)
		for j, p := range parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(j, 1)], p+1)
		}
		for range rng.IntN(4) {
			path := fmt.Sprintf("d%d/s%d/f%d", rng.IntN(3), rng.IntN(3), rng.IntN(4))
			if rng.IntN(5) == 0 {
				fmt.Fprintf(&in, "D %s\n", path)
				continue
			}
			text := fmt.Sprintf("%d\n%s", rng.IntN(3), bytes.Repeat([]byte("a line that stays\n"), 50))
			fmt.Fprintf(&in, "M %d inline %s\ndata %d\n%s\n", []int{100644, 100755}[rng.IntN(2)], path, len(text), text)
		}
	}
	fmt.Fprintf(&in, "reset refs/heads/main\nfrom :%d\n", size)
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, &in, gittest.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	return dir
}

// referenceRange reads the commits of to that are not of from, by their hashes.
func referenceRange(t *testing.T, store storer.EncodedObjectStorer, from, to string) map[string]Commit {
	t.Helper()
	found := map[string]Commit{}
	each := func(end string, do func(*object.Commit)) {
		c, err := object.GetCommit(store, plumbing.NewHash(end))
		if err == nil {
			err = object.NewCommitPreorderIter(c, nil, nil).ForEach(func(c *object.Commit) error { do(c); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	each(to, func(c *object.Commit) {
		commit := Commit{
			Hash:      c.Hash.String(),
			Author:    Signature{Name: c.Author.Name, Email: c.Author.Email, When: c.Author.When},
			Committer: Signature{Name: c.Committer.Name, Email: c.Committer.Email, When: c.Committer.When},
			Message:   c.Message,
		}
		for _, p := range c.ParentHashes {
			commit.Parents = append(commit.Parents, p.String())
		}
		found[commit.Hash] = commit
	})
	each(from, func(c *object.Commit) { delete(found, c.Hash.String()) })
	return found
}

// referencePaths lists the paths that a commit changes against its first parent, sorted.
func referencePaths(t *testing.T, store storer.EncodedObjectStorer, hash string) []string {
	t.Helper()
	c, err := object.GetCommit(store, plumbing.NewHash(hash))
	if err != nil {
		t.Fatal(err)
	}
	var old *object.Tree
	if c.NumParents() > 0 {
		parent, err := c.Parent(0)
		if err == nil {
			old, err = parent.Tree()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tree, err := c.Tree()
	if err != nil {
		t.Fatal(err)
	}
	changed, err := object.DiffTree(old, tree)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, change := range changed {
		if change.From.Name != "" && change.To.Name != "" && change.From.Name != change.To.Name {
			paths = append(paths, change.From.Name)
		}
		paths = append(paths, max(change.To.Name, change.From.Name))
	}
	slices.Sort(paths)
	return paths
}
