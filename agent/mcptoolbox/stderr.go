package mcptoolbox

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// What is kept of a server's standard error: the last lines, and of each the
// beginning, in bytes.
const (
	tailLines    = 8
	tailLineSize = 300
)

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
	lines := bufio.NewReaderSize(io.TeeReader(t.file, carelessWriter{t.copyTo}), 16<<10)
	for {
		line, err := lines.ReadSlice('\n')
		t.add(string(line))
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

// add redacts a line before it cuts it: half a secret would not be found.
func (t *tail) add(line string) {
	line = strings.TrimSpace(t.secrets.redact(line))
	if line == "" {
		return
	}
	if len(line) > tailLineSize {
		line = line[:tailLineSize] + "…"
	}
	line = strings.ToValidUTF8(line, "")
	t.log.Log(context.Background(), slog.LevelDebug, "MCP server", "stderr", line)
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
