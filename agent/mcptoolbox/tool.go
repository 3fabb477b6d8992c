package mcptoolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
)

// What a model reads when a server says nothing.
const (
	silentSuccess = "Tool executed successfully"
	silentError   = "Unknown error"
)

// A tool is one tool of a server.
type tool struct {
	conn *connection
	name string // the server's
	spec agent.ToolSpec

	annotations *mcp.ToolAnnotations
}

func (t *tool) Spec() agent.ToolSpec { return t.spec }

// Writes reports whether a tool that a [Toolbox] has listed declares that it changes
// something: it has annotations, and they do not say that it only reads, or say that it
// destroys. One that has no annotations declares nothing, as many that only read do.
// With annotations, readOnlyHint counts as false when it is missing: so the protocol has
// it, and the SDK does not tell the two apart. Annotations are a server's own words and
// no reason to trust it.
func Writes(listed agent.Tool) bool {
	t, ok := listed.(*tool)
	if !ok || t.annotations == nil {
		return false
	}
	destroys := t.annotations.DestructiveHint != nil && *t.annotations.DestructiveHint
	return destroys || !t.annotations.ReadOnlyHint
}

// Call calls the tool by the server's name for it. Arguments that are no JSON object
// are an error without asking the server; none at all are an empty object.
func (t *tool) Call(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
	object, err := objectOf(arguments)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	result, err := request(ctx, t.conn, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return t.conn.session.CallTool(ctx, &mcp.CallToolParams{Name: t.name, Arguments: object})
	})
	if err != nil {
		return agent.ToolOutput{}, fmt.Errorf("calling %q: %w", t.spec.Name, err)
	}
	return outputOf(result)
}

func objectOf(arguments json.RawMessage) (json.RawMessage, error) {
	object := bytes.TrimSpace(arguments)
	if len(object) == 0 {
		return json.RawMessage("{}"), nil
	}
	if object[0] != '{' || !json.Valid(object) {
		return nil, errors.New("wrong arguments: not a JSON object")
	}
	return object, nil
}

func outputOf(result *mcp.CallToolResult) (agent.ToolOutput, error) {
	text := textOf(result.Content)
	if result.IsError {
		if text == "" {
			text = silentError
		}
		return agent.ToolOutput{}, errors.New(text)
	}
	if len(result.Content) == 0 && result.StructuredContent != nil {
		return structuredOutput(result.StructuredContent)
	}
	if text == "" {
		text = silentSuccess
	}
	return agent.ToolOutput{Text: text}, nil
}

// textOf joins the text blocks with newlines. It is empty when all of them are.
func textOf(content []mcp.Content) string {
	var texts []string
	for _, block := range content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	joined := strings.Join(texts, "\n")
	if strings.Trim(joined, "\n") == "" {
		return ""
	}
	return joined
}

func structuredOutput(content any) (agent.ToolOutput, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(content); err != nil {
		return agent.ToolOutput{}, fmt.Errorf("reading the structured result: %w", err)
	}
	return agent.ToolOutput{Text: strings.TrimSuffix(text.String(), "\n")}, nil
}
