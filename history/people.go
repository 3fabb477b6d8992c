package history

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// Authors returns everyone who authored a commit reachable from hash, each
// name and address once, in no particular order. When is that of one of their commits.
func (r *Repository) Authors(ctx context.Context, hash string) ([]Signature, error) {
	h, err := parseHash(hash)
	if err != nil {
		return nil, err
	}
	w := newWalk(r)
	authors := authorSet{repo: r, seen: map[string]bool{}}
	w.visit = authors.add
	if err := w.start(h, false); err != nil {
		return nil, err
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	return authors.list, nil
}

// An authorSet collects authors. Most commits are by someone met before, so that
// only new lines are parsed.
type authorSet struct {
	repo *Repository
	seen map[string]bool // author lines without the date
	list []Signature
}

// add takes the author from the start of a commit.
func (s *authorSet) add(h plumbing.Hash, start []byte) {
	_, line, ok := bytes.Cut(start, []byte("\nauthor "))
	if !ok {
		return
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	who := line[:bytes.LastIndexByte(line, '>')+1]
	if s.seen[string(who)] {
		return
	}
	s.seen[string(who)] = true
	author := parseSignature(line, validText)
	if !utf8.Valid(line) {
		if c, err := s.repo.commit(h); err == nil {
			author = c.Author // in the encoding that the commit names further down
		}
	}
	s.list = append(s.list, author)
}

// Mailmap returns the text of the mailmap that git would use: .mailmap of the
// work tree, or of HEAD when bare, then mailmap.blob and mailmap.file.
func (r *Repository) Mailmap(ctx context.Context) string {
	var parts []string
	add := func(data []byte, err error) {
		if err == nil && len(data) > 0 {
			parts = append(parts, strings.TrimSuffix(validText(data), "\n")+"\n")
		}
	}
	tree := r.store.WorkTree()
	if tree != "" {
		add(readRegular(filepath.Join(tree, ".mailmap")))
	}
	blob, ok := r.store.Config("mailmap.blob")
	if !ok && tree == "" {
		blob = "HEAD:.mailmap"
	}
	if name, path, ok := strings.Cut(blob, ":"); ok {
		if rev, err := r.resolve(name); err == nil {
			add(r.File(ctx, rev.commit.String(), path))
		}
	}
	if file, ok := r.store.Config("mailmap.file"); ok {
		add(readRegular(r.store.ExpandPath(file)))
	}
	return strings.Join(parts, "")
}

// maxMailmap bounds what is read as a mailmap, in bytes.
const maxMailmap = 16 << 20

// readRegular reads a file unless it is a link, as git does with .mailmap, or huge.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMailmap {
		return nil, err
	}
	return os.ReadFile(path)
}
