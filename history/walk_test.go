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
					from, to := rng.IntN(121)-1, 60+rng.IntN(60)
					checkOrder(t, dir, hashes, from, to, checkRange(t, g, repo, hashes, from, to))
				}
			}
		})
	}
}

// Commit-graphs that a repository may have.
var commitGraphs = map[string]func(t *testing.T, dir string, hashes []string){
	"no graph": func(*testing.T, string, []string) {},
	"graph": func(t *testing.T, dir string, _ []string) {
		gittest.Git(t, dir, "commit-graph", "write", "--reachable")
	},
	"levels":    writeLevels,
	"old graph": writeOldGraph,
}

// writeLevels writes a graph without corrected dates, as git before 2.31 did.
func writeLevels(t *testing.T, dir string, _ []string) {
	gittest.Git(t, dir, "-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
}

// writeOldGraph writes a graph that lacks the later commits.
func writeOldGraph(t *testing.T, dir string, hashes []string) {
	for i, hash := range hashes {
		if i%manySize < manySize*2/3 {
			gittest.Git(t, dir, "update-ref", fmt.Sprintf("refs/old/%d", i), hash)
		}
	}
	gittest.Git(t, dir, "-c", "alias.old=!git for-each-ref --format='%(objectname)' refs/old | git commit-graph write --stdin-commits", "old")
}

// manySize is the number of commits in each of many graphs.
const manySize = 24

// TestCommitsOfManyGraphs does the same for one range in each of some thousand
// small graphs, which lie side by side in one repository.
func TestCommitsOfManyGraphs(t *testing.T) {
	gittest.NeedGit(t)
	const graphs = 120
	for name, clock := range clocks {
		for kind, write := range commitGraphs {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(2, 2))
				var all graph
				for i := range graphs {
					all.add(randomGraph(rng, manySize, clock), i*manySize)
				}
				dir, hashes := all.build(t)
				write(t, dir, hashes)
				repo := openRepository(t, dir)
				for i := range graphs {
					from, to := i*manySize+rng.IntN(manySize), i*manySize+manySize/2+rng.IntN(manySize/2)
					got := checkRange(t, all, repo, hashes, from, to)
					if i%4 == 0 {
						checkOrder(t, dir, hashes, from, to, got)
					}
				}
			})
		}
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

// checkRange compares one range with the graph; from -1 stands for all of history.
func checkRange(t *testing.T, g graph, repo *Repository, hashes []string, from, to int) (got []string) {
	t.Helper()
	log, err := repo.Commits(t.Context(), orEmpty(hashes, from), hashes[to], nil)
	if err != nil || !log.Complete {
		t.Fatalf("Commits(%d, %d): complete %v, %v", from, to, log.Complete, err)
	}
	for _, c := range log.Commits {
		got = append(got, c.Hash)
	}
	if diff := cmp.Diff(g.difference(hashes, from, to), slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("commits of %d..%d (-want +got):\n%s", from, to, diff)
	}
	return got
}

// checkOrder compares a range with git, which is not always right when clocks are
// wrong: then the order can't be compared.
func checkOrder(t *testing.T, dir string, hashes []string, from, to int, got []string) {
	t.Helper()
	revisions := []string{"rev-list", hashes[to]}
	if from >= 0 {
		revisions = append(revisions, "^"+hashes[from])
	}
	want := strings.Fields(gittest.Git(t, dir, revisions...))
	if slices.Equal(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))) && !slices.Equal(want, got) {
		t.Errorf("order of %d..%d (-git +got):\n%s", from, to, cmp.Diff(want, got))
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
