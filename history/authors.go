package history

import (
	"bytes"
	"container/heap"
	"context"
	"iter"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// Authors yields everyone who authored a commit reachable from hash, each name and
// address once, the younger ones first by and large. When is that of one of their
// commits. An error ends it. Commits are read side by side, and no longer than the
// caller ranges.
func (r *Repository) Authors(ctx context.Context, hash string) iter.Seq2[Signature, error] {
	return func(yield func(Signature, error) bool) {
		h, err := parseHash(hash)
		if err != nil {
			yield(Signature{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := newAuthorScan(r, h)
		found := make(chan Signature)
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() { s.work(ctx, found) })
		}
		go func() {
			workers.Wait()
			close(found)
		}()
		going := true
		for author := range found { // to its end, so that no worker is left behind
			if going = going && yield(author, nil); !going {
				cancel()
			}
		}
		if going && s.err != nil {
			yield(Signature{}, s.err)
		}
	}
}

// An authorScan goes through a history for its authors, the youngest commits first:
// that is nearly the order in which they lie in a pack. Most commits are by someone
// met before, so that only new lines are parsed.
type authorScan struct {
	repo *Repository

	mu      sync.Mutex
	more    *sync.Cond // the queue has grown, or the scan has ended
	waiting commitQueue
	met     map[plumbing.Hash]bool
	seen    map[string]bool // author lines without the date
	busy    int             // workers that may let more commits wait
	err     error           // ends the scan
}

// maxBatch is how many commits a worker takes at once, so that the workers seldom wait
// for each other.
const maxBatch = 16

func newAuthorScan(r *Repository, h plumbing.Hash) *authorScan {
	s := &authorScan{repo: r, waiting: commitQueue{{hash: h}}, met: map[plumbing.Hash]bool{h: true}, seen: map[string]bool{}}
	s.more = sync.NewCond(&s.mu)
	return s
}

// work reads commits until none is left and sends the authors that nobody met before.
func (s *authorScan) work(ctx context.Context, found chan<- Signature) {
	var batch []datedCommit
	for {
		if batch = s.take(batch[:0]); len(batch) == 0 {
			return
		}
		authors, err := s.read(batch)
		if err == nil {
			err = ctx.Err()
		}
		s.done(err)
		for _, author := range authors {
			select {
			case found <- author:
			case <-ctx.Done():
			}
		}
	}
}

// take waits for commits and takes its share of them; none is left when it is empty.
func (s *authorScan) take(batch []datedCommit) []datedCommit {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && s.waiting.Len() == 0 && s.busy > 0 {
		s.more.Wait()
	}
	if s.err != nil || s.waiting.Len() == 0 {
		return nil
	}
	for range min(maxBatch, (s.waiting.Len()+1)/2) {
		batch = append(batch, heap.Pop(&s.waiting).(datedCommit))
	}
	s.busy++
	return batch
}

// done tells that a batch is read.
func (s *authorScan) done(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if s.err == nil {
		s.err = err
	}
	if s.busy == 0 || s.err != nil {
		s.more.Broadcast()
	}
}

// read reads the commits of a batch and lets their parents wait.
func (s *authorScan) read(batch []datedCommit) (authors []Signature, err error) {
	for _, c := range batch {
		data, err := s.repo.store.CommitHeader(c.hash)
		if isMissing(err) {
			continue // a shallow clone lacks it
		}
		if err != nil {
			return authors, err
		}
		parsed := parseHeader(data)
		if parents, ok := s.repo.store.Parents(c.hash); ok {
			parsed.parents = parents
		}
		_, line, _ := bytes.Cut(data, []byte("\nauthor "))
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if !s.note(parsed, line[:bytes.LastIndexByte(line, '>')+1]) {
			continue
		}
		author, err := s.author(c.hash, line)
		if err != nil {
			return authors, err
		}
		authors = append(authors, author)
	}
	return authors, nil
}

// note lets the parents of a commit wait, and reports whether who is met for the first time.
func (s *authorScan) note(parsed header, who []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range parsed.parents {
		if !s.met[p] {
			s.met[p] = true
			heap.Push(&s.waiting, datedCommit{parsed.committed, p})
		}
	}
	if s.waiting.Len() > 1 {
		s.more.Signal() // a line of single parents is one worker's alone
	}
	if len(who) == 0 || s.seen[string(who)] {
		return false
	}
	s.seen[string(who)] = true
	return true
}

// author reads the author line of a commit, in the encoding that the commit names
// further down where it has to.
func (s *authorScan) author(h plumbing.Hash, line []byte) (Signature, error) {
	if utf8.Valid(line) {
		return parseSignature(line, validText), nil
	}
	c, err := s.repo.commit(h)
	if err != nil {
		return Signature{}, err
	}
	return c.Author, nil
}

// A datedCommit waits to be read; date is that of a child.
type datedCommit struct {
	date int64
	hash plumbing.Hash
}

// A commitQueue is a heap of commits, the youngest first.
type commitQueue []datedCommit

func (q commitQueue) Len() int           { return len(q) }
func (q commitQueue) Less(i, j int) bool { return q[i].date > q[j].date }
func (q commitQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *commitQueue) Push(x any)        { *q = append(*q, x.(datedCommit)) }
func (q *commitQueue) Pop() any {
	old := *q
	c := old[len(old)-1]
	*q = old[:len(old)-1]
	return c
}
