package mcptoolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// CommandOptions configure Command. The zero value will do.
type CommandOptions struct {
	// Logger gets what the server writes to standard error, at debug level. By default
	// it is the one that Connect was given.
	Logger *slog.Logger
	// StdinGrace is how long the server may take to end after the end of its standard
	// input: 250 ms when zero or less. TermGrace is how long it, and what it started,
	// may take after SIGTERM: 1 s.
	StdinGrace, TermGrace time.Duration
}

const (
	defaultStdinGrace = 250 * time.Millisecond
	defaultTermGrace  = time.Second
)

// Command is a transport that starts a server as a child process and speaks to it
// over its standard input and output, as [Stream] does. cmd must not have been started
// and must leave Stdin and Stdout to the transport; a Stderr of its own gets what the
// server writes there.
//
// The server gets a process group of its own, so that an interrupt from the terminal
// does not reach it before it is ended in order: its input is closed, then the
// group gets SIGTERM, then SIGKILL. On Linux, processes that have left the group are
// found as well. On Windows the server and what it starts are in a job object, which
// is ended once the input was closed in vain. When the server ends by itself, what it
// leaves behind is ended the same way.
//
// When this program is killed before it can end the server: on Windows and Linux the
// server is killed with it, but on Linux not what the server started. That sees the
// end of its input, as everywhere else.
func Command(cmd *exec.Cmd, options *CommandOptions) mcp.Transport {
	var opts CommandOptions
	if options != nil {
		opts = *options
	}
	if opts.StdinGrace <= 0 {
		opts.StdinGrace = defaultStdinGrace
	}
	if opts.TermGrace <= 0 {
		opts.TermGrace = defaultTermGrace
	}
	return &commandTransport{cmd: cmd, opts: opts}
}

type commandTransport struct {
	cmd  *exec.Cmd
	opts CommandOptions
}

func (t *commandTransport) loggingTo(log *slog.Logger) mcp.Transport {
	c := *t
	c.opts.Logger = cmp.Or(c.opts.Logger, log)
	return &c
}

// line is the command as it would be typed, without secrets.
func (t *commandTransport) line() string {
	return secretsOf(t.cmd).redact(strings.Join(t.cmd.Args, " "))
}

// Connect starts the server.
func (t *commandTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.cmd.Stdin != nil || t.cmd.Stdout != nil {
		return nil, errors.New("the command has a standard input or output already")
	}
	log := loggerOr(t.opts.Logger)
	secrets := secretsOf(t.cmd)
	p, err := startProcess(t.cmd, t.opts, newTail(log, secrets))
	if err != nil {
		return nil, err
	}
	return &processConn{stream: newStream(pipes{p}, log, secrets), process: p}, nil
}

// pipes are the standard input and output of a process. Closing them ends it.
type pipes struct{ process *process }

func (p pipes) Write(data []byte) (int, error) { return p.process.stdin.Write(data) }

// Read reads until the output and the process have ended: then it says how.
func (p pipes) Read(data []byte) (int, error) {
	n, err := p.process.stdout.Read(data)
	if n > 0 || err == nil {
		return n, nil
	}
	return 0, p.process.outputEnded(err)
}

func (p pipes) Close() error {
	p.process.askToEnd()
	return nil
}

// A processConn is a stream that ends a process when it is closed.
type processConn struct {
	*stream
	process *process
}

// Close ends the server in order, and waits for it.
func (c *processConn) Close() error { return c.end(context.Background()) }

// end is Close that gives the server no more time once ctx has ended.
func (c *processConn) end(ctx context.Context) error {
	stop := context.AfterFunc(ctx, c.process.hurry)
	defer stop()
	_ = c.stream.Close() // asks the process to end
	<-c.process.gone
	return c.process.left
}

// An exitError says how a server ended.
type exitError struct{ err error }

func (e exitError) Error() string {
	if e.err == nil {
		return "it has exited"
	}
	return fmt.Sprintf("it has exited: %v", e.err)
}

func (e exitError) Unwrap() error { return io.EOF }
