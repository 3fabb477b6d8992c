package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxAlternates is how deep object directories may borrow from each other, as in git.
const maxAlternates = 5

// An objectStore reads objects out of the directories of a repository and those it
// borrows from. It is safe for concurrent use.
type objectStore struct {
	dirs  []string
	bases *baseCache

	mu      sync.RWMutex
	packs   []*pack // the one that served last comes first
	scanned map[string]time.Time
}

func openObjects(from, objectDir string, env environment) *objectStore {
	o := &objectStore{bases: newBaseCache(baseCacheBytes), scanned: map[string]time.Time{}}
	o.addDir(objectDir, 0)
	for _, dir := range filepath.SplitList(env.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")) {
		o.addDir(against(from, dir), 0)
	}
	o.scan()
	return o
}

// addDir adds a directory of objects and those that its info/alternates names.
func (o *objectStore) addDir(dir string, depth int) {
	dir = resolved(dir)
	if depth > maxAlternates || slices.Contains(o.dirs, dir) || !isDir(dir) {
		return
	}
	o.dirs = append(o.dirs, dir)
	data, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if unquoted, err := strconv.Unquote(line); err == nil {
			line = unquoted
		}
		if line != "" && line[0] != '#' {
			o.addDir(against(dir, line), depth+1)
		}
	}
}

// scan opens packs that are new. It returns whether there were any. A pack that
// can't be read is left out: others may hold its objects.
func (o *objectStore) scan() (found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, dir := range o.dirs {
		dir = filepath.Join(dir, "pack")
		info, err := os.Stat(dir)
		if err != nil || info.ModTime().Equal(o.scanned[dir]) {
			continue
		}
		o.scanned[dir] = info.ModTime()
		indexes, _ := filepath.Glob(filepath.Join(dir, "*.idx"))
		for _, path := range indexes {
			if slices.ContainsFunc(o.packs, func(p *pack) bool { return p.path == path }) {
				continue
			}
			if p, err := openPack(path, o.bases); err == nil {
				o.packs = append(o.packs, p)
				found = true
			}
		}
	}
	return found
}

func (o *objectStore) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, p := range o.packs {
		errs = append(errs, p.close())
	}
	o.packs = nil
	return errors.Join(errs...)
}

// read looks in packs, then among loose objects, then in packs that have come
// since. A damaged copy doesn't hide a good one.
func (o *objectStore) read(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	kind, data, err := o.readPacked(h)
	if err == nil {
		return kind, data, nil
	}
	for _, dir := range o.dirs {
		kind, data, looseErr := readLooseObject(dir, h)
		if looseErr == nil {
			return kind, data, nil
		}
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			err = looseErr
		}
	}
	if o.scan() {
		return o.readPacked(h)
	}
	return plumbing.InvalidObject, nil, err
}

// readPacked reads an object from the first pack that can give it.
func (o *objectStore) readPacked(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	failed := plumbing.ErrObjectNotFound
	for i, p := range o.opened() {
		offset, ok, err := p.index.find(h)
		if err != nil || !ok {
			continue
		}
		kind, data, err := p.read(offset)
		if err == nil {
			if i > 0 {
				o.prefer(p)
			}
			return kind, data, nil
		}
		failed = err
	}
	return plumbing.InvalidObject, nil, failed
}

// commitStart reads the first lines of a commit that is packed as it is.
func (o *objectStore) commitStart(h plumbing.Hash) ([]byte, bool) {
	for _, p := range o.opened() {
		if offset, ok, err := p.index.find(h); err == nil && ok {
			return p.commitStart(offset)
		}
	}
	return nil, false
}

// size looks where read looks.
func (o *objectStore) size(h plumbing.Hash) (int64, error) {
	for _, p := range o.opened() {
		if offset, ok, err := p.index.find(h); err == nil && ok {
			return p.size(offset)
		}
	}
	for _, dir := range o.dirs {
		size, err := looseSize(dir, h)
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return size, err
		}
	}
	if o.scan() {
		return o.size(h)
	}
	return 0, plumbing.ErrObjectNotFound
}

// opened returns the packs; the list is not changed any more.
func (o *objectStore) opened() []*pack {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.packs
}

// prefer makes a pack the first to be asked. Objects of one time lie in one pack.
func (o *objectStore) prefer(p *pack) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.packs, p); i > 0 {
		packs := append([]*pack{p}, o.packs[:i]...)
		o.packs = append(packs, o.packs[i+1:]...)
	}
}

// An ObjectError says which object can't be read, and why.
type ObjectError struct {
	Hash plumbing.Hash
	Err  error
}

// Error names the object.
func (e *ObjectError) Error() string { return fmt.Sprintf("reading object %s: %v", e.Hash, e.Err) }

// Unwrap returns the cause: plumbing.ErrObjectNotFound, ErrTooLarge, or what is
// wrong with the stored bytes.
func (e *ObjectError) Unwrap() error { return e.Err }

// Hint returns the command that shows what else is damaged or missing.
func (e *ObjectError) Hint() string { return "git fsck --full" }

// Object returns the type and the whole content of an object, replacements
// (refs/replace) honoured. A missing one gives plumbing.ErrObjectNotFound, one of
// more than 1 GiB ErrTooLarge.
func (s *Store) Object(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	kind, data, err := s.objects.read(s.replacement(h))
	if err != nil {
		return plumbing.InvalidObject, nil, &ObjectError{Hash: h, Err: err}
	}
	return kind, data, nil
}

// Size returns the size of an object's content in bytes without reading all of it.
func (s *Store) Size(h plumbing.Hash) (int64, error) {
	size, err := s.objects.size(s.replacement(h))
	if err != nil {
		return 0, &ObjectError{Hash: h, Err: err}
	}
	return size, nil
}

// CommitHeader returns at least the first lines of a commit, down to the committer's,
// and perhaps more. It inflates no more than it needs where it can.
func (s *Store) CommitHeader(h plumbing.Hash) ([]byte, error) {
	if data, ok := s.objects.commitStart(s.replacement(h)); ok {
		return data, nil
	}
	kind, data, err := s.Object(h)
	if err == nil && kind != plumbing.CommitObject {
		err = fmt.Errorf("reading commit %s: it is a %s: %w", h, kind, plumbing.ErrObjectNotFound)
	}
	return data, err
}

// Abbreviated returns the hashes of all objects that begin with prefix, an even
// or odd number of at least four hexadecimal digits.
func (s *Store) Abbreviated(prefix string) ([]plumbing.Hash, error) {
	if len(prefix) < 4 || len(prefix) > 40 || !isHex(prefix) {
		return nil, nil
	}
	found, err := s.objects.withPrefix(strings.ToLower(prefix))
	if err != nil {
		return nil, fmt.Errorf("looking for objects that begin with %q: %w", prefix, err)
	}
	return found, nil
}

// withPrefix returns the hashes that begin with two or more hexadecimal digits.
func (o *objectStore) withPrefix(digits string) ([]plumbing.Hash, error) {
	var found []plumbing.Hash
	for _, p := range o.opened() {
		hashes, err := p.index.withPrefix(digits)
		if err != nil {
			return nil, err
		}
		found = append(found, hashes...)
	}
	for _, dir := range o.dirs {
		found = append(found, looseWithPrefix(dir, digits)...)
	}
	slices.SortFunc(found, compareHashes)
	return slices.Compact(found), nil
}
