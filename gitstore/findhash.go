package gitstore

import (
	"bytes"
	"encoding/binary"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	window     = 64 // hashes that are read at once around a guess
	maxGuesses = 4  // then halves are taken, should the hashes not be spread evenly
)

// findHash looks for h among sorted hashes from low to high, all of which begin with
// the same byte. They are spread evenly, so that one read around the guessed place
// nearly always does. The function reads the hashes of a range, stride bytes apart.
func findHash(h plumbing.Hash, low, high int64, stride int, hashes func(from, to int64) ([]byte, error)) (i int64, ok bool, err error) {
	guess := low + int64(uint64(binary.BigEndian.Uint32(h[1:]))*uint64(high-low)>>32)
	for tries := 0; low < high; tries++ {
		if tries >= maxGuesses {
			guess = (low + high) / 2
		}
		from, to := max(low, guess-window/2), min(high, guess+window/2)
		data, err := hashes(from, to)
		if err != nil {
			return 0, false, err
		}
		at, found := searchHashes(data, int(to-from), stride, h)
		switch {
		case found:
			return from + int64(at), true, nil
		case at == 0:
			high, guess = from, from-window/2
		case at == int(to-from):
			low, guess = to, to+window/2
		default:
			return 0, false, nil
		}
		guess = max(low, min(guess, high))
	}
	return 0, false, nil
}

// searchHashes looks among n hashes.
func searchHashes(data []byte, n, stride int, h plumbing.Hash) (i int, found bool) {
	low, high := 0, n
	for low < high {
		middle := (low + high) / 2
		switch at := middle * stride; bytes.Compare(data[at:at+hashSize], h[:]) {
		case 0:
			return middle, true
		case -1:
			low = middle + 1
		default:
			high = middle
		}
	}
	return low, false
}
