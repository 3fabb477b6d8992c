package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
		var kept []Tool
		for _, tool := range tools {
			if keep(tool.Spec()) {
				kept = append(kept, tool)
			}
		}
		return kept, nil
	})
}

// Rename offers the tools of box under the names that rename gives them. Two
// tools under one name, and a tool without one, are an error.
func Rename(box Toolbox, rename func(name string) string) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		renamed := make([]Tool, len(tools))
		from := map[string]string{}
		for i, tool := range tools {
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
			renamed[i] = NewTool(spec, tool.Call)
		}
		return renamed, nil
	})
}

// FixArguments takes arguments out of a model's hands. In every tool of box whose
// schema has a property of such a name, the property is removed and the argument
// set to the value given; from the other tools, an argument of that name is kept
// away. The values must go to JSON.
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
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		fixed := make([]Tool, len(tools))
		for i, tool := range tools {
			if fixed[i], err = fixTool(tool, values); err != nil {
				return nil, fmt.Errorf("fixing arguments of tool %q: %w", tool.Spec().Name, err)
			}
		}
		return fixed, nil
	})
}

// fixTool sets those values that the tool's schema has a property for.
func fixTool(tool Tool, values map[string]json.RawMessage) (Tool, error) {
	spec := tool.Spec()
	parameters, declared, err := withoutProperties(spec.Parameters, values)
	if err != nil {
		return nil, err
	}
	spec.Parameters = parameters
	return NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error) {
		var given map[string]json.RawMessage
		if err := json.Unmarshal(arguments, &given); err != nil {
			return ToolOutput{}, fmt.Errorf("wrong arguments: %w", err)
		}
		if given == nil {
			given = map[string]json.RawMessage{}
		}
		for name, value := range values {
			delete(given, name)
			if declared[name] {
				given[name] = value
			}
		}
		all, err := json.Marshal(given)
		if err != nil {
			return ToolOutput{}, fmt.Errorf("wrong arguments: %w", err)
		}
		return tool.Call(ctx, all)
	}), nil
}

// withoutProperties removes properties from an object schema and says which of
// the names it had. Everything else in the schema stays as it is.
func withoutProperties(schema json.RawMessage, names map[string]json.RawMessage) (json.RawMessage, map[string]bool, error) {
	declared := map[string]bool{}
	if len(schema) == 0 {
		return schema, declared, nil
	}
	var object, properties map[string]json.RawMessage
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, nil, fmt.Errorf("reading its schema: %w", err)
	}
	if err := unmarshalIfThere(object["properties"], &properties); err != nil {
		return nil, nil, fmt.Errorf("reading the properties of its schema: %w", err)
	}
	var required []string
	if err := unmarshalIfThere(object["required"], &required); err != nil {
		return nil, nil, fmt.Errorf("reading the required properties of its schema: %w", err)
	}
	for name := range names {
		if _, ok := properties[name]; ok {
			declared[name] = true
			delete(properties, name)
		}
	}
	if len(declared) == 0 {
		return schema, declared, nil
	}
	required = slices.DeleteFunc(required, func(name string) bool { return declared[name] })
	var err error
	if object["properties"], err = json.Marshal(properties); err != nil {
		return nil, nil, err
	}
	delete(object, "required")
	if len(required) > 0 {
		if object["required"], err = json.Marshal(required); err != nil {
			return nil, nil, err
		}
	}
	fixed, err := json.Marshal(object)
	return fixed, declared, err
}

func unmarshalIfThere(data json.RawMessage, v any) error {
	if data == nil {
		return nil
	}
	return json.Unmarshal(data, v)
}

// MapResults passes every result of a tool of box through f, whose error takes
// the place of the result. Errors of the tools are not passed through it.
func MapResults(box Toolbox, f func(tool string, out ToolOutput) (ToolOutput, error)) Toolbox {
	return ToolboxFunc(func(ctx context.Context) ([]Tool, error) {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		mapped := make([]Tool, len(tools))
		for i, tool := range tools {
			spec := tool.Spec()
			mapped[i] = NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (ToolOutput, error) {
				out, err := tool.Call(ctx, arguments)
				if err != nil {
					return out, err
				}
				return f(spec.Name, out)
			})
		}
		return mapped, nil
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
