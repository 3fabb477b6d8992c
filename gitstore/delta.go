package gitstore

import "errors"

var errDelta = errors.New("a delta is damaged")

// applyDelta builds an object from its base. See gitformat-pack(5).
func applyDelta(base, delta []byte) ([]byte, error) {
	baseSize, delta, ok := deltaSize(delta)
	if !ok || baseSize != uint64(len(base)) {
		return nil, errDelta
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxObject {
		return nil, errDelta
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		instruction := delta[0]
		delta = delta[1:]
		var piece []byte
		if instruction&0x80 != 0 {
			piece, delta, ok = copied(base, instruction, delta)
		} else {
			n := int(instruction)
			if ok = n > 0 && n <= len(delta); ok {
				piece, delta = delta[:n], delta[n:]
			}
		}
		if !ok || uint64(len(out)+len(piece)) > size {
			return nil, errDelta
		}
		out = append(out, piece...)
	}
	if uint64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}

// copied reads the operands of an instruction to copy from the base.
func copied(base []byte, instruction byte, delta []byte) (piece, rest []byte, ok bool) {
	var operands [7]byte // four of the offset, three of the size
	for i := range operands {
		if instruction&(1<<i) == 0 {
			continue
		}
		if len(delta) == 0 {
			return nil, nil, false
		}
		operands[i], delta = delta[0], delta[1:]
	}
	offset := int64(operands[0]) | int64(operands[1])<<8 | int64(operands[2])<<16 | int64(operands[3])<<24
	size := int64(operands[4]) | int64(operands[5])<<8 | int64(operands[6])<<16
	if size == 0 {
		size = 0x10000
	}
	if offset+size > int64(len(base)) {
		return nil, nil, false
	}
	return base[offset : offset+size], delta, true
}

// deltaSize reads a size of seven bits a byte, lowest first.
func deltaSize(delta []byte) (size uint64, rest []byte, ok bool) {
	for i, b := range delta {
		if i > 8 {
			break
		}
		size |= uint64(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return size, delta[i+1:], true
		}
	}
	return 0, nil, false
}
