package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxChain bounds chains of deltas; git makes them 50 long, 4095 at most.
const maxChain = 10000

// packBytes is how much of a pack is kept in memory.
const packBytes = 1 << 20

// A pack reads objects out of a pack file. It is safe for concurrent use.
type pack struct {
	path  string // of the index
	index *packIndex
	file  *pagedFile
	bases *baseCache
}

// openPack opens the pack whose index lies at path.
func openPack(path string, bases *baseCache) (*pack, error) {
	file, err := openPaged(strings.TrimSuffix(path, ".idx")+".pack", packBytes)
	if err != nil {
		return nil, err
	}
	index, err := openIndex(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &pack{path: path, index: index, file: file, bases: bases}, nil
}

func (p *pack) close() error {
	return errors.Join(p.index.file.Close(), p.file.Close())
}

// A packed object as its header in the pack describes it.
type packed struct {
	kind   plumbing.ObjectType
	size   int64         // inflated; of the delta if it is one
	base   int64         // where the base of a delta by offset lies
	byHash plumbing.Hash // the base of a delta by hash
}

// maxHeader is the longest header of an entry: size, and a hash or an offset.
const maxHeader = 10 + hashSize

// entry reads what lies at offset: the header and the content behind it.
func (p *pack) entry(offset int64) (packed, []byte, error) {
	c := cursors.Get().(*cursor)
	defer cursors.Put(c)
	o, err := p.header(c, offset)
	if err != nil {
		return packed{}, nil, err
	}
	content, err := c.inflate(o.size)
	if err != nil {
		return packed{}, nil, fmt.Errorf("reading pack %q at %d: %w", p.path, offset, err)
	}
	return o, content, nil
}

// header reads the header at offset and leaves c behind it.
func (p *pack) header(c *cursor, offset int64) (packed, error) {
	c.seek(p.file, offset)
	head, err := c.buf.Peek(maxHeader)
	if len(head) == 0 {
		return packed{}, fmt.Errorf("reading pack %q at %d: %w", p.path, offset, err)
	}
	o, used, ok := parsePacked(head)
	if !ok || o.base > offset {
		return packed{}, fmt.Errorf("reading pack %q at %d: the entry is damaged", p.path, offset)
	}
	o.base = offset - o.base
	_, err = c.buf.Discard(used)
	return o, err
}

// size returns how large the object at offset is when it is whole. A delta says so
// in its first bytes.
func (p *pack) size(offset int64) (int64, error) {
	c := cursors.Get().(*cursor)
	defer cursors.Put(c)
	o, err := p.header(c, offset)
	if err != nil || o.kind != plumbing.OFSDeltaObject && o.kind != plumbing.REFDeltaObject {
		return o.size, err
	}
	var start [20]byte
	compressed, _ := c.buf.Peek(c.buf.Buffered())
	n, _ := inflateStart(start[:], compressed)
	_, rest, ok := deltaSize(start[:n])
	size, _, okSize := deltaSize(rest)
	if !ok || !okSize {
		return 0, fmt.Errorf("reading pack %q at %d: %w", p.path, offset, errDelta)
	}
	return int64(size), nil
}

// headerBytes is room for the first lines of a commit with three parents.
const headerBytes = 304

// commitStart returns the start of the commit at offset down to the committer's
// line. False means that it is not a commit, or a delta, or longer.
func (p *pack) commitStart(offset int64) ([]byte, bool) {
	entry, err := p.file.view(offset, maxHeader+headerBytes)
	if err != nil || len(entry) == 0 {
		return nil, false
	}
	o, used, ok := parsePacked(entry)
	if !ok || o.kind != plumbing.CommitObject {
		return nil, false
	}
	data := make([]byte, min(o.size, headerBytes))
	n, _ := inflateStart(data, entry[used:])
	_, committer, found := bytes.Cut(data[:n], []byte("\ncommitter "))
	return data[:n], found && bytes.IndexByte(committer, '\n') >= 0
}

// parsePacked reads the type, the size, and what a delta says of its base: a hash,
// or how far before the entry it lies.
func parsePacked(head []byte) (o packed, used int, ok bool) {
	b := head[0]
	o.kind, o.size = plumbing.ObjectType(b>>4&7), int64(b&15)
	used = 1
	for shift := 4; b&0x80 != 0; shift += 7 {
		if used == len(head) || shift > 50 {
			return o, 0, false
		}
		b = head[used]
		o.size |= int64(b&0x7f) << shift
		used++
	}
	switch o.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		return o, used, true
	case plumbing.REFDeltaObject:
		if len(head)-used < hashSize {
			return o, 0, false
		}
		used += copy(o.byHash[:], head[used:])
		return o, used, true
	case plumbing.OFSDeltaObject:
		for first := true; ; first = false {
			if used == len(head) || o.base > 1<<55 {
				return o, 0, false
			}
			b = head[used]
			if !first {
				o.base++
			}
			o.base = o.base<<7 | int64(b&0x7f)
			used++
			if b&0x80 == 0 {
				return o, used, o.base > 0
			}
		}
	}
	return o, 0, false
}

// read returns the object at offset.
func (p *pack) read(offset int64) (plumbing.ObjectType, []byte, error) {
	var kind plumbing.ObjectType
	var data []byte
	var deltas [][]byte // from the object down to its base
	var places []int64  // of the objects that the deltas make
	for {
		if base, ok := p.bases.get(p, offset); ok {
			kind, data = base.kind, base.data
			break
		}
		o, content, err := p.entry(offset)
		if err != nil {
			return kind, nil, err
		}
		if o.kind != plumbing.OFSDeltaObject && o.kind != plumbing.REFDeltaObject {
			kind, data = o.kind, content
			if len(deltas) > 0 {
				p.bases.put(p, offset, base{kind, data})
			}
			break
		}
		deltas, places = append(deltas, content), append(places, offset)
		if offset, err = p.baseOf(o); err != nil || len(deltas) > maxChain {
			return kind, nil, fmt.Errorf("reading pack %q: following deltas: %v", p.path, err)
		}
	}
	return p.build(kind, data, deltas, places)
}

// build applies deltas, the last one first, and remembers what is between.
func (p *pack) build(kind plumbing.ObjectType, data []byte, deltas [][]byte, places []int64) (plumbing.ObjectType, []byte, error) {
	for i := len(deltas) - 1; i >= 0; i-- {
		var err error
		if data, err = applyDelta(data, deltas[i]); err != nil {
			return kind, nil, fmt.Errorf("reading pack %q at %d: %w", p.path, places[i], err)
		}
		if i > 0 {
			p.bases.put(p, places[i], base{kind, data})
		}
	}
	return kind, data, nil
}

// baseOf is where the base of a delta lies; packs on disk hold the bases of their deltas.
func (p *pack) baseOf(o packed) (int64, error) {
	if o.kind == plumbing.OFSDeltaObject {
		return o.base, nil
	}
	offset, ok, err := p.index.find(o.byHash)
	if err == nil && !ok {
		err = fmt.Errorf("base %s is not in the pack", o.byHash)
	}
	return offset, err
}
