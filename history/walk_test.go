package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

// A graph is a random history, parents by index.
type graph struct {
	parents [][]int
	dates   []int64
}

// Ways in which the clocks of a random history go.
var clocks = map[string]func(rng *rand.Rand, i int) int64{
	"right":      func(_ *rand.Rand, i int) int64 { return int64(i) * 60 },
	"equal":      func(*rand.Rand, int) int64 { return 0 },
	"few values": func(rng *rand.Rand, i int) int64 { return int64(i/10) * 60 },
	"hour skew":  func(rng *rand.Rand, i int) int64 { return int64(i)*60 + rng.Int64N(3600) },
	"spikes":     func(rng *rand.Rand, i int) int64 { return int64(i)*60 + rng.Int64N(20)/19*86400 },
	"from the past": func(rng *rand.Rand, i int) int64 {
		if rng.IntN(20) == 0 {
			return -900000
		}
		return int64(i) * 60
	},
}

func randomGraph(rng *rand.Rand, size int, clock func(*rand.Rand, int) int64) graph {
	var g graph
	for i := range size {
		var parents []int
		for range []int{1, 1, 1, 2, 2, 3, 0}[rng.IntN(7)] {
			if i == 0 {
				break
			}
			if p := i - 1 - rng.IntN(min(i, 12)); !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
		g.parents = append(g.parents, parents)
		g.dates = append(g.dates, 1700000000+clock(rng, i))
	}
	return g
}

// build writes the graph into a new repository and returns the hashes of its commits.
func (g graph) build(t testing.TB) (dir string, hashes []string) {
	t.Helper()
	dir = t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	var in bytes.Buffer
	for i, parents := range g.parents {
		fmt.Fprintf(&in, "commit refs/heads/c%d\nmark :%d\ncommitter A <a@x> %d +0000\ndata %d\n%d\n", i, i+1, g.dates[i], len(fmt.Sprint(i)), i)
		for j, p := range parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(j, 1)], p+1)
		}
	}
	fmt.Fprintf(&in, "reset refs/heads/main\nfrom :%d\n", len(g.parents))
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, &in, gittest.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	hashes = make([]string, len(g.parents))
	for _, line := range strings.Split(gittest.Git(t, dir, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/c*"), "\n") {
		var i int
		var hash string
		fmt.Sscanf(line, "c%d %s", &i, &hash)
		hashes[i] = hash
	}
	return dir, hashes
}

func (g graph) ancestors(of int) map[int]bool {
	seen, stack := map[int]bool{}, []int{of}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !seen[i] {
			seen[i] = true
			stack = append(stack, g.parents[i]...)
		}
	}
	return seen
}

// TestCommitsOfRandomGraphs compares ranges with what the graph says, and with the
// order of git log wherever git itself finds the same commits: it doesn't always
// when clocks are wrong.
func TestCommitsOfRandomGraphs(t *testing.T) {
	gittest.NeedGit(t)
	for name, clock := range clocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(5) {
				rng := rand.New(rand.NewPCG(seed, 1))
				g := randomGraph(rng, 120, clock)
				dir, hashes := g.build(t)
				repo := openRepository(t, dir)
				for range 12 {
					checkRange(t, g, dir, repo, hashes, rng.IntN(121)-1, 60+rng.IntN(60))
				}
			}
		})
	}
}

// TestCommitsOfManyGraphs does the same for one range in each of some thousand
// small graphs, which lie side by side in one repository.
func TestCommitsOfManyGraphs(t *testing.T) {
	gittest.NeedGit(t)
	const graphs, size = 350, 24
	for name, clock := range clocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(2, 2))
			var all graph
			for i := range graphs {
				all.add(randomGraph(rng, size, clock), i*size)
			}
			dir, hashes := all.build(t)
			repo := openRepository(t, dir)
			for i := range graphs {
				to := i*size + size/2 + rng.IntN(size/2)
				checkRange(t, all, dir, repo, hashes, i*size+rng.IntN(size), to)
			}
		})
	}
}

// add puts another graph beside g, whose commits begin at index first.
func (g *graph) add(other graph, first int) {
	for _, parents := range other.parents {
		var moved []int
		for _, p := range parents {
			moved = append(moved, p+first)
		}
		g.parents = append(g.parents, moved)
	}
	g.dates = append(g.dates, other.dates...)
}

// checkRange compares one range; from -1 stands for all of history.
func checkRange(t *testing.T, g graph, dir string, repo *Repository, hashes []string, from, to int) {
	t.Helper()
	start, rangeName := "", hashes[to]
	if from >= 0 {
		start, rangeName = hashes[from], hashes[from]+".."+hashes[to]
	}
	want := g.difference(hashes, from, to)
	log, err := repo.Commits(t.Context(), start, hashes[to], nil)
	if err != nil || !log.Complete {
		t.Fatalf("Commits(%d, %d): complete %v, %v", from, to, log.Complete, err)
	}
	var got []string
	for _, c := range log.Commits {
		got = append(got, c.Hash)
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("commits of %d..%d (-want +got):\n%s", from, to, diff)
	}
	byGit := strings.Fields(gittest.Git(t, dir, "rev-list", rangeName))
	if slices.Equal(slices.Sorted(slices.Values(byGit)), want) && !slices.Equal(byGit, got) {
		t.Errorf("order of %d..%d (-git +got):\n%s", from, to, cmp.Diff(byGit, got))
	}
}

func openRepository(t testing.TB, dir string) *Repository {
	t.Helper()
	repo, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}
