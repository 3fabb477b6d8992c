package gitstore

import (
	"math/bits"
	"sync"
)

const (
	maxCode  = 15 // bits of the longest code
	fastBits = 8  // at most so many bits are looked up in one step
)

// A huffman is a canonical code: short codes in a table, all of them by count and
// order.
type huffman struct {
	fast    [1 << fastBits]uint16 // symbol<<4 | length; zero when the code is longer
	mask    uint64                // of the bits that the table is looked up with
	count   [maxCode + 1]uint16   // codes of each length
	symbols [288]uint16           // in the order of their codes
}

// A coded symbol has a code of so many bits.
type coded struct {
	symbol uint16
	length uint8
}

// build makes the code of symbols that come in their order. Codes up to so many bits
// go into the table: filling it takes longer than decoding a small object.
func (h *huffman) build(symbols []coded, tableBits uint) bool {
	h.count = [maxCode + 1]uint16{}
	for _, s := range symbols {
		h.count[s.length]++
	}
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
	h.mask = 1<<tableBits - 1
	clear(h.fast[:1<<tableBits])
	for _, s := range symbols {
		length := s.length & maxCode
		h.symbols[first[length]] = s.symbol
		first[length]++
		if uint(length) <= tableBits {
			h.addFast(next[length], length, s.symbol<<4|uint16(length))
		}
		next[length]++
	}
	return true
}

// addFast enters a code under every number that begins with it. Codes come with
// their highest bit first, numbers are read with their lowest bit first.
func (h *huffman) addFast(code uint16, length uint8, entry uint16) {
	for i := int(bits.Reverse16(code) >> (16 - length)); i <= int(h.mask); i += 1 << length {
		h.fast[i] = entry
	}
}

// symbol decodes the next symbol.
func (d *flateDecoder) symbol(h *huffman) (int, bool) {
	if d.have < maxCode {
		d.fill()
	}
	if entry := h.fast[d.bits&h.mask&(1<<fastBits-1)]; entry != 0 {
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
		return built(288, func(symbol int) uint8 {
			switch {
			case symbol >= 144 && symbol < 256:
				return 9
			case symbol >= 256 && symbol < 280:
				return 7
			}
			return 8
		})
	})
	fixedPlaces = sync.OnceValue(func() *huffman {
		return built(30, func(int) uint8 { return 5 })
	})
)

func built(n int, length func(symbol int) uint8) *huffman {
	var symbols []coded
	for symbol := range n {
		symbols = append(symbols, coded{uint16(symbol), length(symbol)})
	}
	h := new(huffman)
	h.build(symbols, fastBits)
	return h
}
