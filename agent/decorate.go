package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A ToolboxFunc is a toolbox made of a function.
type ToolboxFunc func(ctx context.Context) ([]Tool, error)

// Tools calls f.
func (f ToolboxFunc) Tools(ctx context.Context) ([]Tool, error) { return f(ctx) }

// Filter offers only those tools of box that keep says yes to.
func Filter(box Toolbox, keep func(ToolSpec) bool) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		unwanted := func(tool Tool) bool { return !keep(tool.Spec()) }
		return slices.DeleteFunc(slices.Clone(tools), unwanted), nil
	})
}

// mapTools lists box and puts f's tool in the place of each.
func mapTools(ctx context.Context, box Toolbox, f func(Tool) (Tool, error)) ([]Tool, error) {
	tools, err := box.Tools(ctx)
	if err != nil {
		return nil, err
	}
	mapped := make([]Tool, len(tools))
	for i, tool := range tools {
		if mapped[i], err = f(tool); err != nil {
			return nil, err
		}
	}
	return mapped, nil
}

// Rename offers the tools of box under the names that rename gives them. Two
// tools under one name, and a tool without one, are an error.
func Rename(box Toolbox, rename func(name string) string) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		from := map[string]string{}
		return mapTools(ctx, box, func(tool Tool) (Tool, error) {
			spec := tool.Spec()
			old := spec.Name
			spec.Name = rename(old)
			if spec.Name == "" {
				return nil, fmt.Errorf("renaming tool %q: the new name is empty", old)
			}
			if other, taken := from[spec.Name]; taken {
				return nil, fmt.Errorf("renaming tool %q: %q would be the name of %q too", old, spec.Name, other)
			}
			from[spec.Name] = old
			return NewTool(spec, tool.Call), nil
		})
	})
}

// FixArguments takes arguments out of a model's hands. In every tool of box whose
// schema has a property of such a name, the property is removed and the argument
// set to the value given here; from the other tools an argument of that name is
// kept away. The values must go to JSON.
func FixArguments(box Toolbox, arguments map[string]any) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		values := map[string]json.RawMessage{}
		for name, v := range arguments {
			value, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("fixing argument %q: %w", name, err)
			}
			values[name] = value
		}
		return mapTools(ctx, box, func(tool Tool) (Tool, error) { return fixTool(tool, values) })
	})
}

func fixTool(tool Tool, values map[string]json.RawMessage) (Tool, error) {
	spec := tool.Spec()
	parameters, removed, err := withoutProperties(spec.Parameters, values)
	if err != nil {
		return nil, fmt.Errorf("fixing arguments of tool %q: %w", spec.Name, err)
	}
	spec.Parameters = parameters
	return NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error) {
		all, err := withValues(arguments, values, removed)
		if err != nil {
			return ToolOutput{}, err
		}
		return tool.Call(ctx, all)
	}), nil
}

// withValues sets those values in arguments that set names, and removes the others.
func withValues(arguments json.RawMessage, values map[string]json.RawMessage, set []string) (json.RawMessage, error) {
	object, err := objectOf(arguments)
	if err != nil {
		return nil, err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(object, &given); err != nil {
		return nil, fmt.Errorf("wrong arguments: %w", err)
	}
	for name := range values {
		// Some servers read names without regard to case.
		maps.DeleteFunc(given, func(n string, _ json.RawMessage) bool { return strings.EqualFold(n, name) })
	}
	for _, name := range set {
		given[name] = values[name]
	}
	return json.Marshal(given)
}

// withoutProperties removes properties from an object schema and says which ones
// it had. Everything else in the schema keeps its value.
func withoutProperties(schema json.RawMessage, names map[string]json.RawMessage) (json.RawMessage, []string, error) {
	if len(schema) == 0 {
		return schema, nil, nil
	}
	var parts map[string]json.RawMessage
	var known struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := errors.Join(json.Unmarshal(schema, &parts), json.Unmarshal(schema, &known)); err != nil {
		return nil, nil, fmt.Errorf("reading its schema: %w", err)
	}
	var removed []string
	for name := range names {
		if _, ok := known.Properties[name]; ok {
			delete(known.Properties, name)
			removed = append(removed, name)
		}
	}
	if len(removed) == 0 {
		return schema, nil, nil
	}
	required := slices.DeleteFunc(known.Required, func(name string) bool { return slices.Contains(removed, name) })
	var err error
	if parts["properties"], err = json.Marshal(known.Properties); err != nil {
		return nil, nil, err
	}
	delete(parts, "required") // an empty one is not allowed before draft 6 of JSON Schema
	if len(required) > 0 {
		if parts["required"], err = json.Marshal(required); err != nil {
			return nil, nil, err
		}
	}
	fixed, err := json.Marshal(parts)
	return fixed, removed, err
}

// MapResults passes every result of a tool of box through f, whose error takes
// the place of the result. Errors of the tools are not passed through it.
func MapResults(box Toolbox, f func(tool string, out ToolOutput) (ToolOutput, error)) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		return mapTools(ctx, box, func(tool Tool) (Tool, error) {
			spec := tool.Spec()
			return NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error) {
				out, err := tool.Call(ctx, arguments)
				if err != nil {
					return out, err
				}
				return f(spec.Name, out)
			}), nil
		})
	})
}

// TrimResults cuts every result of a tool of box to at most size bytes, at the
// end of a character, and says so below it.
func TrimResults(box Toolbox, size int) Toolbox {
	return MapResults(box, func(_ string, out ToolOutput) (ToolOutput, error) {
		out.Text = capped(out.Text, size)
		return out, nil
	})
}
