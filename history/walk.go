package history

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"github.com/go-git/go-git/v5/plumbing"

	"release-notes-agent/gitstore"
)

// Bounds of the end of a walk. Dates alone can't tell when the excluded side has
// come below the range, because clocks are wrong at times.
const (
	slop      = 5 // commits of the excluded side that must be older than the range, as in git
	lookAhead = 4 // generations below the waiting ones in which none may be younger
)

// A node is a commit that a walk has loaded.
type node struct {
	hash     plumbing.Hash
	date     int64
	tree     plumbing.Hash
	parents  []plumbing.Hash
	data     []byte // the whole commit, when it was met as part of the range
	above    uint64 // its generation: greater than that of every ancestor
	order    int    // of coming into the queue: git lists commits of one second in that order
	excluded bool   // reachable from the start
	queued   bool   // is or has been in the queue
	waiting  bool   // is in the queue
	bottom   bool   // is the start itself
	look     int    // the last look below that met it
	cut      bool   // a shallow boundary, or a parent that is missing
}

func (n *node) parentNames() []string {
	names := make([]string, len(n.parents))
	for i, p := range n.parents {
		names[i] = p.String()
	}
	return names
}

// A walk finds the commits of a range. Two frontiers come down from the end and
// from the start in one queue, youngest first, until the excluded side is below
// everything that is in the range. Its cost follows the range, not the history.
type walk struct {
	repo    *Repository
	nodes   map[plumbing.Hash]*node // nil: missing
	queue   nodeQueue
	pushed  int
	wanted  int // nodes in the queue that are not excluded
	minDate int64
	lowest  uint64 // generation in the range
	missing bool   // a commit is not there
	keep    bool   // read whole commits everywhere: the next walk will want them
	look    int    // number of looks below so far
}

func newWalk(repo *Repository) *walk {
	return &walk{repo: repo, nodes: map[plumbing.Hash]*node{}, minDate: math.MaxInt64, lowest: gitstore.UnknownGeneration}
}

// start adds an end of the range, or with wanted false a start.
func (w *walk) start(h plumbing.Hash, wanted bool) error {
	n, err := w.load(h, wanted)
	if err != nil {
		return err
	}
	if n == nil {
		return fmt.Errorf("reading commit %s: %w", h, plumbing.ErrObjectNotFound)
	}
	if !wanted {
		n.bottom = true
		w.exclude(n)
	}
	w.push(n)
	return nil
}

// run walks and returns the commits of the range in the order of git log.
func (w *walk) run(ctx context.Context) ([]*node, error) {
	var list []*node
	below := 0
	for steps := 0; w.queue.Len() > 0; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n := w.pop()
		if !n.excluded {
			list = append(list, n)
			w.minDate = min(w.minDate, n.date)
			w.lowest = min(w.lowest, n.above)
		}
		if err := w.pushParents(n); err != nil {
			return nil, err
		}
		if w.wanted > 0 || n.date >= w.minDate {
			below = 0
			continue
		}
		if below++; below <= slop {
			continue
		}
		if more, err := w.lookBelow(); err != nil || !more {
			return included(list), err
		}
		below = 0
	}
	return included(list), nil
}

// included drops what turned out to be reachable from the start.
func included(list []*node) []*node {
	kept := list[:0]
	for _, n := range list {
		if !n.excluded {
			kept = append(kept, n)
		}
	}
	return kept
}

// pushParents puts those parents of n into the queue that have not been there.
func (w *walk) pushParents(n *node) error {
	for _, h := range n.parents {
		p, err := w.load(h, !n.excluded)
		if err != nil {
			return err
		}
		if p == nil {
			n.cut, w.missing = true, true
			continue
		}
		if n.excluded {
			w.exclude(p)
		}
		w.push(p)
	}
	return nil
}

// exclude marks n and every ancestor that is loaded already.
func (w *walk) exclude(n *node) {
	stack := []*node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.excluded {
			continue
		}
		n.excluded = true
		n.data = nil
		if n.waiting {
			w.wanted--
		}
		for _, h := range n.parents {
			if p := w.nodes[h]; p != nil && !p.excluded {
				stack = append(stack, p)
			}
		}
	}
}

// lookBelow looks for commits of the range that wrong dates hide below the queue.
// The commit-graph decides where it knows the generations. Elsewhere it looks a few
// generations down for a commit that is younger than the oldest of the range.
func (w *walk) lookBelow() (found bool, err error) {
	level, err := w.excludeByGeneration()
	if err != nil {
		return false, err
	}
	w.look++
	for range lookAhead {
		var next []*node
		for _, n := range level {
			parents, err := w.excludeParents(n)
			if err != nil {
				return false, err
			}
			for _, p := range parents {
				if p.date >= w.minDate {
					w.push(p)
					found = true
				} else {
					next = append(next, p)
				}
			}
		}
		level = next
	}
	return found, nil
}

// excludeByGeneration excludes what the queue reaches by way of commits that the
// commit-graph has, down to where nothing of the range can be any more. It returns
// the commits of the queue that the graph does not have.
func (w *walk) excludeByGeneration() (unknown []*node, err error) {
	var stack []*node
	for _, n := range w.queue {
		if n.above == gitstore.UnknownGeneration {
			unknown = append(unknown, n)
		} else {
			stack = append(stack, n)
		}
	}
	if len(stack) == 0 {
		return unknown, nil
	}
	w.look++
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.above <= w.lowest {
			continue // it can't have an ancestor in the range
		}
		parents, err := w.excludeParents(n)
		if err != nil {
			return nil, err
		}
		stack = append(stack, parents...)
	}
	return unknown, nil
}

// excludeParents excludes the parents of n and returns those to look at next: not
// in the queue yet, and each once in one look.
func (w *walk) excludeParents(n *node) (next []*node, err error) {
	for _, h := range n.parents {
		p, err := w.load(h, false)
		if err != nil {
			return nil, err
		}
		if p == nil {
			w.missing = true
			continue
		}
		w.exclude(p)
		if !p.queued && p.look != w.look {
			p.look = w.look
			next = append(next, p)
		}
	}
	return next, nil
}

// load reads a commit once: whole when it is part of the range so far, otherwise
// its header. A missing commit is nil.
func (w *walk) load(h plumbing.Hash, whole bool) (*node, error) {
	if n, ok := w.nodes[h]; ok {
		return n, nil
	}
	n := &node{hash: h, above: gitstore.UnknownGeneration}
	known := w.lookUp(n)
	if known && !whole {
		w.nodes[h] = n
		return n, nil
	}
	data, err := w.read(h, whole)
	if isMissing(err) {
		w.nodes[h] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if whole {
		n.data = data
	}
	parsed := parseHeader(data)
	n.date, n.tree, n.parents = parsed.committed, parsed.tree, parsed.parents
	if parents, ok := w.repo.store.Parents(h); ok {
		n.parents = parents
		n.cut = w.repo.store.ShallowBoundary(h)
	}
	w.nodes[h] = n
	return n, nil
}

// lookUp takes what the commit-graph knows of a commit.
func (w *walk) lookUp(n *node) bool {
	graph := w.repo.store.CommitGraph()
	if graph == nil {
		return false
	}
	c, ok := graph.Commit(n.hash)
	if ok {
		n.date, n.tree, n.parents, n.above = c.Time, c.Tree, c.Parents, c.Generation
	}
	return ok
}

func (w *walk) read(h plumbing.Hash, whole bool) ([]byte, error) {
	if whole || w.keep {
		return w.repo.commits.read(w.repo.store, h)
	}
	return w.repo.store.CommitHeader(h)
}

// complete tells whether the whole range could be seen.
func (w *walk) complete(list []*node) bool {
	for _, n := range list {
		if n.cut {
			return false
		}
	}
	return true
}

func (w *walk) push(n *node) {
	if n.queued {
		return
	}
	w.pushed++
	n.queued, n.waiting, n.order = true, true, w.pushed
	if !n.excluded {
		w.wanted++
	}
	heap.Push(&w.queue, n)
}

func (w *walk) pop() *node {
	n := heap.Pop(&w.queue).(*node)
	n.waiting = false
	if !n.excluded {
		w.wanted--
	}
	return n
}

// A nodeQueue is a heap, youngest first, then in the order of coming.
type nodeQueue []*node

func (q nodeQueue) Len() int { return len(q) }
func (q nodeQueue) Less(i, j int) bool {
	if q[i].date != q[j].date {
		return q[i].date > q[j].date
	}
	return q[i].order < q[j].order
}
func (q nodeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *nodeQueue) Push(x any)   { *q = append(*q, x.(*node)) }
func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	return n
}
