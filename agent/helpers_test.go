package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// Short names for what every test writes.
var (
	ask  = agenttest.Ask
	call = agenttest.Call
	say  = agenttest.Say
)

func newAgent(t *testing.T, model agent.Model, opts agent.Options) *agent.Agent {
	t.Helper()
	opts.Model = model
	a, err := agent.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func query(t *testing.T, a *agent.Agent, prompt string) agent.Result {
	t.Helper()
	result, err := a.Query(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

type toolFunc = func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error)

func newTool(name string, f toolFunc) agent.Tool {
	return agent.NewTool(agent.ToolSpec{Name: name, Description: "for a test"}, f)
}

// echoTool answers with its own name and arguments.
func echoTool(name string) agent.Tool {
	return newTool(name, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: name + string(arguments)}, nil
	})
}

func failingTool(name string) agent.Tool {
	return newTool(name, func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{}, fmt.Errorf("%s is out of order", name)
	})
}

// transcript writes out a conversation, one line for a message.
func transcript(messages []agent.Message) []string {
	var lines []string
	for _, m := range messages {
		line := string(m.Role)
		if m.IsError {
			line += " error"
		}
		if m.ToolCall != nil {
			line += " " + m.ToolCall.Name
		}
		if m.Text != "" {
			line += ": " + m.Text
		}
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf(" -> %s%s", c.Name, c.Arguments)
		}
		lines = append(lines, line)
	}
	return lines
}

// A journal notes what happens, also side by side.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines
}

// allHooks notes every hook.
func (j *journal) allHooks() agent.Hooks {
	note := func(name string) func(context.Context) error {
		return func(context.Context) error { j.add("%s", name); return nil }
	}
	return agent.Hooks{
		BeforeAll: note("BeforeAll"),
		OnStart:   note("OnStart"),
		BeforeCompletion: func(_ context.Context, req *agent.Request) error {
			j.add("BeforeCompletion of %d messages", len(req.Messages))
			return nil
		},
		AfterCompletion: func(_ context.Context, resp *agent.Response) error {
			j.add("AfterCompletion %q", resp.Message.Text)
			return nil
		},
		BeforeTool: func(_ context.Context, c agent.ToolCall) error { j.add("BeforeTool %s", c.Name); return nil },
		AfterTool: func(_ context.Context, c agent.ToolCall, out *agent.ToolOutput, err *error) error {
			j.add("AfterTool %s %q %v", c.Name, out.Text, *err)
			return nil
		},
		OnNewMessage: func(_ context.Context, m agent.Message) error { j.add("OnNewMessage %s", m.Role); return nil },
		AfterEach:    note("AfterEach"),
		OnStop:       func(_ context.Context, r agent.Result) error { j.add("OnStop %s", r.Reason); return nil },
		OnStream:     func(_ context.Context, text string) { j.add("OnStream %q", text) },
	}
}
