package mcptoolbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxMessage is the size of the longest message that is read, in bytes.
const maxMessage = 32 << 20

// A lineReader reads lines that may hold a message, and skips others without keeping
// them, whatever their length.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

var byteOrderMark = []byte("\uFEFF")

// next returns a line, without the space around it. The last one may lack its end.
// Of a line that is no message only the beginning is returned.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line) == 0 || mayBeMessage(line) {
			line = append(line, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return trim(line), nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(line) > l.max:
			return nil, fmt.Errorf("it sent a message of more than %d MiB", l.max>>20)
		}
	}
}

func trim(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), byteOrderMark))
}

// mayBeMessage says whether a line begins as a JSON object or array does.
func mayBeMessage(line []byte) bool {
	text := trim(line)
	return len(text) == 0 || text[0] == '{' || text[0] == '['
}
