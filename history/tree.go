package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// A change is a file, link or submodule that differs between two trees.
type change struct {
	path     string
	oldPath  string // of a renamed file; otherwise empty
	old, new entry
}

// ChangedPaths yields the paths in which a commit differs from its first parent, in
// the order of trees. Of a renamed file both paths are among them. An error ends it.
func (r *Repository) ChangedPaths(ctx context.Context, hash string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := r.compareToParent(ctx, hash, func(c change) bool { return yield(c.path, nil) })
		if err != nil {
			yield("", fmt.Errorf("reading what %s changed: %w", hash, err))
		}
	}
}

// changes compares a commit with its first parent; the paths are sorted.
func (r *Repository) changes(ctx context.Context, hash string) (list []change, err error) {
	err = r.compareToParent(ctx, hash, func(c change) bool {
		list = append(list, c)
		return true
	})
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return list, err
}

// compareToParent shows visit the changes of a commit until that returns false.
func (r *Repository) compareToParent(ctx context.Context, hash string, visit func(change) bool) error {
	h, err := parseHash(hash)
	if err != nil {
		return err
	}
	n, err := newWalk(r).load(h, false)
	if err != nil {
		return err
	}
	if n == nil {
		return fmt.Errorf("commit %s: %w", h, plumbing.ErrObjectNotFound)
	}
	var before plumbing.Hash
	if len(n.parents) > 0 {
		if before, err = r.treeOf(n.parents[0]); err != nil {
			return err
		}
	}
	d := treeDiff{repo: r, visit: visit}
	return d.compare(ctx, "", before, n.tree)
}

func (r *Repository) treeOf(commit plumbing.Hash) (plumbing.Hash, error) {
	data, err := r.store.CommitHeader(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return parseHeader(data).tree, nil
}

// tree reads a tree; the zero hash is an empty one.
func (r *Repository) tree(h plumbing.Hash) (treeReader, error) {
	if h.IsZero() {
		return treeReader{}, nil
	}
	typ, data, err := r.store.Object(h)
	if err != nil {
		return treeReader{}, err
	}
	if typ != plumbing.TreeObject {
		return treeReader{}, fmt.Errorf("object %s is a %s, not a tree", h, typ)
	}
	return treeReader{data: data}, nil
}

// maxTreeDepth bounds directories in directories, against trees made to overflow.
const maxTreeDepth = 2048

// A treeDiff finds the differences of two trees. Equal subtrees are never read.
type treeDiff struct {
	repo    *Repository
	paths   pathspec          // when set, only what it matches counts
	visit   func(change) bool // sees each difference; false ends the comparison
	stopped bool
	depth   int
}

// compare visits the differences between two trees that stand at dir.
func (d *treeDiff) compare(ctx context.Context, dir string, old, new plumbing.Hash) error {
	if old == new || d.stopped {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.depth++; d.depth > maxTreeDepth {
		return fmt.Errorf("directories lie more than %d deep", maxTreeDepth)
	}
	defer func() { d.depth-- }()
	before, err := d.repo.tree(old)
	if err != nil {
		return err
	}
	after, err := d.repo.tree(new)
	if err != nil {
		return err
	}
	return d.lines(ctx, dir, &before, &after)
}

// lines goes through two trees side by side.
func (d *treeDiff) lines(ctx context.Context, dir string, before, after *treeReader) error {
	if err := cmp.Or(before.next(), after.next()); err != nil {
		return err
	}
	for !d.stopped && !(before.ended() && after.ended()) {
		var old, new entry
		var errs [4]error
		order := compareNames(before, after)
		same := order == 0 && bytes.Equal(before.hash, after.hash) && bytes.Equal(before.mode, after.mode)
		if order <= 0 && !same {
			old, errs[0] = before.entry()
		}
		if order >= 0 && !same {
			new, errs[1] = after.entry()
		}
		if order <= 0 {
			errs[2] = before.next()
		}
		if order >= 0 {
			errs[3] = after.next()
		}
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		if err := d.entry(ctx, dir, old, new); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what stands under one name. A directory that came or went is its
// files.
func (d *treeDiff) entry(ctx context.Context, dir string, old, new entry) error {
	if old == new || d.stopped {
		return nil
	}
	path := dir + old.name
	if old.name == "" {
		path = dir + new.name
	}
	var oldTree, newTree plumbing.Hash
	if old.isDir() {
		oldTree, old = old.hash, entry{}
	}
	if new.isDir() {
		newTree, new = new.hash, entry{}
	}
	if old != new && (d.paths == nil || d.paths.matches(path)) {
		if d.stopped = !d.visit(change{path: path, old: old, new: new}); d.stopped {
			return nil
		}
	}
	if d.paths != nil && !d.paths.reachesInto(path+"/") {
		return nil
	}
	return d.compare(ctx, path+"/", oldTree, newTree)
}

// maxFileBytes bounds the files that File reads.
const maxFileBytes = 64 << 20

// File returns a file as of a commit, a link followed within the tree. Directories,
// missing paths and files of more than 64 MiB are errors.
func (r *Repository) File(ctx context.Context, commit, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h, err := parseHash(commit)
	if err != nil {
		return nil, err
	}
	e, err := r.followed(h, path)
	if err != nil {
		return nil, fmt.Errorf("reading %q at %s: %w", path, commit, err)
	}
	size, err := r.store.Size(e.hash)
	if err == nil && size > maxFileBytes {
		err = fmt.Errorf("%d bytes are more than the %d that are read", size, maxFileBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %q at %s: %w", path, commit, err)
	}
	typ, data, err := r.store.Object(e.hash)
	if err != nil {
		return nil, fmt.Errorf("reading %q at %s: %w", path, commit, err)
	}
	if typ != plumbing.BlobObject {
		return nil, fmt.Errorf("reading %q at %s: it is a %s", path, commit, typ)
	}
	return data, nil
}

// maxLinks is how many links lead to a file at most.
const maxLinks = 8

// followed finds a file behind any links. A link that leads out of the tree leads nowhere.
func (r *Repository) followed(commit plumbing.Hash, name string) (entry, error) {
	for range maxLinks {
		e, err := r.find(commit, name)
		if err != nil || e.mode != filemode.Symlink {
			return e, err
		}
		_, target, err := r.store.Object(e.hash)
		if err != nil {
			return entry{}, err
		}
		name = path.Join(path.Dir(name), string(target))
	}
	return entry{}, errors.New("too many links lead to each other")
}

// find goes down the directories of a path to its file.
func (r *Repository) find(commit plumbing.Hash, path string) (entry, error) {
	tree, err := r.treeOf(commit)
	if err != nil {
		return entry{}, err
	}
	found := entry{mode: filemode.Dir, hash: tree}
	for name := range strings.SplitSeq(path, "/") {
		if !found.isDir() {
			return entry{}, fmt.Errorf("%q is not a directory", found.name)
		}
		if found, err = r.child(found.hash, name); err != nil {
			return entry{}, err
		}
	}
	switch found.mode {
	case filemode.Dir:
		return entry{}, fmt.Errorf("it is a directory")
	case filemode.Submodule:
		return entry{}, fmt.Errorf("it is a submodule")
	}
	return found, nil
}

// child looks a name up in a tree.
func (r *Repository) child(tree plumbing.Hash, name string) (entry, error) {
	lines, err := r.tree(tree)
	for err == nil {
		if err = lines.next(); err != nil || lines.ended() {
			break
		}
		if string(lines.name) == name {
			return lines.entry()
		}
	}
	if err == nil {
		err = fmt.Errorf("there is no %q", name)
	}
	return entry{}, err
}
