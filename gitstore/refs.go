package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxSymbolic is how many symbolic references may follow each other, as in git.
const maxSymbolic = 5

// A Ref is a reference that leads to an object.
type Ref struct {
	Name   plumbing.ReferenceName // full: refs/tags/v1.0.0
	Hash   plumbing.Hash          // of the object it names
	Peeled plumbing.Hash          // what it leads to through annotated tags, Hash itself without; zero when packed-refs doesn't say
}

// Head returns the commit that HEAD leads to, and the branch's short name, empty when detached.
// An unborn branch gives ErrUnborn.
func (s *Store) Head() (plumbing.Hash, string, error) {
	ref, err := s.Ref(plumbing.HEAD)
	branch, symbolic := headBranch(s.at.gitDir)
	switch {
	case err == nil:
		return ref.Hash, branch, nil
	case symbolic && errors.Is(err, plumbing.ErrReferenceNotFound):
		return plumbing.ZeroHash, branch, fmt.Errorf("branch %q of %q: %w; commit something first, or name a tag", branch, s.at.gitDir, ErrUnborn)
	}
	return plumbing.ZeroHash, "", fmt.Errorf("reading HEAD of %q: %v", s.at.gitDir, err)
}

// headBranch returns the short name of the branch that HEAD names.
func headBranch(gitDir string) (branch string, symbolic bool) {
	_, target, err := readLoose(filepath.Join(gitDir, "HEAD"))
	if err != nil || target == "" {
		return "", false
	}
	return strings.TrimPrefix(target, "refs/heads/"), true
}

// Ref returns one reference by its full name, symbolic ones followed.
func (s *Store) Ref(name plumbing.ReferenceName) (Ref, error) {
	target := string(name)
	for range maxSymbolic {
		if !validRefName(target) {
			break
		}
		hash, next, err := readLoose(s.refPath(target))
		switch {
		case err != nil:
			found := s.packedRefs(func(n []byte) bool { return string(n) == target })
			if len(found) == 0 {
				return Ref{}, fmt.Errorf("reading reference %q: %w", name, plumbing.ErrReferenceNotFound)
			}
			return Ref{Name: name, Hash: found[0].Hash, Peeled: found[0].Peeled}, nil
		case next == "":
			if hash.IsZero() {
				return Ref{}, fmt.Errorf("reading reference %q: it names no object", name)
			}
			return Ref{Name: name, Hash: hash}, nil
		}
		target = next
	}
	return Ref{}, fmt.Errorf("reading reference %q: it leads nowhere", name)
}

// Refs returns the references below prefix ("refs/tags/"), sorted by name, each
// once, loose over packed. A reference that can't be read is left out.
func (s *Store) Refs(prefix string) ([]Ref, error) {
	if !strings.HasPrefix(prefix, "refs/") || strings.Contains(prefix, "..") {
		return nil, fmt.Errorf("listing references: prefix %q is not below refs/", prefix)
	}
	loose := map[plumbing.ReferenceName]bool{}
	var refs []Ref
	for _, name := range s.looseNames(prefix) {
		loose[name] = true
		if ref, err := s.Ref(name); err == nil {
			refs = append(refs, ref)
		}
	}
	for _, ref := range s.packedRefs(func(name []byte) bool { return bytes.HasPrefix(name, []byte(prefix)) }) {
		if !loose[ref.Name] {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return slices.CompactFunc(refs, func(a, b Ref) bool { return a.Name == b.Name }), nil
}

// looseNames lists the files below prefix that can be references.
func (s *Store) looseNames(prefix string) []plumbing.ReferenceName {
	var names []plumbing.ReferenceName
	root := s.refPath(prefix)
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what can't be listed is left out
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return nil
		}
		if name := strings.TrimSuffix(prefix, "/") + "/" + filepath.ToSlash(rel); validRefName(name) {
			names = append(names, plumbing.ReferenceName(name))
		}
		return nil
	})
	return names
}

// refPath is the file of a reference. HEAD and a few others belong to one work tree.
func (s *Store) refPath(name string) string {
	dir := s.at.commonDir
	if !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
		dir = s.at.gitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// validRefName tells whether a name may be read as a file: git's own rules, which
// also keep names from leading out of the repository.
func validRefName(name string) bool {
	if name == "HEAD" {
		return true
	}
	if !strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
}

// readLoose reads a reference file: the hash it holds, or the name it points at.
// An error means that there is no such file; what makes no sense is a zero hash.
func readLoose(path string) (hash plumbing.Hash, target string, err error) {
	if link, err := os.Readlink(path); err == nil && strings.HasPrefix(link, "refs/") {
		return hash, link, nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return hash, "", nil // a pipe would keep the reader waiting
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return hash, "", err
	}
	text := strings.TrimSpace(string(data))
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		return hash, strings.TrimSpace(name), nil
	}
	text, _, _ = strings.Cut(text, "\n")
	if isHash(text) {
		hash = plumbing.NewHash(text)
	}
	return hash, "", nil
}

// packedRefs returns the references of packed-refs whose names are wanted.
func (s *Store) packedRefs(wanted func(name []byte) bool) []Ref {
	data, err := os.ReadFile(filepath.Join(s.at.commonDir, "packed-refs"))
	if err != nil {
		return nil
	}
	// A file that says "fully-peeled" has a peeled id for every annotated tag.
	first, _, _ := bytes.Cut(data, []byte("\n"))
	peeled := bytes.HasPrefix(first, []byte("# ")) && bytes.Contains(first, []byte(" fully-peeled"))
	var refs []Ref
	inWanted := false // the last reference was wanted, a peeled id belongs to it
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > 40 && line[0] == '^' && inWanted {
			refs[len(refs)-1].Peeled = plumbing.NewHash(string(line[1:41]))
			continue
		}
		inWanted = len(line) > 41 && line[40] == ' ' && wanted(line[41:])
		if inWanted && isHash(string(line[:40])) && validRefName(string(line[41:])) {
			ref := Ref{Name: plumbing.ReferenceName(line[41:]), Hash: plumbing.NewHash(string(line[:40]))}
			if peeled {
				ref.Peeled = ref.Hash
			}
			refs = append(refs, ref)
		} else {
			inWanted = false
		}
	}
	return refs
}

func isHash(s string) bool {
	return len(s) == 40 && isHex(s)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
