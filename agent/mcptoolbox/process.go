package mcptoolbox

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// grace is how long a server may take to end after its standard input has.
const grace = 500 * time.Millisecond

// Command is a transport over the standard input and output of a child process, in
// a process group of its own: a key that interrupts this program leaves it to this
// program to end the server, and ending it ends every process that it started. The
// command must not have been started.
func Command(cmd *exec.Cmd) mcp.Transport {
	p := &processTransport{cmd: cmd}
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = grace // a grandchild that holds the pipes open is not waited for
	ownGroup(cmd)
	return p
}

type processTransport struct {
	cmd    *exec.Cmd
	stderr tail
}

// Connect starts the process.
func (p *processTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	inner := &mcp.CommandTransport{Command: p.cmd, TerminateDuration: grace}
	conn, err := inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &processConnection{Connection: conn, cmd: p.cmd}, nil
}

// failed explains why the server could not be used.
func (p *processTransport) failed(err error) error {
	killGroup(p.cmd)
	said := p.stderr.String()
	for _, kv := range p.cmd.Env {
		name, value, _ := strings.Cut(kv, "=")
		if upper := strings.ToUpper(name); value != "" && (strings.Contains(upper, "TOKEN") || strings.Contains(upper, "KEY") || strings.Contains(upper, "SECRET")) {
			said = strings.ReplaceAll(said, value, "[secret]")
		}
	}
	if said != "" {
		said = "; it said: " + said
	}
	return fmt.Errorf("starting %s: %w%s", strings.Join(p.cmd.Args, " "), err, said)
}

type processConnection struct {
	mcp.Connection
	cmd *exec.Cmd
}

// Close ends the process and what is left of its group.
func (c *processConnection) Close() error {
	err := c.Connection.Close()
	killGroup(c.cmd)
	return err
}

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-tailSize):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.kept))
}
