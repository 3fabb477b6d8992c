package gitstore

import (
	"bufio"
	"errors"
	"fmt"
	"github.com/klauspost/compress/zlib"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// openLoose opens the file of an object. A missing one gives plumbing.ErrObjectNotFound.
func openLoose(dir string, h plumbing.Hash) (*os.File, error) {
	name := h.String()
	file, err := os.Open(filepath.Join(dir, name[:2], name[2:]))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, plumbing.ErrObjectNotFound
	}
	return file, err
}

// readLooseObject reads an object that has a file of its own.
func readLooseObject(dir string, h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	file, err := openLoose(dir, h)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	defer file.Close()
	kind, data, err := parseLooseObject(file)
	if err != nil {
		err = fmt.Errorf("reading %q: %w", file.Name(), err)
	}
	return kind, data, err
}

// looseSize reads the size that the file of an object states.
func looseSize(dir string, h plumbing.Hash) (int64, error) {
	file, err := openLoose(dir, h)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, size, _, err := parseLooseHeader(file)
	if err != nil {
		err = fmt.Errorf("reading %q: %w", file.Name(), err)
	}
	return size, err
}

// parseLooseObject reads a compressed "type size\0content".
func parseLooseObject(r io.Reader) (plumbing.ObjectType, []byte, error) {
	kind, size, content, err := parseLooseHeader(r)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	if size > maxObject {
		return plumbing.InvalidObject, nil, ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(content, size+1))
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("it has not the %d bytes that it says", size)
	}
	return kind, data, err
}

// parseLooseHeader reads the type and the size, and leaves the content.
func parseLooseHeader(r io.Reader) (kind plumbing.ObjectType, size int64, content io.Reader, err error) {
	z, err := zlib.NewReader(bufio.NewReader(r))
	if err != nil {
		return kind, 0, nil, err
	}
	buf := bufio.NewReader(z)
	head, err := buf.ReadSlice(0)
	if err != nil {
		return kind, 0, nil, fmt.Errorf("its header is damaged: %w", err)
	}
	word, digits, _ := strings.Cut(string(head[:len(head)-1]), " ")
	if kind, err = plumbing.ParseObjectType(word); err != nil {
		return kind, 0, nil, err
	}
	size, err = strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 {
		return kind, 0, nil, fmt.Errorf("its size %q is damaged", digits)
	}
	return kind, size, buf, nil
}

// looseWithPrefix returns the hashes of object files that begin with hexadecimal digits.
func looseWithPrefix(dir, digits string) []plumbing.Hash {
	entries, err := os.ReadDir(filepath.Join(dir, digits[:2]))
	if err != nil {
		return nil
	}
	var found []plumbing.Hash
	for _, entry := range entries {
		if name := digits[:2] + entry.Name(); isHash(name) && strings.HasPrefix(name, digits) {
			found = append(found, plumbing.NewHash(name))
		}
	}
	return found
}
