// Package mcptoolbox makes an [agent.Toolbox] of an MCP server's tools. Call
// [Connect] with a transport, [Command] for a child process among them, or
// [FromSession] with a session of your own.
package mcptoolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
)

// Options of Connect; nil is the zero value.
type Options struct {
	HandshakeTimeout time.Duration // 0 is one minute
	Logger           *slog.Logger  // nil discards
}

// A ToolFilter says which tools of a server are offered, by the server's own names.
// At most one of its lists is set. It goes to and from JSON as
// {"Whitelist": ["add"]}.
type ToolFilter struct {
	Whitelist []string `json:",omitempty"`
	Blacklist []string `json:",omitempty"`
}

func (f ToolFilter) passes(name string) bool {
	if f.Whitelist != nil {
		return slices.Contains(f.Whitelist, name)
	}
	return !slices.Contains(f.Blacklist, name)
}

// A Toolbox offers the tools of one MCP server. Its With methods return copies that
// share the connection. It is safe for concurrent use.
type Toolbox struct {
	conn   *connection
	name   string
	filter ToolFilter
}

// connection is what the copies of a toolbox share.
type connection struct {
	mu      sync.Mutex
	session *mcp.ClientSession
	log     *slog.Logger
}

var errNotRunning = errors.New("the MCP server is not running")

// Connect does the handshake with a server under a client info named after this
// project. When it fails, the transport is closed.
func Connect(ctx context.Context, transport mcp.Transport, opts *Options) (*Toolbox, error) {
	if opts == nil {
		opts = &Options{}
	}
	limit := opts.HandshakeTimeout
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "release-notes-agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		if p, ok := transport.(*processTransport); ok {
			return nil, p.failed(err)
		}
		return nil, fmt.Errorf("connecting to the MCP server: %w", err)
	}
	box := FromSession(session)
	if opts.Logger != nil {
		box.conn.log = opts.Logger
	}
	return box, nil
}

// FromSession makes a toolbox of a session that is running. It contacts nobody.
func FromSession(session *mcp.ClientSession) *Toolbox {
	return &Toolbox{conn: &connection{session: session, log: slog.New(slog.DiscardHandler)}}
}

// WithName returns the toolbox under another name for logs. Tool names keep the
// name that the server gave in the handshake.
func (t *Toolbox) WithName(name string) *Toolbox {
	c := *t
	c.name = name
	return &c
}

// WithFilter returns the toolbox with another filter in place of the one it has.
func (t *Toolbox) WithFilter(f ToolFilter) *Toolbox {
	c := *t
	c.filter = f
	return &c
}

// WithWhitelist returns the toolbox with these tools only. A name that the server
// lacks is skipped.
func (t *Toolbox) WithWhitelist(names ...string) *Toolbox {
	return t.WithFilter(ToolFilter{Whitelist: slices.Concat([]string{}, names)})
}

// WithBlacklist returns the toolbox without these tools.
func (t *Toolbox) WithBlacklist(names ...string) *Toolbox {
	return t.WithFilter(ToolFilter{Blacklist: names})
}

// maxTools bounds the list of a server whose pages never end.
const maxTools = 10_000

// Tools lists the tools that pass the filter. Each needs a description and an input
// schema that is an object; otherwise listing fails for the whole toolbox.
func (t *Toolbox) Tools(ctx context.Context) ([]agent.Tool, error) {
	session := t.conn.running()
	if session == nil {
		return nil, errNotRunning
	}
	var tools []agent.Tool
	seen := 0
	for listed, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("listing the tools of the MCP server: %w", err)
		}
		if seen++; seen > maxTools {
			return nil, fmt.Errorf("listing the tools of the MCP server: more than %d", maxTools)
		}
		if !t.filter.passes(listed.Name) {
			continue
		}
		tool, err := t.tool(session, listed)
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

func (t *Toolbox) tool(session *mcp.ClientSession, listed *mcp.Tool) (agent.Tool, error) {
	if listed.Description == "" {
		return nil, fmt.Errorf("tool %q of the MCP server has no description", listed.Name)
	}
	schema, err := json.Marshal(listed.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("reading the input schema of tool %q: %w", listed.Name, err)
	}
	var object map[string]any
	if err := json.Unmarshal(schema, &object); err != nil || object == nil {
		return nil, fmt.Errorf("the input schema of tool %q of the MCP server is no object", listed.Name)
	}
	spec := agent.ToolSpec{Name: serverName(session) + ":" + listed.Name, Description: listed.Description, Parameters: schema}
	return agent.NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		return t.call(ctx, listed.Name, arguments)
	}), nil
}

func serverName(session *mcp.ClientSession) string {
	if init := session.InitializeResult(); init != nil && init.ServerInfo != nil {
		if name := strings.TrimSpace(init.ServerInfo.Name); name != "" {
			return name
		}
	}
	return "mcp"
}

func (t *Toolbox) call(ctx context.Context, name string, arguments json.RawMessage) (agent.ToolOutput, error) {
	session := t.conn.running()
	if session == nil {
		return agent.ToolOutput{}, errNotRunning
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &object); err != nil || object == nil {
		return agent.ToolOutput{}, errors.New("wrong arguments: not a JSON object")
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: object})
	if err != nil {
		return agent.ToolOutput{}, fmt.Errorf("calling tool %q: %w", name, err)
	}
	return output(result)
}

// output is what a result says: its text blocks, or the structured content when
// there are no blocks at all.
func output(result *mcp.CallToolResult) (agent.ToolOutput, error) {
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	text := strings.Join(texts, "\n")
	switch {
	case result.IsError && text == "":
		return agent.ToolOutput{}, errors.New("Unknown error") //lint:ignore ST1005 the words that users of MCP toolboxes know
	case result.IsError:
		return agent.ToolOutput{}, errors.New(text)
	case len(result.Content) == 0 && result.StructuredContent != nil:
		structured, err := json.Marshal(result.StructuredContent)
		return agent.ToolOutput{Text: string(structured)}, err
	case text == "":
		text = "Tool executed successfully"
	}
	return agent.ToolOutput{Text: text}, nil
}

func (c *connection) running() *mcp.ClientSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// Cancel disconnects and ends the server, with every process that it started when
// it is a [Command]. Later calls, and listings, fail. A second Cancel does nothing
// but log a warning.
func (t *Toolbox) Cancel(context.Context) error {
	t.conn.mu.Lock()
	session := t.conn.session
	t.conn.session = nil
	t.conn.mu.Unlock()
	if session == nil {
		t.conn.log.Warn("the MCP toolbox is cancelled already", "toolbox", t.name)
		return nil
	}
	return session.Close()
}
