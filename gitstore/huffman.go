package gitstore

import (
	"math/bits"
	"sync"
)

const (
	maxCode  = 15 // bits of the longest code
	fastBits = 9  // codes up to this length are looked up in one step
)

// A huffman is a canonical code: short codes in a table, all of them by count and
// order.
type huffman struct {
	fast    [1 << fastBits]uint16 // symbol<<4 | length; zero when the code is longer
	count   [maxCode + 1]uint16   // codes of each length
	symbols [288]uint16           // in the order of their codes
}

// build makes the code whose symbols have these lengths. A length of zero means
// that a symbol does not occur.
func (h *huffman) build(lengths []uint8) bool {
	h.count = [maxCode + 1]uint16{}
	for _, length := range lengths {
		h.count[length]++
	}
	h.count[0] = 0
	var next, first [maxCode + 1]uint16 // the next code and the place of the next symbol, by length
	code, place := 0, uint16(0)
	for length := 1; length <= maxCode; length++ {
		code <<= 1
		next[length], first[length] = uint16(code), place
		code += int(h.count[length])
		place += h.count[length]
		if code > 1<<length {
			return false // more codes than fit
		}
	}
	h.fast = [1 << fastBits]uint16{}
	for symbol, length := range lengths {
		if length == 0 {
			continue
		}
		h.symbols[first[length]] = uint16(symbol)
		first[length]++
		if length <= fastBits {
			h.addFast(next[length], length, uint16(symbol)<<4|uint16(length))
		}
		next[length]++
	}
	return true
}

// addFast enters a code under every number that begins with it. Codes come with
// their highest bit first, numbers are read with their lowest bit first.
func (h *huffman) addFast(code uint16, length uint8, entry uint16) {
	for i := int(bits.Reverse16(code) >> (16 - length)); i < len(h.fast); i += 1 << length {
		h.fast[i] = entry
	}
}

// symbol decodes the next symbol.
func (d *flateDecoder) symbol(h *huffman) (int, bool) {
	if d.have < maxCode {
		d.fill()
	}
	if entry := h.fast[d.bits&(1<<fastBits-1)]; entry != 0 {
		length := uint(entry & 15)
		if length > d.have {
			return 0, false
		}
		d.drop(length)
		return int(entry >> 4), true
	}
	code, first, place := 0, 0, 0
	for length := 1; length <= maxCode && uint(length) <= d.have; length++ {
		code |= int(d.bits>>(length-1)) & 1
		count := int(h.count[length])
		if code-first < count {
			d.drop(uint(length))
			return int(h.symbols[place+code-first]), true
		}
		place += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, false
}

// The codes of blocks that bring none.
var (
	fixedLiterals = sync.OnceValue(func() *huffman {
		var lengths [288]uint8
		for i := range lengths {
			switch {
			case i < 144:
				lengths[i] = 8
			case i < 256:
				lengths[i] = 9
			case i < 280:
				lengths[i] = 7
			default:
				lengths[i] = 8
			}
		}
		return built(lengths[:])
	})
	fixedPlaces = sync.OnceValue(func() *huffman {
		var lengths [30]uint8
		for i := range lengths {
			lengths[i] = 5
		}
		return built(lengths[:])
	})
)

func built(lengths []uint8) *huffman {
	h := new(huffman)
	h.build(lengths)
	return h
}
