// Package gitstore reads a git repository in place, as a go-git storage. It finds
// the repository, reads references, the configuration values that matter to a
// reader of history, and objects, and it never writes. Call [Open] first.
//
// Objects come from loose files and from packs whose index is searched on disk,
// never loaded whole.
package gitstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// Errors of Open and of Head, each wrapped with the directory and the way out.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrUnsupported   = errors.New("unsupported repository format") // SHA-256, reftable, a format version of the future
	ErrUnborn        = errors.New("no commits yet")
)

// Options say where Open looks. The zero value looks at the directory alone.
type Options struct {
	// Getenv looks up GIT_DIR, GIT_COMMON_DIR, GIT_WORK_TREE, GIT_OBJECT_DIRECTORY,
	// GIT_ALTERNATE_OBJECT_DIRECTORIES, HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL and
	// GIT_CONFIG_NOSYSTEM. When nil the environment does not count.
	Getenv func(string) string
}

// A Store is an open repository. It implements storer.EncodedObjectStorer,
// storer.ReferenceStorer and storer.ShallowStorer of go-git, whose writing methods
// return ErrReadOnly, and is safe for concurrent use. Contents that it returns are
// shared and must not be changed.
type Store struct {
	env      environment
	at       place
	settings []setting
	objects  *objectStore
	grafts   grafts
	replaced map[plumbing.Hash]plumbing.Hash
	graph    func() *CommitGraph
}

// Open finds the repository that dir lies in, as git does: dir itself when it is
// bare, its .git directory, file or link, or those of its parents.
func Open(dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	env := environment(opts.Getenv)
	at, err := locate(dir, env)
	if err != nil {
		return nil, err
	}
	branch, _ := headBranch(at.gitDir)
	settings := readConfig(env, at, branch)
	if err := checkFormat(settings); err != nil {
		return nil, fmt.Errorf("opening %q: %w", at.gitDir, err)
	}
	s := &Store{env: env, at: settle(at, settings, env), settings: settings}
	s.objects = openObjects(dir, at.objectDir, env)
	s.grafts = readGrafts(at.commonDir)
	s.replaced = s.replacements()
	s.graph = sync.OnceValue(s.openGraph)
	return s, nil
}

// openGraph opens the commit-graph unless something else decides about parents, or
// the configuration turns it off. One that is damaged counts as absent: it holds
// nothing that commits don't say themselves.
func (s *Store) openGraph() *CommitGraph {
	if s.IsShallow() || len(s.grafts.parents) > 0 || len(s.replaced) > 0 {
		return nil
	}
	if on, ok := s.Config("core.commitgraph"); ok && !isTrue(on) {
		return nil
	}
	graph, err := openCommitGraph(s.objects.dirs)
	if err != nil {
		return nil
	}
	return graph
}

// CommitGraph returns the commit-graph, nil when there is none that can be used:
// also in shallow clones and with grafts or replacements, as in git.
func (s *Store) CommitGraph() *CommitGraph { return s.graph() }

// Close releases the open files.
func (s *Store) Close() error {
	err := s.objects.close()
	if graph := s.graph(); graph != nil {
		err = errors.Join(err, graph.Close())
	}
	return err
}

// GitDir is the absolute path of the directory that holds HEAD.
func (s *Store) GitDir() string { return s.at.gitDir }

// CommonDir is the absolute path of what linked work trees share; without them
// it equals GitDir.
func (s *Store) CommonDir() string { return s.at.commonDir }

// WorkTree is the absolute path of the checked out files, empty when bare.
func (s *Store) WorkTree() string { return s.at.workTree }

// Config returns the last value of a configuration key, "section.subsection.key"
// with section and key in lower case, from system, global, local and worktree
// files with includes.
func (s *Store) Config(key string) (string, bool) { return last(s.settings, key) }

// ExpandPath makes a path out of the configuration absolute: "~/" stands for HOME,
// and other paths are seen from the work tree, or from the repository when bare.
func (s *Store) ExpandPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(s.env.get("HOME"), rest)
	}
	if s.at.workTree == "" {
		return against(s.at.gitDir, path)
	}
	return against(s.at.workTree, path)
}
