package agent

import (
	"context"
	"encoding/json"
)

// A ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of type object; nil for a tool without arguments
}

// A Tool is something a model can ask for. Implementations are safe for
// concurrent use, and return soon after their context has ended.
type Tool interface {
	Spec() ToolSpec
	// Call runs the tool. An agent calls it with a JSON object, which may be
	// empty, and holds the object against no schema. An error, and a panic, is told
	// to the model and counts towards Limits.ToolRetries; it does not end the query.
	Call(ctx context.Context, arguments json.RawMessage) (ToolOutput, error)
}

// A ToolOutput is what a tool answers. Text goes to the model; the other fields
// end the query after all tools of the same answer have run. They count for
// nothing beside an error.
type ToolOutput struct {
	Text string
	// Stop ends the query with StopByTool. Result has the arguments.
	Stop bool
	// Feedback ends the query with NeedsFeedback, and Text is the question for a
	// person. The next query continues, with the answer as its prompt.
	Feedback bool
}

// A Toolbox offers tools. An agent asks for the list once, and again only when
// that failed.
type Toolbox interface {
	Tools(ctx context.Context) ([]Tool, error)
}

// Tools makes a toolbox of a list of tools.
type Tools []Tool

// Tools returns the list itself.
func (t Tools) Tools(context.Context) ([]Tool, error) { return t, nil }

// NewTool makes a tool of a function that reads its own arguments: a JSON object
// that nobody has held against spec.Parameters. Package functool makes one of a
// function with typed arguments.
func NewTool(spec ToolSpec, call func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error)) Tool {
	return toolFunc{spec: spec, call: call}
}

type toolFunc struct {
	spec ToolSpec
	call func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error)
}

func (t toolFunc) Spec() ToolSpec { return t.spec }

func (t toolFunc) Call(ctx context.Context, arguments json.RawMessage) (ToolOutput, error) {
	return t.call(ctx, arguments)
}

// stopTool is the default tool with which a model ends a query.
var stopTool = NewTool(ToolSpec{
	Name:        "stop",
	Description: "Call this when the task is done and nothing is left to do.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
}, func(context.Context, json.RawMessage) (ToolOutput, error) {
	return ToolOutput{Text: "stopped", Stop: true}, nil
})
