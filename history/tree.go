package history

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// An entry is a line of a tree. The zero value stands for nothing there.
type entry struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

func (e entry) isDir() bool { return e.mode == filemode.Dir }

// A change is a file, link or submodule that differs between two trees.
type change struct {
	path     string
	oldPath  string // of a renamed file; otherwise empty
	old, new entry
}

// ChangedPaths returns the paths in which a commit differs from its first parent,
// sorted. Of a renamed file both paths are among them.
func (r *Repository) ChangedPaths(ctx context.Context, hash string) ([]string, error) {
	changes, err := r.changes(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("reading what %s changed: %w", hash, err)
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.path
	}
	return paths, nil
}

// changes compares a commit with its first parent.
func (r *Repository) changes(ctx context.Context, hash string) ([]change, error) {
	h, err := parseHash(hash)
	if err != nil {
		return nil, err
	}
	n, err := newWalk(r).load(h, false)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, fmt.Errorf("commit %s: %w", h, plumbing.ErrObjectNotFound)
	}
	var before plumbing.Hash
	if len(n.parents) > 0 {
		if before, err = r.treeOf(n.parents[0]); err != nil {
			return nil, err
		}
	}
	d := treeDiff{repo: r}
	if err := d.compare(ctx, "", before, n.tree); err != nil {
		return nil, err
	}
	slices.SortFunc(d.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return d.changes, nil
}

func (r *Repository) treeOf(commit plumbing.Hash) (plumbing.Hash, error) {
	data, err := r.store.CommitHeader(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return parseHeader(data).tree, nil
}

// tree reads a tree; the zero hash is an empty one.
func (r *Repository) tree(h plumbing.Hash) ([]entry, error) {
	if h.IsZero() {
		return nil, nil
	}
	typ, data, err := r.store.Object(h)
	if err != nil {
		return nil, err
	}
	if typ != plumbing.TreeObject {
		return nil, fmt.Errorf("object %s is a %s, not a tree", h, typ)
	}
	return parseTree(data)
}

// parseTree reads "mode name\0hash" again and again.
func parseTree(data []byte) ([]entry, error) {
	var entries []entry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, hasName := bytes.Cut(head, []byte(" "))
		if !ok || !hasName || len(rest) < len(plumbing.Hash{}) {
			return nil, fmt.Errorf("reading a tree: it is cut off or damaged")
		}
		fileMode, err := filemode.New(string(mode))
		if err != nil {
			return nil, fmt.Errorf("reading a tree: mode %q of %q: %v", mode, name, err)
		}
		e := entry{name: string(name), mode: fileMode}
		data = rest[copy(e.hash[:], rest):]
		entries = append(entries, e)
	}
	return entries, nil
}

// maxTreeDepth bounds directories in directories, against trees made to overflow.
const maxTreeDepth = 2048

// A treeDiff collects the differences of two trees. Equal subtrees are never read.
type treeDiff struct {
	repo    *Repository
	paths   pathspec // when set, only what it matches counts
	first   bool     // stop at the first difference
	changes []change
	depth   int
}

// done tells whether the first difference is all that was wanted.
func (d *treeDiff) done() bool { return d.first && len(d.changes) > 0 }

// compare adds the differences between two trees that stand at dir.
func (d *treeDiff) compare(ctx context.Context, dir string, old, new plumbing.Hash) error {
	if old == new || d.done() {
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
	was := make(map[string]entry, len(before))
	for _, e := range before {
		was[e.name] = e
	}
	for _, e := range after {
		if err := d.entry(ctx, dir, was[e.name], e); err != nil {
			return err
		}
		delete(was, e.name)
	}
	for _, e := range before {
		if _, gone := was[e.name]; gone {
			if err := d.entry(ctx, dir, e, entry{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry compares what stands under one name. A file that became a directory is a
// deleted file and the files of a new directory.
func (d *treeDiff) entry(ctx context.Context, dir string, old, new entry) error {
	if old == new || d.done() {
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
		d.changes = append(d.changes, change{path: path, old: old, new: new})
	}
	if d.paths != nil && !d.paths.reachesInto(path+"/") {
		return nil
	}
	return d.compare(ctx, path+"/", oldTree, newTree)
}

// maxFileBytes bounds the files that File reads.
const maxFileBytes = 64 << 20

// File returns a file as of a commit. Directories, missing paths and files of more
// than 64 MiB are errors.
func (r *Repository) File(ctx context.Context, commit, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h, err := parseHash(commit)
	if err != nil {
		return nil, err
	}
	e, err := r.find(h, path)
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
		entries, err := r.tree(found.hash)
		if err != nil {
			return entry{}, err
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
		if i < 0 {
			return entry{}, fmt.Errorf("there is no %q", name)
		}
		found = entries[i]
	}
	switch found.mode {
	case filemode.Dir:
		return entry{}, fmt.Errorf("it is a directory")
	case filemode.Submodule:
		return entry{}, fmt.Errorf("it is a submodule")
	}
	return found, nil
}
