package gitstore

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Grafts are what a repository says about parents against its own commits.
type grafts struct {
	shallow map[plumbing.Hash]bool
	parents map[plumbing.Hash][]plumbing.Hash
}

// readGrafts reads the shallow file and info/grafts. Neither needs to be there.
func readGrafts(commonDir string) grafts {
	g := grafts{shallow: map[plumbing.Hash]bool{}, parents: map[plumbing.Hash][]plumbing.Hash{}}
	for _, hashes := range hashLines(filepath.Join(commonDir, "shallow")) {
		g.shallow[hashes[0]] = true
	}
	for _, hashes := range hashLines(filepath.Join(commonDir, "info", "grafts")) {
		g.parents[hashes[0]] = hashes[1:]
	}
	return g
}

// hashLines reads a file of lines with one or more hashes.
func hashLines(path string) [][]plumbing.Hash {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var lines [][]plumbing.Hash
	for line := range strings.Lines(string(data)) {
		var hashes []plumbing.Hash
		for _, field := range strings.Fields(line) {
			if !isHash(field) {
				break // a comment, or nothing that git would accept
			}
			hashes = append(hashes, plumbing.NewHash(field))
		}
		if len(hashes) > 0 {
			lines = append(lines, hashes)
		}
	}
	return lines
}

// Parents overrides the parents that a commit's header names: none at a shallow
// boundary, others by info/grafts. The second result is false when nothing does.
func (s *Store) Parents(h plumbing.Hash) ([]plumbing.Hash, bool) {
	if s.grafts.shallow[h] {
		return nil, true
	}
	parents, ok := s.grafts.parents[h]
	return parents, ok
}

// IsShallow reports whether history was cut: a shallow file with entries.
func (s *Store) IsShallow() bool { return len(s.grafts.shallow) > 0 }

// ShallowBoundary reports whether history was cut at h.
func (s *Store) ShallowBoundary(h plumbing.Hash) bool { return s.grafts.shallow[h] }

// replacements reads refs/replace: the object to read in place of another.
func (s *Store) replacements() map[plumbing.Hash]plumbing.Hash {
	refs, err := s.Refs("refs/replace/")
	if err != nil || len(refs) == 0 {
		return nil
	}
	replaced := map[plumbing.Hash]plumbing.Hash{}
	for _, ref := range refs {
		if name := strings.TrimPrefix(string(ref.Name), "refs/replace/"); isHash(name) {
			replaced[plumbing.NewHash(name)] = ref.Hash
		}
	}
	return replaced
}

// replacement follows refs/replace as far as git does.
func (s *Store) replacement(h plumbing.Hash) plumbing.Hash {
	for range maxSymbolic {
		to, ok := s.replaced[h]
		if !ok {
			break
		}
		h = to
	}
	return h
}
