package history

import (
	"container/heap"
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/text/encoding/htmlindex"
)

// Commits returns the commits reachable from to and not from from, exactly as git
// rev-list from..to, children before parents and newer before older. An empty from
// means all of them. With paths, only commits that touch a path below one of them,
// and the merges that brought such a commit.
func (r *Repository) Commits(ctx context.Context, from, to string, paths []string) (Log, error) {
	excluded := map[plumbing.Hash]*object.Commit{}
	if from != "" {
		var err error
		if excluded, err = r.ancestors(ctx, plumbing.NewHash(from)); err != nil {
			return Log{}, err
		}
	}
	commits, err := r.walk(ctx, plumbing.NewHash(to), excluded)
	if err != nil {
		return Log{}, err
	}
	log := Log{Complete: true}
	for _, c := range commits {
		if r.shallow[c.Hash] {
			log.Complete = false
		}
	}
	for _, c := range commits {
		touches, err := touchesPaths(c, paths)
		if err != nil {
			return Log{}, err
		}
		if touches {
			log.Commits = append(log.Commits, r.decode(c))
		}
	}
	return log, nil
}

// walk lists what is reachable from tip and not excluded, a commit only after all
// its children, the newest of those that are ready first.
func (r *Repository) walk(ctx context.Context, tip plumbing.Hash, excluded map[plumbing.Hash]*object.Commit) ([]*object.Commit, error) {
	if excluded[tip] != nil {
		return nil, nil
	}
	reachable := map[plumbing.Hash]*object.Commit{}
	children := map[plumbing.Hash]int{}
	for stack := []plumbing.Hash{tip}; len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if reachable[h] != nil || excluded[h] != nil {
			continue
		}
		c, err := r.git.CommitObject(h)
		if err != nil {
			return nil, fmt.Errorf("reading commit %s: %w", h, err)
		}
		reachable[h] = c
		for _, p := range r.parents(c) {
			children[p]++
			stack = append(stack, p)
		}
	}
	ready := &byDate{reachable[tip]}
	var ordered []*object.Commit
	for ready.Len() > 0 {
		c := heap.Pop(ready).(*object.Commit)
		ordered = append(ordered, c)
		for _, p := range r.parents(c) {
			if children[p]--; children[p] == 0 && reachable[p] != nil {
				heap.Push(ready, reachable[p])
			}
		}
	}
	return ordered, nil
}

// byDate is a heap of commits, the newest first; equal dates in order of hash.
type byDate []*object.Commit

func (h byDate) Len() int { return len(h) }
func (h byDate) Less(i, j int) bool {
	a, b := h[i], h[j]
	if !a.Committer.When.Equal(b.Committer.When) {
		return a.Committer.When.After(b.Committer.When)
	}
	return a.Hash.String() < b.Hash.String()
}
func (h byDate) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byDate) Push(c any)   { *h = append(*h, c.(*object.Commit)) }
func (h *byDate) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// decode puts a commit into UTF-8: from the encoding that its header names, and
// with U+FFFD for bytes that are not text.
func (r *Repository) decode(c *object.Commit) Commit {
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	if c.Encoding != "" && !strings.EqualFold(string(c.Encoding), "utf-8") {
		if encoding, err := htmlindex.Get(string(c.Encoding)); err == nil {
			text = func(s string) string {
				decoded, err := encoding.NewDecoder().String(s)
				if err != nil {
					decoded = s
				}
				return strings.ToValidUTF8(decoded, "\uFFFD")
			}
		}
	}
	sign := func(s object.Signature) Signature {
		return Signature{Name: text(s.Name), Email: text(s.Email), When: s.When}
	}
	out := Commit{Hash: c.Hash.String(), Author: sign(c.Author), Committer: sign(c.Committer), Message: text(c.Message)}
	for _, p := range r.parents(c) {
		out.Parents = append(out.Parents, p.String())
	}
	return out
}

// Commit returns one commit.
func (r *Repository) Commit(_ context.Context, hash string) (Commit, error) {
	c, err := r.git.CommitObject(plumbing.NewHash(hash))
	if err != nil {
		return Commit{}, fmt.Errorf("reading commit %s: %w", hash, err)
	}
	return r.decode(c), nil
}

// Authors returns everyone who authored a commit reachable from hash, each name
// and address once, in no particular order.
func (r *Repository) Authors(ctx context.Context, hash string) ([]Signature, error) {
	all, err := r.ancestors(ctx, plumbing.NewHash(hash))
	if err != nil {
		return nil, err
	}
	seen := map[[2]string]bool{}
	var authors []Signature
	for _, c := range all {
		key := [2]string{c.Author.Name, c.Author.Email}
		if !seen[key] {
			seen[key] = true
			authors = append(authors, r.decode(c).Author)
		}
	}
	return authors, nil
}

// changesOf compares a commit with its first parent.
func changesOf(c *object.Commit) (object.Changes, error) {
	tree, err := c.Tree()
	if err != nil {
		return nil, fmt.Errorf("reading the tree of %s: %w", c.Hash, err)
	}
	before := &object.Tree{}
	if parent, err := c.Parent(0); err == nil {
		if before, err = parent.Tree(); err != nil {
			return nil, fmt.Errorf("reading the tree of %s: %w", parent.Hash, err)
		}
	}
	return object.DiffTree(before, tree)
}

func touchesPaths(c *object.Commit, paths []string) (bool, error) {
	if len(paths) == 0 {
		return true, nil
	}
	list, err := changesOf(c)
	if err != nil {
		return false, err
	}
	for _, change := range list {
		for _, path := range paths {
			path = strings.TrimSuffix(path, "/")
			for _, name := range []string{change.From.Name, change.To.Name} {
				if name == path || strings.HasPrefix(name, path+"/") {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// ChangedPaths returns the paths in which a commit differs from its first parent.
func (r *Repository) ChangedPaths(_ context.Context, hash string) ([]string, error) {
	c, err := r.git.CommitObject(plumbing.NewHash(hash))
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", hash, err)
	}
	list, err := changesOf(c)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, change := range list {
		if change.To.Name != "" {
			paths = append(paths, change.To.Name)
		} else {
			paths = append(paths, change.From.Name)
		}
	}
	return paths, nil
}

// Diff returns the changes of a commit against its first parent as a unified diff,
// per file, in the order of paths.
func (r *Repository) Diff(ctx context.Context, hash string) ([]FileDiff, error) {
	c, err := r.git.CommitObject(plumbing.NewHash(hash))
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", hash, err)
	}
	list, err := changesOf(c)
	if err != nil {
		return nil, err
	}
	var files []FileDiff
	for _, change := range list {
		patch, err := change.PatchContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", change.To.Name, err)
		}
		file := FileDiff{Path: change.To.Name, Text: patch.String()}
		if file.Path == "" {
			file.Path = change.From.Name
		} else if change.From.Name != file.Path {
			file.OldPath = change.From.Name
		}
		for _, p := range patch.FilePatches() {
			file.Binary = file.Binary || p.IsBinary()
		}
		files = append(files, file)
	}
	return files, nil
}
