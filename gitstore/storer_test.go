package gitstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

func TestStorer(t *testing.T) {
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "line %d of a file that is stored as a delta\\n", i)
	}
	dir := gittest.Build(t, small+"\nfile long "+long.String()+"\ncommit feat: long\nfile long "+long.String()+"more\ncommit feat: longer\n")
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "loose")
	s := open(t, dir, nil)
	var got []string
	objects, err := s.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		t.Fatal(err)
	}
	err = objects.ForEach(func(o plumbing.EncodedObject) error {
		size, err := s.EncodedObjectSize(o.Hash())
		got = append(got, fmt.Sprint(o.Hash(), " ", o.Type(), " ", size))
		return err
	})
	slices.Sort(got)
	want := gittest.Git(t, dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	if diff := cmp.Diff(want, strings.Join(got, "\n")); err != nil || diff != "" {
		t.Errorf("objects: %v (-want +got):\n%s", err, diff)
	}
	head, err := storer.ResolveReference(s, plumbing.HEAD)
	if err != nil || head.Hash().String() != gittest.Git(t, dir, "rev-parse", "HEAD") {
		t.Errorf("HEAD: %v, %v", head, err)
	}
	if _, err := s.EncodedObject(plumbing.BlobObject, head.Hash()); err != plumbing.ErrObjectNotFound {
		t.Errorf("a commit was given as a blob: %v", err)
	}
	var names []string
	refs, err := s.IterReferences()
	if err != nil {
		t.Fatal(err)
	}
	refs.ForEach(func(ref *plumbing.Reference) error {
		names = append(names, string(ref.Name()))
		return nil
	})
	if diff := cmp.Diff([]string{"HEAD", "refs/heads/main", "refs/tags/v1.0.0", "refs/tags/v1.1.0"}, names); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if err := s.SetReference(head); err != ErrReadOnly {
		t.Errorf("writing: %v", err)
	}
}
