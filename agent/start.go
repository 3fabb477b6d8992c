package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// start is what has to succeed once in the life of an agent, however often it is
// tried.
func (a *Agent) start(ctx context.Context) error {
	if err := callHook0(ctx, a, "BeforeAll", a.opts.Hooks.BeforeAll); err != nil {
		return err
	}
	system := Message{Role: RoleSystem, Text: validUTF8(a.opts.System)}
	if system.Text != "" && a.placeFirst(system) {
		if err := a.announce(ctx, system); err != nil {
			return err
		}
	}
	tools, err := a.listToolboxes(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrToolboxFailedToLoad, err)
	}
	a.tools = tools
	return nil
}

// placeFirst makes system the first message, once, and says whether it added it.
func (a *Agent) placeFirst(system Message) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.history) > 0 && a.history[0].Role == RoleSystem {
		a.history[0] = system
		return false
	}
	a.history = slices.Insert(a.history, 0, system)
	return true
}

// listToolboxes returns the agent's own tools and, behind them, those of its
// toolboxes.
func (a *Agent) listToolboxes(ctx context.Context) (toolset, error) {
	set := a.tools
	for i, box := range a.opts.Toolboxes {
		tools, err := await(ctx, a, fmt.Sprintf("toolbox %d", i+1), func() ([]listedTool, error) {
			tools, err := box.Tools(ctx)
			if err != nil {
				return nil, err
			}
			return listed(tools)
		})
		if err != nil {
			return nil, fmt.Errorf("listing toolbox %d of %d: %w", i+1, len(a.opts.Toolboxes), err)
		}
		set = set.with(tools, a.opts.Logger)
	}
	return set, nil
}

// A listedTool is a tool and the spec it had when it was listed: a tool can't
// change its name later on.
type listedTool struct {
	Tool
	spec ToolSpec
}

// listed asks tools for their specs. One that can't be called is an error.
func listed(tools []Tool) ([]listedTool, error) {
	list := make([]listedTool, len(tools))
	for i, tool := range tools {
		if tool == nil {
			return nil, fmt.Errorf("tool %d is nil", i+1)
		}
		list[i] = listedTool{tool, tool.Spec()}
		if list[i].spec.Name == "" {
			return nil, fmt.Errorf("tool %d has no name", i+1)
		}
	}
	return list, nil
}

// A toolset holds tools in the order in which they came, each name once.
type toolset []listedTool

// with returns the tools of s and, behind them, those of tools whose names are free.
func (s toolset) with(tools []listedTool, log *slog.Logger) toolset {
	s = slices.Clip(s)
	for _, tool := range tools {
		taken := func(t listedTool) bool { return t.spec.Name == tool.spec.Name }
		if slices.ContainsFunc(s, taken) {
			log.Warn("tool ignored: its name is taken", "tool", tool.spec.Name)
			continue
		}
		s = append(s, tool)
	}
	return s
}

// find returns the tool of a name, or an error that lists the names there are.
func (s toolset) find(name string) (Tool, error) {
	names := make([]string, len(s))
	for i, tool := range s {
		if tool.spec.Name == name {
			return tool, nil
		}
		names[i] = tool.spec.Name
	}
	if len(names) == 0 {
		return nil, errors.New("there are no tools")
	}
	return nil, fmt.Errorf("there is no tool %q; the tools are: %s", name, strings.Join(names, ", "))
}

func (s toolset) specs() []ToolSpec {
	specs := make([]ToolSpec, len(s))
	for i, tool := range s {
		specs[i] = tool.spec
	}
	return specs
}
