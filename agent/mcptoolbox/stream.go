package mcptoolbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stream is a transport over a connection such as TCP or a Unix socket, with one
// JSON message per line. Closing rwc must end a Read of it that waits.
//
// It reads what servers really write. Lines that are no messages, such as banners and
// logs, are skipped; a byte order mark, carriage returns and space around a message
// are taken off. A message may have up to 32 MiB: a longer one breaks the connection.
// An answer that cannot be read is an error of the request that it answers. Writing
// to a server that does not read ends with the context of the request.
func Stream(rwc io.ReadWriteCloser) mcp.Transport { return &streamTransport{rwc: rwc} }

type streamTransport struct {
	rwc io.ReadWriteCloser
	log *slog.Logger
}

func (t *streamTransport) loggingTo(log *slog.Logger) mcp.Transport {
	return &streamTransport{rwc: t.rwc, log: log}
}

// Connect begins to read.
func (t *streamTransport) Connect(context.Context) (mcp.Connection, error) {
	return newStream(t.rwc, loggerOr(t.log), nil), nil
}

// A stream is a connection over lines. Its errors after the end say why it ended.
type stream struct {
	rwc     io.ReadWriteCloser
	log     *slog.Logger
	secrets redactor // kept out of the log
	in      chan jsonrpc.Message
	out     chan []byte

	once  sync.Once
	ended chan struct{}
	cause error // set before ended is closed
}

func newStream(rwc io.ReadWriteCloser, log *slog.Logger, secrets redactor) *stream {
	s := &stream{
		rwc: rwc, log: log, secrets: secrets,
		in: make(chan jsonrpc.Message), out: make(chan []byte), ended: make(chan struct{}),
	}
	go s.read()
	go s.write()
	return s
}

// fail ends the stream, for a reason, unless it has ended.
func (s *stream) fail(cause error) (closing error) {
	s.once.Do(func() {
		s.cause = cause
		close(s.ended)
		closing = s.rwc.Close()
	})
	return closing
}

// read hands over messages until the stream ends.
func (s *stream) read() {
	lines := newLineReader(s.rwc, maxMessage)
	for {
		line, err := lines.next()
		if err != nil {
			s.fail(readError(err))
			return
		}
		messages, err := decode(line)
		if err != nil && s.log.Enabled(context.Background(), slog.LevelDebug) {
			s.log.Debug("skipping a line that is no message", "line", s.secrets.line(line), "error", err)
		}
		for _, message := range messages {
			select {
			case s.in <- message:
			case <-s.ended:
				return
			}
		}
	}
}

func readError(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: it closed the connection", ErrNotRunning)
	}
	if errors.Is(err, io.EOF) { // one that says more
		return fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	return fmt.Errorf("%w: reading from it: %w", ErrNotRunning, err)
}

// lastAnswers is how long a stream that cannot be written to is still read from: the
// reading side often knows better why the server is gone.
const lastAnswers = 250 * time.Millisecond

func (s *stream) write() {
	for {
		select {
		case data := <-s.out:
			if _, err := s.rwc.Write(data); err != nil {
				s.failSoon(fmt.Errorf("%w: writing to it: %w", ErrNotRunning, err))
				return
			}
		case <-s.ended:
			return
		}
	}
}

func (s *stream) failSoon(cause error) {
	late := time.NewTimer(lastAnswers)
	defer late.Stop()
	select {
	case <-s.ended:
	case <-late.C:
		s.fail(cause)
	}
}

// Read returns the next message.
func (s *stream) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-s.in:
		return message, nil
	case <-s.ended:
		return nil, s.cause
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write hands a message over for writing. It waits while an earlier one is stuck.
func (s *stream) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	select {
	case s.out <- append(data, '\n'):
		return nil
	case <-s.ended:
		return s.cause
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the stream.
func (s *stream) Close() error {
	return s.fail(fmt.Errorf("%w: the connection was closed", ErrNotRunning))
}

// SessionID is empty: a stream has one session.
func (s *stream) SessionID() string { return "" }
