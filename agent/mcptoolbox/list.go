package mcptoolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
)

// maxTools is the largest number of tools that a server may list. Servers have a few
// dozen; no model takes more than some hundred.
const maxTools = 5000

// Tools asks the server for its tools and returns those that pass the filter, in the
// server's order. Each of these needs a description and an input schema that is a
// JSON Schema of an object; otherwise listing fails for the whole toolbox. Of two
// tools with one name the first stays.
func (t *Toolbox) Tools(ctx context.Context) ([]agent.Tool, error) {
	timeout := fmt.Errorf("no answer within %v: %w", t.conn.listing, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, t.conn.listing, timeout)
	defer cancel()
	offered, err := t.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the tools of MCP server %q: %w", t.conn.server, err)
	}
	var tools []agent.Tool
	for _, o := range offered {
		if !t.filter.Allows(o.Name) {
			continue
		}
		tool, err := t.tool(o)
		if err != nil {
			return nil, fmt.Errorf("listing the tools of MCP server %q: tool %q: %w", t.conn.server, o.Name, err)
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// list returns every tool of the server once. It reads pages until there is no next
// one, or until a page brings nothing new: some servers repeat a cursor forever.
func (t *Toolbox) list(ctx context.Context) ([]*mcp.Tool, error) {
	var tools []*mcp.Tool
	known := map[string]bool{}
	for cursor := ""; ; {
		page, err := request(ctx, t.conn, func(ctx context.Context) (*mcp.ListToolsResult, error) {
			return t.conn.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, err
		}
		before := len(tools)
		for _, tool := range page.Tools {
			if known[tool.Name] {
				t.log.Warn("ignoring a tool with a name that came before", "toolbox", t.Name(), "tool", tool.Name)
				continue
			}
			known[tool.Name] = true
			tools = append(tools, tool)
		}
		switch {
		case len(tools) > maxTools:
			return nil, fmt.Errorf("there are more than %d", maxTools)
		case page.NextCursor == "":
			return tools, nil
		case len(tools) == before:
			t.log.Warn("the list of tools does not end; going on with what came", "toolbox", t.Name(), "tools", len(tools))
			return tools, nil
		}
		cursor = page.NextCursor
	}
}

func (t *Toolbox) tool(offered *mcp.Tool) (agent.Tool, error) {
	if offered.Name == "" {
		return nil, errors.New("it has no name")
	}
	if strings.TrimSpace(offered.Description) == "" {
		return nil, errors.New("it has no description")
	}
	parameters, err := parametersOf(offered.InputSchema)
	if err != nil {
		return nil, err
	}
	return &tool{
		conn: t.conn,
		name: offered.Name,
		spec: agent.ToolSpec{
			Name:        t.conn.server + ":" + offered.Name,
			Description: offered.Description,
			Parameters:  parameters,
		},
		annotations: offered.Annotations,
	}, nil
}

// parametersOf holds an input schema against what MCP wants of it: a JSON Schema
// whose type is object. A type that is missing is filled in.
func parametersOf(schema any) (json.RawMessage, error) {
	object, ok := schema.(map[string]any)
	switch {
	case schema == nil:
		return nil, errors.New("it has no input schema")
	case !ok:
		return nil, errors.New("its input schema is not a JSON object")
	case object["type"] == nil:
		object = withType(object)
	case object["type"] != "object":
		return nil, fmt.Errorf("its input schema is of type %v, not object", object["type"])
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return nil, fmt.Errorf("its input schema does not go to JSON: %w", err)
	}
	if err := json.Unmarshal(text.Bytes(), new(jsonschema.Schema)); err != nil {
		return nil, fmt.Errorf("its input schema does not parse: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

func withType(schema map[string]any) map[string]any {
	typed := map[string]any{"type": "object"}
	for key, value := range schema {
		if key != "type" {
			typed[key] = value
		}
	}
	return typed
}
