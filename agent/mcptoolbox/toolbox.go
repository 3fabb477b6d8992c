package mcptoolbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"release-notes-agent/agent"
)

// A Toolbox offers the tools of one MCP server. Its tools are named
// "<server name>:<tool>", with the name from the handshake, or "mcp" when the server
// has none. It is safe for concurrent use.
//
// The With methods return changed copies, which share one connection.
type Toolbox struct {
	conn   *connection
	filter ToolFilter
	name   string // the server's when empty
	log    *slog.Logger
}

var _ agent.Toolbox = (*Toolbox)(nil)

// WithWhitelist returns a copy that offers only the tools with these names. They are
// the server's own, without the prefix; one that the server lacks is skipped. It
// replaces every filter set before.
func (t *Toolbox) WithWhitelist(names ...string) *Toolbox {
	return t.WithFilter(ToolFilter{Whitelist: append([]string{}, names...)})
}

// WithBlacklist returns a copy that offers all tools but those with these names. It
// replaces every filter set before.
func (t *Toolbox) WithBlacklist(names ...string) *Toolbox {
	return t.WithFilter(ToolFilter{Blacklist: append([]string{}, names...)})
}

// WithFilter returns a copy that offers the tools that pass the filter. It replaces
// every filter set before.
func (t *Toolbox) WithFilter(filter ToolFilter) *Toolbox {
	c := *t
	c.filter = ToolFilter{Whitelist: slices.Clone(filter.Whitelist), Blacklist: slices.Clone(filter.Blacklist)}
	return &c
}

// WithName returns a copy that is called by this name in logs. The names of its
// tools stay as they are.
func (t *Toolbox) WithName(name string) *Toolbox {
	c := *t
	c.name = name
	return &c
}

// WithLogger returns a copy that logs there; nil discards.
func (t *Toolbox) WithLogger(log *slog.Logger) *Toolbox {
	c := *t
	c.log = loggerOr(log)
	return &c
}

// Name returns the name set by WithName, or else the server's.
func (t *Toolbox) Name() string { return cmp.Or(t.name, t.conn.server) }

// Cancel disconnects from the server, and ends it with every process that it started
// when it is a child of ours. Tools called later, and those that run, return an error
// that matches [ErrNotRunning], and so does listing. All copies of the toolbox are
// cancelled by it. A second Cancel waits for the first one, logs a warning and
// returns nil.
//
// The server is ended even when ctx has ended; it then gets no time to do so by
// itself. The error says what is left: nothing hangs, a process that even the kernel
// cannot end is given up.
func (t *Toolbox) Cancel(ctx context.Context) error {
	if !t.conn.startCancel() {
		t.log.Warn("the toolbox is cancelled already", "toolbox", t.Name())
		select {
		case <-t.conn.cancelled:
		case <-ctx.Done():
		}
		return nil
	}
	return t.conn.cancel(ctx)
}

func loggerOr(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
