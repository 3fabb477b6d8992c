// Package functool makes an agent's tools of typed Go functions. Call [New].
package functool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"release-notes-agent/agent"
)

// New makes a tool of a function. Its parameters are the JSON Schema of In, a
// struct: a property for each exported field under the name in its `json` tag,
// described by its `jsonschema` tag, and required unless the field has omitempty
// or omitzero. Arguments that don't fit the schema, also because they hold a
// property of another name, are an error that says what is wrong, and f is not
// called.
//
// f must be safe for concurrent use.
func New[In any](name, description string, f func(ctx context.Context, in In) (agent.ToolOutput, error)) (agent.Tool, error) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("making a schema for the arguments of tool %q: %w", name, err)
	}
	if schema.Type != "object" {
		return nil, fmt.Errorf("making tool %q: arguments must be a struct, not %v", name, reflect.TypeFor[In]())
	}
	if schema.Properties == nil {
		schema.Properties = map[string]*jsonschema.Schema{} // some servers insist on the key
	}
	parameters, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("writing the schema of tool %q: %w", name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolving the schema of tool %q: %w", name, err)
	}
	spec := agent.ToolSpec{Name: name, Description: description, Parameters: parameters}
	return agent.NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		in, err := decode[In](resolved, arguments)
		if err != nil {
			return agent.ToolOutput{}, fmt.Errorf("wrong arguments: %w", err)
		}
		return f(ctx, in)
	}), nil
}

// decode holds arguments against the schema before it decodes them, as decoding
// alone would let missing and misspelt properties pass.
func decode[In any](schema *jsonschema.Resolved, arguments json.RawMessage) (In, error) {
	var in In
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	var value map[string]any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return in, err
	}
	if value == nil {
		return in, errors.New("not a JSON object")
	}
	if err := schema.Validate(value); err != nil {
		return in, err
	}
	return in, json.Unmarshal(arguments, &in)
}
