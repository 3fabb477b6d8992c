package history

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzCommits makes a small history out of any bytes and holds every range that
// ends at its last commit against the set difference by full ancestry.
func FuzzCommits(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x00\x01\x02\x02\x01\x03\x01\x02\x09"))
	f.Add([]byte("\x00\x00\xf0\x00\x01\x01\x00\x02\xff\x11\x01\x00\x12\x03\x80"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := graphOf(data)
		if len(g.parents) == 0 {
			return
		}
		dir, hashes := g.write(t)
		repo := openRepository(t, dir)
		last := len(hashes) - 1
		for from := -1; from < last; from++ {
			log, err := repo.Commits(t.Context(), orEmpty(hashes, from), hashes[last], nil)
			if err != nil || !log.Complete {
				t.Fatalf("from %d: complete %v, %v", from, log.Complete, err)
			}
			var got []string
			for _, c := range log.Commits {
				got = append(got, c.Hash)
			}
			slices.Sort(got)
			if diff := cmp.Diff(g.difference(hashes, from, last), got); diff != "" {
				t.Errorf("from %d of %+v (-want +got):\n%s", from, g, diff)
			}
		}
	})
}

func orEmpty(hashes []string, i int) string {
	if i < 0 {
		return ""
	}
	return hashes[i]
}

// graphOf reads three bytes for each commit: the distances to two parents, 0 for
// none, and a date.
func graphOf(data []byte) graph {
	var g graph
	for i := 0; 3*i+2 < len(data) && i < 24; i++ {
		var parents []int
		for _, distance := range data[3*i : 3*i+2] {
			if p := i - int(distance%8); p >= 0 && p < i && !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
		g.parents = append(g.parents, parents)
		g.dates = append(g.dates, 1700000000+600*int64(data[3*i+2]))
	}
	return g
}

// difference returns the sorted hashes of what to reaches and from does not.
func (g graph) difference(hashes []string, from, to int) []string {
	excluded := map[int]bool{}
	if from >= 0 {
		excluded = g.ancestors(from)
	}
	var want []string
	for i := range g.ancestors(to) {
		if !excluded[i] {
			want = append(want, hashes[i])
		}
	}
	slices.Sort(want)
	return want
}

// write makes a repository of loose objects, without git.
func (g graph) write(t *testing.T) (dir string, hashes []string) {
	dir = t.TempDir()
	for _, name := range []string{"objects", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, parents := range g.parents {
		var b bytes.Buffer
		fmt.Fprintf(&b, "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n")
		for _, p := range parents {
			fmt.Fprintf(&b, "parent %s\n", hashes[p])
		}
		fmt.Fprintf(&b, "author A <a@x> %d +0000\ncommitter A <a@x> %d +0000\n\n%d\n", g.dates[i], g.dates[i], i)
		hashes = append(hashes, writeCommit(t, dir, b.Bytes()))
	}
	return dir, hashes
}

func writeCommit(t *testing.T, dir string, content []byte) string {
	object := append(fmt.Appendf(nil, "commit %d\x00", len(content)), content...)
	hash := fmt.Sprintf("%x", sha1.Sum(object))
	name := filepath.Join(dir, "objects", hash[:2], hash[2:])
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(object)
	w.Close()
	if err := os.WriteFile(name, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return hash
}
