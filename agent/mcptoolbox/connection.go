package mcptoolbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrNotRunning is matched by errors of listing and of tools once the toolbox is
// cancelled or the server is gone.
var ErrNotRunning = errors.New("the server is not running")

// How long Cancel waits for a server that is no child of ours to say goodbye, and
// how long when its context has ended before that.
const (
	goodbye      = 5 * time.Second
	shortGoodbye = 250 * time.Millisecond
)

// A connection is what all copies of a toolbox share.
type connection struct {
	session *mcp.ClientSession
	server  string        // its name, which is the prefix of its tools
	listing time.Duration // limit for listing the tools

	// end closes the transport below the session. It is nil when the session was
	// not made here.
	end func(context.Context) error

	mu        sync.Mutex
	cancels   map[int]context.CancelCauseFunc // of what runs; nil once cancelled
	next      int                             // key in cancels
	cancelled chan struct{}                   // closed when cancel has returned
	crew      *crew                           // runs the requests
}

func newConnection(session *mcp.ClientSession, listing time.Duration, end func(context.Context) error) *connection {
	cancelled := make(chan struct{})
	return &connection{
		session:   session,
		server:    serverName(session),
		listing:   listing,
		end:       end,
		cancels:   map[int]context.CancelCauseFunc{},
		cancelled: cancelled,
		crew:      newCrew(cancelled),
	}
}

func serverName(session *mcp.ClientSession) string {
	if result := session.InitializeResult(); result != nil && result.ServerInfo != nil {
		if name := strings.TrimSpace(result.ServerInfo.Name); name != "" {
			return name
		}
	}
	return "mcp"
}

// request runs f, which asks the server for something, with a context that ends when
// the connection is cancelled. It returns soon after that has ended, even when f,
// which may wait on a transport that knows no contexts, does not.
func request[T any](ctx context.Context, c *connection, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return none, err
	}
	defer done()
	answers := make(chan answer, 1)
	c.crew.run(func() {
		value, err := f(ctx)
		answers <- answer{value, err}
	})
	select {
	case a := <-answers:
		return a.value, c.explain(ctx, a.err)
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

func (c *connection) begin(ctx context.Context) (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels == nil {
		return nil, nil, ErrNotRunning
	}
	ctx, cancel := context.WithCancelCause(ctx)
	key := c.next
	c.next++
	c.cancels[key] = cancel
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancels, key)
	}, nil
}

// explain makes an error of the session say what matters to a caller.
func (c *connection) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrNotRunning):
		return err
	case isGone(err):
		return fmt.Errorf("%w: %v", ErrNotRunning, err)
	}
	return err
}

// startCancel says whether it is the first one. It ends all requests.
func (c *connection) startCancel() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels == nil {
		return false
	}
	for _, cancel := range c.cancels {
		cancel(ErrNotRunning)
	}
	c.cancels = nil
	return true
}

// cancel closes the connection. The transport comes first where we have it: closing
// a session waits for the requests of whoever else uses it.
func (c *connection) cancel(ctx context.Context) error {
	defer close(c.cancelled)
	if c.end != nil {
		if err := c.end(ctx); err != nil {
			return err
		}
	}
	return withinGoodbye(ctx, c.session.Close)
}

// withinGoodbye calls a function that may hang and is left behind then.
func withinGoodbye(ctx context.Context, end func() error) error {
	done := make(chan error, 1)
	go func() { done <- end() }()
	long := time.NewTimer(goodbye)
	defer long.Stop()
	select {
	case err := <-done:
		return disconnectError(err)
	case <-long.C:
		return fmt.Errorf("disconnecting: the session did not end within %v", goodbye)
	case <-ctx.Done():
	}
	short := time.NewTimer(shortGoodbye)
	defer short.Stop()
	select {
	case err := <-done:
		return disconnectError(err)
	case <-short.C:
		return fmt.Errorf("disconnecting: %w", ctx.Err())
	}
}
