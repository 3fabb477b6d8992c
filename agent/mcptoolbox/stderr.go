package mcptoolbox

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// tailLines is how many of the last lines of a server's standard error are kept.
const tailLines = 8

// A tail reads standard error to its end, logs it and keeps its last lines, always
// without secrets.
type tail struct {
	log     *slog.Logger
	secrets redactor
	file    *os.File
	copyTo  io.Writer     // gets everything as it is, unless nil
	drained chan struct{} // closed at the end

	mu    sync.Mutex
	lines []string
}

func newTail(log *slog.Logger, secrets redactor) *tail {
	return &tail{log: log, secrets: secrets, drained: make(chan struct{})}
}

// read reads on whatever happens: a server that cannot write stands still.
func (t *tail) read() {
	defer close(t.drained)
	lines := bufio.NewReaderSize(io.TeeReader(t.file, carelessWriter{t.copyTo}), scanned)
	for {
		line, err := lines.ReadSlice('\n')
		t.add(line)
		for err == bufio.ErrBufferFull { // what is left of a long line
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// A carelessWriter writes as long as that works.
type carelessWriter struct{ w io.Writer }

func (c carelessWriter) Write(data []byte) (int, error) {
	if c.w != nil {
		_, _ = c.w.Write(data)
	}
	return len(data), nil
}

func (t *tail) add(text []byte) {
	line := t.secrets.line(text)
	if line == "" {
		return
	}
	t.log.Debug("MCP server", "stderr", line)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// lastWords returns the lines that are kept, on one line.
func (t *tail) lastWords() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, " | ")
}
