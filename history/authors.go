package history

import (
	"bytes"
	"container/heap"
	"context"
	"iter"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// Authors yields everyone who authored a commit reachable from hash, each name and
// address once, the younger ones first by and large. When is that of one of their
// commits. An error ends it.
func (r *Repository) Authors(ctx context.Context, hash string) iter.Seq2[Signature, error] {
	return func(yield func(Signature, error) bool) {
		h, err := parseHash(hash)
		s := authorScan{repo: r, waiting: datedQueue{{parents: []plumbing.Hash{h}}}, met: map[plumbing.Hash]bool{}, seen: map[string]bool{}}
		for steps := 0; err == nil && s.waiting.Len() > 0; steps++ {
			if steps%1024 == 0 {
				err = ctx.Err()
			}
			for _, p := range heap.Pop(&s.waiting).(dated).parents {
				var author *Signature
				if err == nil {
					author, err = s.read(p)
				}
				if author != nil && !yield(*author, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Signature{}, err)
		}
	}
}

// An authorScan goes through a history for its authors, the youngest commits first:
// that is nearly the order in which they lie in a pack. Most commits are by someone
// met before, so that only new lines are parsed.
type authorScan struct {
	repo    *Repository
	waiting datedQueue
	met     map[plumbing.Hash]bool
	seen    map[string]bool // author lines without the date
}

// read reads a commit and lets its parents wait. It returns an author not met
// before. Commits that a shallow clone lacks have none.
func (s *authorScan) read(h plumbing.Hash) (*Signature, error) {
	if s.met[h] {
		return nil, nil
	}
	s.met[h] = true
	data, err := s.repo.store.CommitHeader(h)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parsed := parseHeader(data)
	if parents, ok := s.repo.store.Parents(h); ok {
		parsed.parents = parents
	}
	if len(parsed.parents) > 0 {
		heap.Push(&s.waiting, dated{parsed.committed, parsed.parents})
	}
	_, line, _ := bytes.Cut(data, []byte("\nauthor "))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	who := line[:bytes.LastIndexByte(line, '>')+1]
	if len(who) == 0 || s.seen[string(who)] {
		return nil, nil
	}
	s.seen[string(who)] = true
	author := parseSignature(line, validText)
	if !utf8.Valid(line) {
		c, err := s.repo.commit(h) // in the encoding that the commit names further down
		if err != nil {
			return nil, err
		}
		author = c.Author
	}
	return &author, nil
}

// A datedQueue is a heap of commits that wait for their parents to be read.
type datedQueue []dated

type dated struct {
	date    int64
	parents []plumbing.Hash
}

func (q datedQueue) Len() int           { return len(q) }
func (q datedQueue) Less(i, j int) bool { return q[i].date > q[j].date }
func (q datedQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *datedQueue) Push(x any)        { *q = append(*q, x.(dated)) }
func (q *datedQueue) Pop() any {
	old := *q
	d := old[len(old)-1]
	*q = old[:len(old)-1]
	return d
}
