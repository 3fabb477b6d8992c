package mcptoolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options configure Connect. The zero value will do.
type Options struct {
	// HandshakeTimeout is the limit for the start of the server and the handshake,
	// and for each later listing of its tools: one minute when zero.
	HandshakeTimeout time.Duration
	Logger           *slog.Logger // nil discards; what the server writes to stderr goes there at debug level
	// ProtocolVersion is the version of MCP to ask for. By default it is 2025-11-25,
	// whose handshake every server knows; servers answer with an older one if need be.
	ProtocolVersion string
}

const (
	defaultHandshakeTimeout = time.Minute
	// Servers that know only this handshake or older ones may hang or exit when asked
	// for the next one, server/discover.
	defaultProtocolVersion = "2025-11-25"
)

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.HandshakeTimeout = cmp.Or(opts.HandshakeTimeout, defaultHandshakeTimeout)
	opts.ProtocolVersion = cmp.Or(opts.ProtocolVersion, defaultProtocolVersion)
	opts.Logger = loggerOr(opts.Logger)
	return opts
}

// Connect connects to a server and does the handshake, with a client info named
// after this project. The caller must call Cancel on what it returns.
//
// An [mcp.CommandTransport] and an [mcp.IOTransport] are replaced by [Command] and
// [Stream], which survive more. ctx bounds the start alone; the connection goes on
// when it ends. When the start fails, nothing is left of the server, and the error
// says which command it was, the cause, and the last lines of the server's standard
// error; values of the server's environment that look like secrets are left out. It
// matches the error of ctx when that was the cause.
func Connect(ctx context.Context, transport mcp.Transport, options *Options) (*Toolbox, error) {
	opts := options.withDefaults()
	timeout := fmt.Errorf("no answer to the handshake within %v: %w", opts.HandshakeTimeout, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, opts.HandshakeTimeout, timeout)
	defer cancel()
	t := &tracked{Transport: sturdy(transport, opts.Logger)}
	session, err := handshake(ctx, t, opts.ProtocolVersion)
	if err != nil {
		return nil, startError(t, err)
	}
	return &Toolbox{conn: newConnection(session, opts.HandshakeTimeout, t.end), log: opts.Logger}, nil
}

// FromSession makes a toolbox of a session that runs, with a client info and
// capabilities of your own. It contacts nobody. The caller must call Cancel, which
// closes the session.
func FromSession(session *mcp.ClientSession) *Toolbox {
	return &Toolbox{conn: newConnection(session, defaultHandshakeTimeout, nil), log: loggerOr(nil)}
}

// sturdy puts a transport of this package in the place of one of the SDK's.
func sturdy(transport mcp.Transport, log *slog.Logger) mcp.Transport {
	switch t := transport.(type) {
	case *mcp.CommandTransport:
		transport = Command(t.Command, &CommandOptions{StdinGrace: t.TerminateDuration, TermGrace: t.TerminateDuration})
	case *mcp.IOTransport:
		transport = Stream(readWriteCloser{t.Reader, t.Writer})
	}
	if t, ok := transport.(interface {
		loggingTo(*slog.Logger) mcp.Transport
	}); ok {
		return t.loggingTo(log)
	}
	return transport
}

// handshake returns soon after ctx has ended, even when the transport does not, and
// leaves nothing open when it fails.
func handshake(ctx context.Context, t *tracked, version string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "release-notes-agent", Version: moduleVersion()},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	type result struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan result, 1)
	go func() {
		session, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: version})
		done <- result{session, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
	if r.err == nil {
		return r.session, nil
	}
	if left := t.end(ctx); left != nil {
		return nil, fmt.Errorf("%w; %w", r.err, left)
	}
	return nil, r.err
}

func moduleVersion() string {
	const module = "release-notes-agent"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "devel"
}

// A tracked transport remembers its connection, so that it can be ended without
// waiting for the session above it.
type tracked struct {
	mcp.Transport

	mu    sync.Mutex
	conn  mcp.Connection
	ended bool
}

// Connect connects once. It ends at once what was connected too late.
func (t *tracked) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, errors.Join(errors.New("connected too late"), endConn(ctx, conn))
	}
	t.conn = conn
	return conn, nil
}

func (t *tracked) end(ctx context.Context) error {
	t.mu.Lock()
	t.ended = true
	conn := t.conn
	t.mu.Unlock()
	if conn == nil {
		return nil
	}
	return endConn(ctx, conn)
}

// endConn closes a connection. One to a child process takes the time that it needs.
func endConn(ctx context.Context, conn mcp.Connection) error {
	if p, ok := conn.(*processConn); ok {
		return p.end(ctx)
	}
	return withinGoodbye(ctx, conn.Close)
}

// disconnectError leaves out what only says that the other side was faster.
func disconnectError(err error) error {
	if err == nil || isGone(err) {
		return nil
	}
	return fmt.Errorf("disconnecting: %w", err)
}

// isGone says whether an error means that the connection has ended.
func isGone(err error) bool {
	for _, gone := range []error{mcp.ErrConnectionClosed, mcp.ErrSessionMissing, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// startError adds to err what is known of the server, which has ended.
func startError(t *tracked, err error) error {
	c, ok := t.Transport.(*commandTransport)
	if !ok {
		return fmt.Errorf("connecting to the MCP server: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	words := ""
	if p, ok := t.conn.(*processConn); ok {
		words = p.process.stderr.lastWords()
		if p.process.unasked && !errors.Is(err, io.EOF) { // its orphans have kept us waiting
			err = fmt.Errorf("%w: %w", exitError{p.process.exit}, err)
		}
	}
	if words != "" {
		return fmt.Errorf("starting MCP server %q: %w; it wrote to standard error: %s", c.line(), err, words)
	}
	return fmt.Errorf("starting MCP server %q: %w", c.line(), err)
}

type readWriteCloser struct {
	io.ReadCloser
	w io.WriteCloser
}

func (c readWriteCloser) Write(p []byte) (int, error) { return c.w.Write(p) }

func (c readWriteCloser) Close() error { return errors.Join(c.w.Close(), c.ReadCloser.Close()) }
