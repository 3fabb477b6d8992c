package gitstore

import (
	"bufio"
	"errors"
	"fmt"
	"github.com/klauspost/compress/zlib"
	"io"
	"sync"
)

// maxObject is the size, in bytes, above which objects are not read.
const maxObject = 1 << 30

// ErrTooLarge is the error for objects of more than 1 GiB.
var ErrTooLarge = errors.New("object is too large to be read")

// A cursor reads a pack from a place on: the header of an entry, then what is
// compressed behind it. Cursors are used again with their buffers.
type cursor struct {
	file fileReader
	buf  *bufio.Reader
	zlib io.ReadCloser
}

// cursorBuffer is what is read at once, in bytes; most commits fit.
const cursorBuffer = 2048

var cursors = sync.Pool{New: func() any {
	c := new(cursor)
	c.buf = bufio.NewReaderSize(&c.file, cursorBuffer)
	return c
}}

func (c *cursor) seek(file io.ReaderAt, offset int64) {
	c.file = fileReader{file, offset}
	c.buf.Reset(&c.file)
}

// inflate returns the size bytes that are compressed where the cursor stands. What
// is not in the buffer as a whole is read as a stream.
func (c *cursor) inflate(size int64) (data []byte, err error) {
	if size > maxObject {
		return nil, fmt.Errorf("%d bytes: %w", size, ErrTooLarge)
	}
	if size <= cursorBuffer*4 {
		compressed, _ := c.buf.Peek(c.buf.Buffered())
		if data, err := inflateWhole(int(size), compressed); err == nil {
			return data, nil
		}
	}
	if c.zlib == nil {
		c.zlib, err = zlib.NewReader(c.buf)
	} else {
		err = c.zlib.(zlib.Resetter).Reset(c.buf, nil)
	}
	if err != nil {
		return nil, err
	}
	return readExactly(c.zlib, size)
}

// allocateAtOnce is how much is set aside on a header's word alone.
const allocateAtOnce = 16 << 20

// readExactly returns size bytes.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	data := make([]byte, min(size, allocateAtOnce))
	n, err := io.ReadFull(r, data)
	for err == nil && int64(n) < size {
		data = append(data, make([]byte, min(size-int64(n), int64(n)))...)
		var more int
		more, err = io.ReadFull(r, data[n:])
		n += more
	}
	if err != nil {
		return nil, fmt.Errorf("inflating %d bytes: %w", size, err)
	}
	return data, nil
}

// A fileReader reads a file from an offset on.
type fileReader struct {
	file   io.ReaderAt
	offset int64
}

func (r *fileReader) Read(p []byte) (int, error) {
	n, err := r.file.ReadAt(p, r.offset)
	r.offset += int64(n)
	return n, err
}
