package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Options of Open; nil is the zero value.
type Options struct {
	Getenv func(string) string // environment that git would honour
}

// A Repository is open for reading.
type Repository struct {
	git     *git.Repository
	shallow map[plumbing.Hash]bool
	workdir string // empty when bare
}

// Open finds the repository that dir lies in.
func Open(dir string, opts *Options) (*Repository, error) {
	if opts != nil && opts.Getenv != nil && opts.Getenv("GIT_DIR") != "" {
		dir = opts.Getenv("GIT_DIR")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	repo, err := openAt(abs)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, fmt.Errorf("%s is not a git repository, and neither is a directory above it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the repository of %s: %w", dir, err)
	}
	r := &Repository{git: repo, shallow: map[plumbing.Hash]bool{}}
	if tree, err := repo.Worktree(); err == nil {
		r.workdir = tree.Filesystem.Root()
	}
	cut, err := repo.Storer.Shallow()
	if err != nil {
		return nil, fmt.Errorf("reading where %s is shallow: %w", dir, err)
	}
	for _, h := range cut {
		r.shallow[h] = true
	}
	return r, nil
}

// openAt opens dir itself when it is bare, otherwise what it lies in.
func openAt(dir string) (*git.Repository, error) {
	repo, err := git.PlainOpenWithOptions(dir, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return git.PlainOpen(dir)
	}
	return repo, err
}

// Close releases what is open.
func (r *Repository) Close() error { return nil }

// RemoteURL returns the fetch URL of a remote; it may hold credentials.
func (r *Repository) RemoteURL(name string) string {
	remote, err := r.git.Remote(name)
	if err != nil || len(remote.Config().URLs) == 0 {
		return ""
	}
	return remote.Config().URLs[0]
}

// Mailmap returns the text of the mailmap: .mailmap of the work tree, or of HEAD
// when the repository is bare; empty when there is none.
func (r *Repository) Mailmap(ctx context.Context) string {
	if r.workdir != "" {
		text, err := os.ReadFile(filepath.Join(r.workdir, ".mailmap"))
		if err != nil {
			return ""
		}
		return string(text)
	}
	head, err := r.git.Head()
	if err != nil {
		return ""
	}
	text, err := r.File(ctx, head.Hash().String(), ".mailmap")
	if err != nil {
		return ""
	}
	return string(text)
}

// File returns a file as of a commit. Directories and missing paths are errors.
func (r *Repository) File(_ context.Context, commit, path string) ([]byte, error) {
	c, err := r.git.CommitObject(plumbing.NewHash(commit))
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", commit, err)
	}
	file, err := c.File(path)
	if err != nil {
		return nil, fmt.Errorf("reading %q as of %s: %w", path, commit, err)
	}
	reader, err := file.Reader()
	if err != nil {
		return nil, fmt.Errorf("reading %q as of %s: %w", path, commit, err)
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

// parents returns the parents of a commit, none where a shallow clone was cut.
func (r *Repository) parents(c *object.Commit) []plumbing.Hash {
	if r.shallow[c.Hash] {
		return nil
	}
	return c.ParentHashes
}

// ancestors returns everything reachable from the given commits, themselves
// included.
func (r *Repository) ancestors(ctx context.Context, from ...plumbing.Hash) (map[plumbing.Hash]*object.Commit, error) {
	seen := map[plumbing.Hash]*object.Commit{}
	for stack := from; len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[h] != nil {
			continue
		}
		c, err := r.git.CommitObject(h)
		if err != nil {
			return nil, fmt.Errorf("reading commit %s: %w", h, err)
		}
		seen[h] = c
		stack = append(stack, r.parents(c)...)
	}
	return seen, nil
}
