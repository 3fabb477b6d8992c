package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

// manyParents is a history with a merge of four, which needs the list of edges.
const manyParents = `
	commit zero
	branch a
	commit a
	branch b main
	commit b
	branch c main
	commit c
	checkout main
	commit one
	merge a,b,c four
	branch later
	commit later
`

// writeGraph runs git in a repository and opens the commit-graph it has then.
func writeGraph(t *testing.T, script string, commands ...string) (dir string, g *CommitGraph) {
	t.Helper()
	dir = gittest.Build(t, script)
	for _, command := range commands {
		gittest.Git(t, dir, strings.Fields(command)...)
	}
	return dir, open(t, dir, nil).CommitGraph()
}

func TestCommitGraph(t *testing.T) {
	for _, tc := range []struct {
		name     string
		commands []string
	}{
		{"one file", []string{"commit-graph write --reachable"}},
		{"levels", []string{"-c commitGraph.generationVersion=1 commit-graph write --reachable"}},
		{"chain", []string{
			"update-ref refs/keep/a a", "update-ref -d refs/heads/later", "commit-graph write --reachable --split=no-merge",
			"commit --allow-empty -q -m more", "commit-graph write --reachable --split=no-merge",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, g := writeGraph(t, manyParents, tc.commands...)
			if g == nil {
				t.Fatal("no commit-graph")
			}
			want := gittest.Git(t, dir, "rev-list", "--branches", "--parents", "--timestamp")
			if diff := cmp.Diff(want, graphLines(t, g, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, ok := g.Commit(plumbing.NewHash(strings.Repeat("5", 40))); ok {
				t.Error("found a commit that is not there")
			}
		})
	}
}

// graphLines writes the commits of git's lines as the graph has them: date, hash,
// parents. Each generation must be above those of the parents.
func graphLines(t *testing.T, g *CommitGraph, lines string) string {
	t.Helper()
	var got []string
	for line := range strings.Lines(lines) {
		hash := plumbing.NewHash(strings.Fields(line)[1])
		c, ok := g.Commit(hash)
		if !ok {
			t.Errorf("commit %s is not in the graph", hash)
		}
		text := fmt.Sprintf("%d %s", c.Time, hash)
		for _, p := range c.Parents {
			text += " " + p.String()
			if parent, ok := g.Commit(p); !ok || parent.Generation >= c.Generation {
				t.Errorf("%s has generation %d, its parent %d", hash, c.Generation, parent.Generation)
			}
		}
		got = append(got, text)
	}
	return strings.Join(got, "\n")
}

func TestCommitGraphIsNotUsed(t *testing.T) {
	for _, tc := range []struct {
		name    string
		command string
	}{
		{"absent", "status"},
		{"with replacements", "replace --graft main main~2"},
		{"turned off", "config core.commitGraph false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			write := "commit-graph write --reachable"
			if tc.name == "absent" {
				write = "status"
			}
			if _, g := writeGraph(t, small+"commit two\ncommit three", write, tc.command); g != nil {
				t.Error("it is used")
			}
		})
	}
}

// FuzzCommitGraph damages a commit-graph: what it says may be wrong then, but
// nothing panics, and nothing goes on without end.
func FuzzCommitGraph(f *testing.F) {
	dir := gittestBuild(f, manyParents)
	data, err := os.ReadFile(filepath.Join(dir, ".git", "objects", "info", "commit-graph"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at uint16, flip byte) {
		if int(at) < len(data) {
			data[at] ^= flip
		}
		path := filepath.Join(t.TempDir(), "commit-graph")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		g, err := openGraphLayers([]string{path})
		if err != nil {
			return
		}
		defer g.Close()
		for number := range min(g.count(), 100) {
			if h, err := g.hash(number); err == nil {
				g.Commit(h)
			}
		}
	})
}

func gittestBuild(f *testing.F, script string) string {
	dir := gittest.Build(f, script)
	gittest.Git(f, dir, "commit-graph", "write", "--reachable")
	return dir
}
