package gitstore

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// A Store takes the place of go-git's own storage for whatever reads from one.
var (
	_ storer.EncodedObjectStorer = (*Store)(nil)
	_ storer.ReferenceStorer     = (*Store)(nil)
	_ storer.ShallowStorer       = (*Store)(nil)
)

// ErrReadOnly is what every method that would write returns.
var ErrReadOnly = errors.New("the repository is opened for reading only")

// NewEncodedObject returns an object in memory.
func (s *Store) NewEncodedObject() plumbing.EncodedObject { return &plumbing.MemoryObject{} }

// SetEncodedObject returns ErrReadOnly.
func (s *Store) SetEncodedObject(plumbing.EncodedObject) (plumbing.Hash, error) {
	return plumbing.ZeroHash, ErrReadOnly
}

// EncodedObject returns an object of a type, or of any with plumbing.AnyObject.
func (s *Store) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	found, data, err := s.Object(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) || err == nil && kind != plumbing.AnyObject && kind != found {
		return nil, plumbing.ErrObjectNotFound // go-git compares the error itself
	}
	if err != nil {
		return nil, err
	}
	o := &plumbing.MemoryObject{}
	o.SetType(found)
	_, err = o.Write(data)
	return o, err
}

// IterEncodedObjects returns every object of a type, each once.
func (s *Store) IterEncodedObjects(kind plumbing.ObjectType) (storer.EncodedObjectIter, error) {
	all := map[plumbing.Hash]bool{}
	for first := range 256 {
		hashes, err := s.objects.withPrefix(fmt.Sprintf("%02x", first))
		if err != nil {
			return nil, err
		}
		for _, h := range hashes {
			all[h] = true
		}
	}
	return &objectIter{store: s, kind: kind, hashes: slices.Collect(maps.Keys(all))}, nil
}

// An objectIter reads objects as they are asked for.
type objectIter struct {
	store  *Store
	kind   plumbing.ObjectType
	hashes []plumbing.Hash
}

func (it *objectIter) Next() (plumbing.EncodedObject, error) {
	for len(it.hashes) > 0 {
		h := it.hashes[0]
		it.hashes = it.hashes[1:]
		o, err := it.store.EncodedObject(it.kind, h)
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return o, err
		}
	}
	return nil, io.EOF
}

func (it *objectIter) ForEach(f func(plumbing.EncodedObject) error) error {
	for {
		o, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(o)
		}
		if err == storer.ErrStop {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (it *objectIter) Close() { it.hashes = nil }

// HasEncodedObject returns plumbing.ErrObjectNotFound for an object that is not there.
func (s *Store) HasEncodedObject(h plumbing.Hash) error {
	_, err := s.EncodedObjectSize(h)
	return err
}

// EncodedObjectSize returns the size of an object's content in bytes.
func (s *Store) EncodedObjectSize(h plumbing.Hash) (int64, error) {
	size, err := s.Size(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return 0, plumbing.ErrObjectNotFound // go-git compares the error itself
	}
	return size, err
}

// AddAlternate returns ErrReadOnly.
func (s *Store) AddAlternate(string) error { return ErrReadOnly }

// Reference returns a reference as it is stored, symbolic ones not followed.
func (s *Store) Reference(name plumbing.ReferenceName) (*plumbing.Reference, error) {
	if !validRefName(string(name)) {
		return nil, plumbing.ErrReferenceNotFound
	}
	if _, target, err := readLoose(s.refPath(string(name))); err == nil && target != "" {
		return plumbing.NewSymbolicReference(name, plumbing.ReferenceName(target)), nil
	}
	ref, err := s.Ref(name)
	if err != nil {
		return nil, plumbing.ErrReferenceNotFound // go-git compares the error itself
	}
	return plumbing.NewHashReference(name, ref.Hash), nil
}

// IterReferences returns HEAD and every reference that can be read.
func (s *Store) IterReferences() (storer.ReferenceIter, error) {
	refs, err := s.Refs("refs/")
	if err != nil {
		return nil, err
	}
	var list []*plumbing.Reference
	for _, name := range append([]Ref{{Name: plumbing.HEAD}}, refs...) {
		if ref, err := s.Reference(name.Name); err == nil {
			list = append(list, ref)
		}
	}
	return storer.NewReferenceSliceIter(list), nil
}

// SetReference returns ErrReadOnly.
func (s *Store) SetReference(*plumbing.Reference) error { return ErrReadOnly }

// CheckAndSetReference returns ErrReadOnly.
func (s *Store) CheckAndSetReference(_, _ *plumbing.Reference) error { return ErrReadOnly }

// RemoveReference returns ErrReadOnly.
func (s *Store) RemoveReference(plumbing.ReferenceName) error { return ErrReadOnly }

// PackRefs returns ErrReadOnly.
func (s *Store) PackRefs() error { return ErrReadOnly }

// CountLooseRefs returns the number of references with a file of their own.
func (s *Store) CountLooseRefs() (int, error) { return len(s.looseNames("refs/")), nil }

// Shallow returns the commits at which history was cut.
func (s *Store) Shallow() ([]plumbing.Hash, error) {
	return slices.SortedFunc(maps.Keys(s.grafts.shallow), compareHashes), nil
}

// SetShallow returns ErrReadOnly.
func (s *Store) SetShallow([]plumbing.Hash) error { return ErrReadOnly }

func compareHashes(a, b plumbing.Hash) int { return strings.Compare(string(a[:]), string(b[:])) }
