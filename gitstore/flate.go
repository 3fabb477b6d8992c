package gitstore

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"math/bits"
	"sync"
)

// This file inflates what lies in memory. It serves two ends that readers of streams
// can't: to stop after the first lines, which are all that a walk wants of most
// commits, and to do without their buffers and tables for small objects. See RFC
// 1950 and 1951.

var errInflate = errors.New("the compressed data is damaged or goes on elsewhere")

// inflateStart decodes a zlib stream into dst until that is full or the stream
// ends. It returns how many bytes it wrote. The checksum is not looked at: it covers
// the whole stream.
func inflateStart(dst, src []byte) (int, error) {
	d := decoders.Get().(*flateDecoder)
	defer decoders.Put(d)
	_, err := d.decode(dst, src)
	return d.written, err
}

// inflateWhole decodes a zlib stream of size bytes, all of which is in src.
func inflateWhole(size int, src []byte) ([]byte, error) {
	d := decoders.Get().(*flateDecoder)
	defer decoders.Put(d)
	dst := make([]byte, size+1) // room for what must not come
	ended, err := d.decode(dst, src)
	if err == nil && (!ended || d.written != size || !d.checksum(dst[:size])) {
		err = errInflate
	}
	return dst[:d.written], err
}

// decode decodes blocks until dst is full or, which ended tells, the last one is over.
func (d *flateDecoder) decode(dst, src []byte) (ended bool, err error) {
	d.out, d.written = dst, 0
	if len(src) < 2 || src[0]&15 != 8 || src[1]&32 != 0 || binary.BigEndian.Uint16(src)%31 != 0 {
		return false, errInflate
	}
	d.in, d.bits, d.have = src[2:], 0, 0
	for !ended && d.written < len(dst) {
		if ended, err = d.block(); err != nil {
			return false, err
		}
	}
	return ended && d.written < len(dst), nil
}

// checksum compares data with what the end of the stream says of it.
func (d *flateDecoder) checksum(data []byte) bool {
	d.drop(d.have & 7)
	high, ok := d.take(16)
	low, okLow := d.take(16)
	sum := bits.ReverseBytes16(uint16(high))
	return ok && okLow && adler32.Checksum(data) == uint32(sum)<<16|uint32(bits.ReverseBytes16(uint16(low)))
}

var decoders = sync.Pool{New: func() any { return new(flateDecoder) }}

// A flateDecoder holds the state of one stream and the tables of one block.
type flateDecoder struct {
	in               []byte
	bits             uint64
	have             uint // how many bits are valid
	out              []byte
	written          int
	literals, places huffman
	used             [286 + 30]coded // symbols of a code that is being read
}

// Kinds of blocks.
const (
	stored = iota
	fixed
	dynamic
)

// block decodes one block, or as much of it as there is room for.
func (d *flateDecoder) block() (last bool, err error) {
	head, ok := d.take(3)
	if !ok {
		return false, errInflate
	}
	switch head >> 1 {
	case stored:
		ok = d.copyStored()
	case fixed:
		ok = d.codes(fixedLiterals(), fixedPlaces())
	case dynamic:
		ok = d.readTables() && d.codes(&d.literals, &d.places)
	default:
		ok = false
	}
	if !ok {
		return false, errInflate
	}
	return head&1 == 1, nil
}

// fill makes up to 56 bits ready.
func (d *flateDecoder) fill() {
	if len(d.in) >= 8 {
		d.bits |= binary.LittleEndian.Uint64(d.in) << d.have
		d.in = d.in[(63-d.have)>>3:]
		d.have |= 56
		return
	}
	for d.have <= 48 && len(d.in) > 0 {
		d.bits |= uint64(d.in[0]) << d.have
		d.in = d.in[1:]
		d.have += 8
	}
}

// take reads n bits, at most 16.
func (d *flateDecoder) take(n uint) (uint, bool) {
	if d.have < n {
		if d.fill(); d.have < n {
			return 0, false
		}
	}
	value := uint(d.bits) & (1<<n - 1)
	d.drop(n)
	return value, true
}

func (d *flateDecoder) drop(n uint) {
	d.bits >>= n
	d.have -= n
}

// copyStored reads a block that is not compressed.
func (d *flateDecoder) copyStored() bool {
	d.drop(d.have & 7)
	size, ok := d.take(16)
	inverse, okInverse := d.take(16)
	if !ok || !okInverse || size != ^inverse&0xffff {
		return false
	}
	for ; size > 0 && d.written < len(d.out); size-- {
		b, ok := d.take(8)
		if !ok {
			return false
		}
		d.out[d.written] = byte(b)
		d.written++
	}
	return true
}

const endOfBlock = 256

// codes decodes literals and copies up to the end of the block.
func (d *flateDecoder) codes(literals, places *huffman) bool {
	for d.written < len(d.out) {
		if d.literalRun(literals); d.written == len(d.out) {
			break
		}
		symbol, ok := d.symbol(literals)
		switch {
		case !ok:
			return false
		case symbol == endOfBlock:
			return true
		case symbol < endOfBlock:
			d.out[d.written] = byte(symbol)
			d.written++
		case !d.copyBack(symbol-endOfBlock-1, places):
			return false
		}
	}
	return true
}

// literalRun decodes literals with short codes, which most symbols are, up to
// something else or until few bits are left.
func (d *flateDecoder) literalRun(literals *huffman) {
	d.fill()
	ready, have, out := d.bits, d.have, d.out[d.written:]
	n := 0
	for have >= fastBits && n < len(out) {
		entry := literals.fast[ready&literals.mask&(1<<fastBits-1)]
		if entry == 0 || entry >= endOfBlock<<4 {
			break
		}
		out[n] = byte(entry >> 4)
		n++
		ready >>= entry & 15
		have -= uint(entry & 15)
	}
	d.bits, d.have, d.written = ready, have, d.written+n
}

// What codes of lengths and distances begin at, and how many more bits they take.
var (
	lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	placeBase  = [...]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	placeBits  = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// copyBack repeats what was written before.
func (d *flateDecoder) copyBack(code int, places *huffman) bool {
	if code >= len(lengthBase) {
		return false
	}
	more, ok := d.take(uint(lengthBits[code]))
	length := int(lengthBase[code]) + int(more)
	place, okPlace := d.symbol(places)
	if !ok || !okPlace || place >= len(placeBase) {
		return false
	}
	more, ok = d.take(uint(placeBits[place]))
	distance := int(placeBase[place]) + int(more)
	if !ok || distance > d.written {
		return false
	}
	for ; length > 0 && d.written < len(d.out); length-- {
		d.out[d.written] = d.out[d.written-distance]
		d.written++
	}
	return true
}

// tableOrder is the order in which lengths of the codes for lengths come.
var tableOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readTables reads the two codes of a dynamic block.
func (d *flateDecoder) readTables() bool {
	counts, ok := d.take(14)
	literals, places, order := int(counts&31)+257, int(counts>>5&31)+1, int(counts>>10)+4
	if !ok || literals > 286 || places > 30 || !d.readLengthCode(order) {
		return false
	}
	used, split, ok := d.readLengths(literals, places)
	return ok && hasEndOfBlock(used[:split]) &&
		d.literals.build(used[:split], fastBits) && d.places.build(used[split:], 6)
}

// readLengthCode reads the code in which the lengths of the other codes come. It
// stands in for the literals' until that is known.
func (d *flateDecoder) readLengthCode(order int) bool {
	var lengths [len(tableOrder)]uint8
	for _, at := range tableOrder[:order] {
		length, ok := d.take(3)
		if !ok {
			return false
		}
		lengths[at] = uint8(length)
	}
	used := d.used[:0]
	for symbol, length := range lengths {
		if length > 0 {
			used = append(used, coded{uint16(symbol), length})
		}
	}
	return d.literals.build(used, 7)
}

// hasEndOfBlock tells whether a block can end.
func hasEndOfBlock(symbols []coded) bool {
	for i := len(symbols) - 1; i >= 0 && symbols[i].symbol >= endOfBlock; i-- {
		if symbols[i].symbol == endOfBlock {
			return true
		}
	}
	return false
}

// readLengths reads the lengths of two codes: the symbols that occur, those of the
// second code from split on.
func (d *flateDecoder) readLengths(literals, places int) (used []coded, split int, ok bool) {
	used = d.used[:0]
	var before uint8
	for i := 0; i < literals+places; {
		symbol, ok := d.symbol(&d.literals)
		if !ok {
			return nil, 0, false
		}
		length, run := uint8(symbol), 1
		if symbol >= 16 {
			kind := lengthRuns[symbol-16]
			more, ok := d.take(kind.bits)
			if run = int(kind.base + more); !ok || i+run > literals+places || symbol == 16 && i == 0 {
				return nil, 0, false
			}
			if length = 0; symbol == 16 {
				length = before
			}
		}
		before = length
		if length == 0 {
			i += run
			continue
		}
		for range run {
			if i < literals {
				used = append(used, coded{uint16(i), length})
				split = len(used)
			} else {
				used = append(used, coded{uint16(i - literals), length})
			}
			i++
		}
	}
	return used, split, true
}

// lengthRuns say how many more bits tell the length of a run, and the least of it:
// of the length before, and of zeros.
var lengthRuns = [...]struct{ bits, base uint }{{2, 3}, {3, 3}, {7, 11}}
