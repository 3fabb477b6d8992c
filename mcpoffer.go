package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
)

// An offer is a tool of a server, pinned to the repository, and what it may be asked.
type offer struct {
	reader
	tool agent.Tool
}

// read asks for the pull request or issue with a number.
func (o *offer) read(ctx context.Context, number int) (agent.ToolOutput, error) {
	asked := map[string]any{o.number: number}
	if o.methods != nil {
		asked["method"] = o.methods[0]
	}
	arguments, err := json.Marshal(asked)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	return o.tool.Call(ctx, arguments)
}

// modelTools are the offers as a model gets them: they refuse every pull request and
// issue that the release does not name, since nothing else is the model's business, and
// what they answer is trimmed.
func modelTools(offers []offer, m changes.Manifest) []agent.Tool {
	known := knownNumbers(m)
	var limited agent.Tools
	for _, o := range offers {
		spec := o.tool.Spec()
		spec.Parameters = o.narrowed(spec.Parameters)
		properties := propertiesOf(spec)
		limited = append(limited, agent.NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
			asked, err := o.checked(arguments, properties, known)
			if err != nil {
				return agent.ToolOutput{}, err
			}
			ctx, cancel := context.WithTimeoutCause(ctx, pullTimeout, fmt.Errorf("no answer within %v", pullTimeout))
			defer cancel()
			out, err := o.tool.Call(ctx, asked)
			out.Text = o.trimmed(out.Text)
			return out, err
		}))
	}
	trimmed, _ := agent.TrimResults(limited, maxToolResult).Tools(context.Background()) // a list can't fail
	return trimmed
}

// knownNumbers are the pull requests and issues that the changes of a release name.
func knownNumbers(m changes.Manifest) map[int]bool {
	known := map[int]bool{}
	for _, c := range m.Changes {
		known[c.PullRequest] = true
		for _, r := range c.References {
			known[r.Number] = known[r.Number] || r.Repository == ""
		}
	}
	delete(known, 0)
	return known
}

// narrowed is a schema in which the methods that are not for the model are gone.
func (o offer) narrowed(schema json.RawMessage) json.RawMessage {
	if o.methods == nil {
		return schema
	}
	var whole map[string]any
	if json.Unmarshal(schema, &whole) != nil {
		return schema
	}
	if properties, ok := whole["properties"].(map[string]any); ok {
		properties["method"] = map[string]any{"type": "string", "enum": o.methods, "description": "What to read"}
	}
	narrow, err := json.Marshal(whole)
	if err != nil {
		return schema
	}
	return narrow
}

// checked holds the arguments of a model against the release, and returns those that the
// tool has, in the very spelling: a second number under a name that only looks alike
// must not be the one that the server reads.
func (o offer) checked(arguments json.RawMessage, properties []string, known map[int]bool) (json.RawMessage, error) {
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return nil, fmt.Errorf("wrong arguments: %v", err)
	}
	maps.DeleteFunc(asked, func(name string, _ json.RawMessage) bool { return !slices.Contains(properties, name) })
	if err := checkNumbers(asked, properties, known); err != nil {
		return nil, err
	}
	if o.methods != nil {
		var method string
		if json.Unmarshal(asked["method"], &method) != nil || !slices.Contains(o.methods, method) {
			return nil, fmt.Errorf("method must be one of %q", o.methods)
		}
	}
	return json.Marshal(asked)
}

// checkNumbers wants one number at least of a tool that takes any, and no number that
// the release does not name.
func checkNumbers(asked map[string]json.RawMessage, properties []string, known map[int]bool) error {
	takes, given := false, false
	for _, name := range numberArguments {
		takes = takes || slices.Contains(properties, name)
		value, ok := asked[name]
		if !ok {
			continue
		}
		var number int
		if err := json.Unmarshal(value, &number); err != nil {
			return fmt.Errorf("%s is not a number", name)
		}
		if !known[number] {
			return fmt.Errorf("#%d is not named by any change of this release", number)
		}
		given = true
	}
	if takes && !given {
		return errors.New("there is no number of a pull request or an issue")
	}
	return nil
}

// trimmed is an answer cut down to what notes need, when it is one about a pull request
// or an issue as a whole.
func (o offer) trimmed(text string) string {
	answer, err := parsePull(text)
	if err != nil || o.number == "" || answer.Number == 0 || answer.Title == "" {
		return text
	}
	short, err := json.Marshal(answer)
	if err != nil {
		return text
	}
	return string(short)
}
