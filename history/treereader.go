package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// An entry is a line of a tree. The zero value stands for nothing there.
type entry struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

func (e entry) isDir() bool { return e.mode == filemode.Dir }

// A treeReader goes through the lines of a tree: "mode name\0hash" again and again,
// sorted by name. Nothing is copied before it is asked for.
type treeReader struct {
	data             []byte // what follows
	mode, name, hash []byte // of this line; no name at the end
}

// next goes to the next line.
func (t *treeReader) next() error {
	if len(t.data) == 0 {
		t.mode, t.name, t.hash = nil, nil, nil
		return nil
	}
	head, rest, ok := bytes.Cut(t.data, []byte{0})
	mode, name, hasName := bytes.Cut(head, []byte(" "))
	size := len(plumbing.Hash{})
	if !ok || !hasName || len(name) == 0 || len(rest) < size {
		return errors.New("reading a tree: it is cut off or damaged")
	}
	t.mode, t.name, t.hash, t.data = mode, name, rest[:size], rest[size:]
	return nil
}

func (t *treeReader) entry() (entry, error) {
	mode, err := filemode.New(string(t.mode))
	if err != nil {
		return entry{}, fmt.Errorf("reading a tree: mode %q of %q: %v", t.mode, t.name, err)
	}
	return entry{name: string(t.name), mode: mode, hash: plumbing.Hash(t.hash)}, nil
}

func (t *treeReader) ended() bool { return t.name == nil }

// isDir tells whether git sorts the line as if its name ended in a slash.
func (t *treeReader) isDir() bool { return len(t.mode) > 0 && bytes.TrimLeft(t.mode, "0")[0] == '4' }

// compareNames orders two lines as trees are sorted. The end comes last.
func compareNames(a, b *treeReader) int {
	if a.ended() || b.ended() {
		return cmp.Compare(btoi(a.ended()), btoi(b.ended()))
	}
	shared := min(len(a.name), len(b.name))
	if order := bytes.Compare(a.name[:shared], b.name[:shared]); order != 0 {
		return order
	}
	return cmp.Compare(a.byteAt(shared), b.byteAt(shared))
}

// byteAt is the byte of the name at i, or what stands for its end.
func (t *treeReader) byteAt(i int) byte {
	switch {
	case i < len(t.name):
		return t.name[i]
	case t.isDir():
		return '/'
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
