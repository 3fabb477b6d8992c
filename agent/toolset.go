package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A toolset holds tools under their names, in the order in which they came. The
// spec of each is asked for once, so that its name can't change.
type toolset struct {
	list   []ToolSpec
	byName map[string]Tool
}

func (s toolset) specs() []ToolSpec { return slices.Clone(s.list) }

func (s toolset) names() string {
	names := make([]string, len(s.list))
	for i, spec := range s.list {
		names[i] = spec.Name
	}
	return strings.Join(names, ", ")
}

// loadTools lists the agent's own tools and then each toolbox. The first tool of
// a name stays.
func (a *Agent) loadTools(ctx context.Context) (toolset, error) {
	set := toolset{byName: map[string]Tool{}}
	boxes := append([]Toolbox{Tools(a.opts.Tools)}, a.opts.Toolboxes...)
	for i, box := range boxes {
		listed, err := await(ctx, a, func() ([]listedTool, error) { return list(ctx, box) })
		if err != nil {
			return toolset{}, fmt.Errorf("%w: listing toolbox %d of %d: %w", ErrToolboxFailedToLoad, i, len(a.opts.Toolboxes), err)
		}
		for _, t := range listed {
			if _, taken := set.byName[t.spec.Name]; taken {
				a.opts.Logger.Warn("tool ignored: its name is taken", "tool", t.spec.Name)
				continue
			}
			set.byName[t.spec.Name] = t.tool
			set.list = append(set.list, t.spec)
		}
	}
	return set, nil
}

type listedTool struct {
	tool Tool
	spec ToolSpec
}

// list returns the tools of a toolbox with their specs; a toolbox with a tool
// that can't be called is at fault as a whole.
func list(ctx context.Context, box Toolbox) ([]listedTool, error) {
	if box == nil {
		return nil, errors.New("it is nil")
	}
	tools, err := box.Tools(ctx)
	if err != nil {
		return nil, err
	}
	listed := make([]listedTool, len(tools))
	for i, tool := range tools {
		if tool == nil {
			return nil, fmt.Errorf("tool %d is nil", i+1)
		}
		spec := tool.Spec()
		if spec.Name == "" {
			return nil, fmt.Errorf("tool %d has no name", i+1)
		}
		listed[i] = listedTool{tool, spec}
	}
	return listed, nil
}
