// Package history reads the facts of a release from a git repository: which
// release, which commits, who, which paths, which lines. Call [Open], then
// [Repository.Release] and [Repository.Commits].
package history

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"release-notes-agent/gitstore"
)

// Options of Open; nil is the zero value.
type Options struct {
	Getenv func(string) string // environment that git would honour, as in gitstore.Options
}

// A Repository is open for reading and safe for concurrent use.
type Repository struct {
	store   *gitstore.Store
	prefix  string // from the top of the work tree to the directory that was opened
	commits commitCache
}

// Open finds the repository that dir lies in. Errors match those of gitstore.
func Open(dir string, opts *Options) (*Repository, error) {
	if opts == nil {
		opts = &Options{}
	}
	store, err := gitstore.Open(dir, &gitstore.Options{Getenv: opts.Getenv})
	if err != nil {
		return nil, err
	}
	return &Repository{store: store, prefix: prefixOf(dir, store.WorkTree())}, nil
}

// prefixOf returns the way from the work tree down to dir with slashes, "" outside.
func prefixOf(dir, workTree string) string {
	top, err := filepath.EvalSymlinks(workTree)
	if workTree == "" || err != nil {
		return ""
	}
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	way, relErr := filepath.Rel(top, dir)
	if err != nil || relErr != nil || !filepath.IsLocal(way) {
		return ""
	}
	return filepath.ToSlash(way)
}

// Close releases the open files.
func (r *Repository) Close() error { return r.store.Close() }

// Shallow reports whether the clone was cut on purpose, as git clone --depth does.
func (r *Repository) Shallow() bool { return r.store.IsShallow() }

// RemoteURL returns the fetch URL of a remote; it may hold credentials.
func (r *Repository) RemoteURL(name string) string { return r.store.RemoteURL(name) }

// Commit returns one commit.
func (r *Repository) Commit(ctx context.Context, hash string) (Commit, error) {
	if err := ctx.Err(); err != nil {
		return Commit{}, err
	}
	h, err := parseHash(hash)
	if err != nil {
		return Commit{}, err
	}
	return r.commit(h)
}

func (r *Repository) commit(h plumbing.Hash) (Commit, error) {
	data, err := r.commits.read(r.store, h)
	if err != nil {
		return Commit{}, err
	}
	c := parseCommit(h.String(), data)
	if parents, ok := r.store.Parents(h); ok {
		c.Parents = nil
		for _, p := range parents {
			c.Parents = append(c.Parents, p.String())
		}
	}
	return c, nil
}

func parseHash(hash string) (plumbing.Hash, error) {
	if !plumbing.IsHash(hash) || len(hash) != 40 {
		return plumbing.ZeroHash, fmt.Errorf("%q is not a full hash", hash)
	}
	return plumbing.NewHash(hash), nil
}
