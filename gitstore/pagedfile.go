package gitstore

import (
	"io"
	"os"
	"sync"
)

// pageSize is how much of a paged file is read at once, in bytes.
const pageSize = 4 << 10

// A pagedFile reads a file by pages and keeps the last ones, because what is asked
// for next mostly lies near: commits lie in a pack nearly in the order of their
// dates, and indexes are asked thousands of times. It is safe for concurrent use.
type pagedFile struct {
	file *os.File
	keep int // number of pages

	mu    sync.RWMutex
	pages map[int64][]byte
	order []int64 // of the pages, as a ring
	next  int     // the one in the ring that gives way
}

func openPaged(path string, keepBytes int) (*pagedFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &pagedFile{file: file, keep: keepBytes / pageSize, pages: map[int64][]byte{}}, nil
}

// Close closes the file.
func (f *pagedFile) Close() error { return f.file.Close() }

// ReadAt is as io.ReaderAt has it. What is larger than a page goes past the pages.
func (f *pagedFile) ReadAt(p []byte, offset int64) (n int, err error) {
	if len(p) > pageSize || offset < 0 {
		return f.file.ReadAt(p, offset)
	}
	for n < len(p) {
		page, err := f.rest(offset + int64(n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], page)
	}
	return n, nil
}

// view returns n bytes at an offset, or less where the file ends. They are shared
// and must not be changed.
func (f *pagedFile) view(offset int64, n int) ([]byte, error) {
	page, err := f.rest(offset)
	if err == nil && n <= len(page) {
		return page[:n], nil
	}
	data := make([]byte, n)
	read, err := f.ReadAt(data, offset)
	if read > 0 && err == io.EOF {
		err = nil
	}
	return data[:read], err
}

// rest returns what its page holds from an offset on.
func (f *pagedFile) rest(offset int64) ([]byte, error) {
	if offset < 0 {
		return nil, io.ErrUnexpectedEOF
	}
	page, err := f.page(offset / pageSize)
	if err != nil {
		return nil, err
	}
	if start := int(offset % pageSize); start < len(page) {
		return page[start:], nil
	}
	return nil, io.EOF
}

// page returns a page, which ends early where the file does.
func (f *pagedFile) page(number int64) ([]byte, error) {
	f.mu.RLock()
	page, ok := f.pages[number]
	f.mu.RUnlock()
	if ok {
		return page, nil
	}
	page = make([]byte, pageSize)
	n, err := f.file.ReadAt(page, number*pageSize)
	if n == 0 && err != nil {
		return nil, err
	}
	f.keepPage(number, page[:n])
	return page[:n], nil
}

// keepPage keeps a page in place of the oldest one.
func (f *pagedFile) keepPage(number int64, page []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.pages[number]; ok {
		return // another reader was quicker
	}
	f.pages[number] = page
	if len(f.order) < f.keep {
		f.order = append(f.order, number)
		return
	}
	delete(f.pages, f.order[f.next])
	f.order[f.next] = number
	f.next = (f.next + 1) % f.keep
}
