package gitstore

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// Sizes in pack index files, in bytes. See gitformat-pack(5).
const (
	hashSize   = len(plumbing.Hash{})
	fanoutSize = 256 * 4
	v2Header   = 8
	v1Entry    = 4 + hashSize
)

// indexBytes is how much of an index is kept in memory.
const indexBytes = 32 << 20

// A packIndex finds objects in a pack. It stays on disk but for the first table and
// the pages that were asked for last.
type packIndex struct {
	file   *pagedFile
	v1     bool
	fanout [256]uint32 // how many hashes begin with a byte up to this one
}

func openIndex(path string) (*packIndex, error) {
	file, err := openPaged(path, indexBytes)
	if err != nil {
		return nil, err
	}
	x := &packIndex{file: file}
	if err := x.readFanout(); err != nil {
		file.Close()
		return nil, fmt.Errorf("reading pack index %q: %w", path, err)
	}
	return x, nil
}

func (x *packIndex) readFanout() error {
	var head [v2Header + fanoutSize]byte
	if n, err := x.file.ReadAt(head[:], 0); n < fanoutSize || err != nil && err != io.EOF {
		return fmt.Errorf("it is cut off: %v", err)
	}
	table := head[v2Header:]
	if string(head[:4]) != "\xfftOc" {
		x.v1, table = true, head[:fanoutSize]
	} else if version := binary.BigEndian.Uint32(head[4:]); version != 2 {
		return fmt.Errorf("version %d is not known", version)
	}
	before := uint32(0)
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(table[4*i:])
		if x.fanout[i] < before {
			return fmt.Errorf("its first table is not sorted")
		}
		before = x.fanout[i]
	}
	info, err := x.file.file.Stat()
	if err == nil && info.Size() < x.leastSize() {
		err = fmt.Errorf("it is cut off")
	}
	return err
}

func (x *packIndex) count() int64 { return int64(x.fanout[255]) }

// leastSize is that of an index with the objects that the first table promises.
func (x *packIndex) leastSize() int64 {
	if x.v1 {
		return fanoutSize + x.count()*int64(v1Entry) + int64(2*hashSize)
	}
	return v2Header + fanoutSize + x.count()*int64(hashSize+4+4) + int64(2*hashSize)
}

// entry tells where the i-th hash stands and how far apart hashes are.
func (x *packIndex) entry(i int64) (at, stride int64) {
	if x.v1 {
		return fanoutSize + i*int64(v1Entry) + 4, int64(v1Entry)
	}
	return v2Header + fanoutSize + i*int64(hashSize), int64(hashSize)
}

// bucket is the range of hashes that begin with a byte.
func (x *packIndex) bucket(first byte) (low, high int64) {
	if first > 0 {
		low = int64(x.fanout[first-1])
	}
	return low, int64(x.fanout[first])
}

// hashes reads the hashes from low to high.
func (x *packIndex) hashes(low, high int64) ([]byte, error) {
	at, stride := x.entry(low)
	need := int((high-low-1)*stride) + hashSize
	data, err := x.file.view(at, need)
	if err == nil && len(data) < need {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// find returns the place of an object in the pack.
func (x *packIndex) find(h plumbing.Hash) (offset int64, ok bool, err error) {
	low, high := x.bucket(h[0])
	_, stride := x.entry(0)
	i, ok, err := findHash(h, low, high, int(stride), x.hashes)
	if err != nil || !ok {
		return 0, false, err
	}
	offset, err = x.offset(i)
	return offset, err == nil, err
}

// offset reads the place of the i-th object.
func (x *packIndex) offset(i int64) (int64, error) {
	var number [8]byte
	if x.v1 {
		at, _ := x.entry(i)
		_, err := x.file.ReadAt(number[:4], at-4)
		return int64(binary.BigEndian.Uint32(number[:])), err
	}
	small := v2Header + fanoutSize + x.count()*int64(hashSize+4)
	if _, err := x.file.ReadAt(number[:4], small+4*i); err != nil {
		return 0, err
	}
	offset := binary.BigEndian.Uint32(number[:])
	if offset&(1<<31) == 0 {
		return int64(offset), nil
	}
	large := small + 4*x.count()
	if _, err := x.file.ReadAt(number[:], large+8*int64(offset&^(1<<31))); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(number[:]) &^ (1 << 63)), nil
}

// withPrefix returns the hashes that begin with hexadecimal digits, two at least.
func (x *packIndex) withPrefix(digits string) ([]plumbing.Hash, error) {
	first, err := hex.DecodeString(digits[:2])
	if err != nil {
		return nil, err
	}
	low, high := x.bucket(first[0])
	if low == high {
		return nil, nil
	}
	data, err := x.hashes(low, high)
	if err != nil {
		return nil, err
	}
	_, stride := x.entry(0)
	var found []plumbing.Hash
	for at := 0; at < len(data); at += int(stride) {
		if h := plumbing.Hash(data[at : at+hashSize]); h.String()[:len(digits)] == digits {
			found = append(found, h)
		}
	}
	return found, nil
}
