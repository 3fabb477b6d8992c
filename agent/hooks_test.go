package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

func TestOrderOfHooks(t *testing.T) {
	var j journal
	box := agent.ToolboxFunc(func(context.Context) ([]agent.Tool, error) {
		j.add("toolbox listed")
		return []agent.Tool{failingTool("saw")}, nil
	})
	add := newTool("add", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		j.add("add called")
		return agent.ToolOutput{Text: "1"}, nil
	})
	model := agenttest.NewScript(ask(call("add", "{}")), say("it is one"), ask(call("saw", "{}")), ask(call("stop", "")))
	a := newAgent(t, model, agent.Options{
		System: "be brief", Tools: []agent.Tool{add}, Toolboxes: []agent.Toolbox{box}, Hooks: j.allHooks(),
	})
	query(t, a, "first")
	j.add("---")
	query(t, a, "second")
	want := []string{
		"BeforeAll", "OnNewMessage system", "toolbox listed",
		"OnStart", "OnNewMessage user",
		"BeforeCompletion of 2 messages", `AfterCompletion ""`, "OnNewMessage assistant",
		"BeforeTool add", "add called", `AfterTool add "1" <nil>`, "OnNewMessage tool", "AfterEach",
		"BeforeCompletion of 4 messages", `OnStream "it "`, `OnStream "is "`, `OnStream "one"`,
		`AfterCompletion "it is one"`, "OnNewMessage assistant", "AfterEach", "OnStop done",
		"---",
		"OnStart", "OnNewMessage user",
		"BeforeCompletion of 6 messages", `AfterCompletion ""`, "OnNewMessage assistant",
		"BeforeTool saw", `AfterTool saw "" saw is out of order`, "OnNewMessage tool", "AfterEach",
		"BeforeCompletion of 8 messages", `AfterCompletion ""`, "OnNewMessage assistant",
		"BeforeTool stop", `AfterTool stop "stopped" <nil>`, "OnNewMessage tool", "AfterEach", "OnStop stopped by tool",
	}
	if diff := cmp.Diff(want, j.all()); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

func TestBeforeCompletionChangesTheRequestAlone(t *testing.T) {
	hooks := agent.Hooks{BeforeCompletion: func(_ context.Context, req *agent.Request) error {
		for i := range req.Messages {
			req.Messages[i].Text = "changed"
			for k := range req.Messages[i].ToolCalls {
				req.Messages[i].ToolCalls[k].Name = "changed"
				copy(req.Messages[i].ToolCalls[k].Arguments, "changed")
			}
			if c := req.Messages[i].ToolCall; c != nil {
				c.Name = "changed"
			}
		}
		req.Tools[0].Name = "changed"
		req.Tools = req.Tools[:1]
		return nil
	}}
	model := agenttest.NewScript(ask(call("add", `{"number":1}`)), say("done"))
	a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks})
	query(t, a, "go")
	want := []string{"user: go", `assistant -> add{"number":1}`, `tool add: add{"number":1}`, "assistant: done"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	for _, req := range model.Requests() {
		if diff := cmp.Diff([]string{"changed"}, offered(req)); diff != "" {
			t.Errorf("tools of the request (-want +got):\n%s", diff)
		}
		if got := req.Messages[0].Text; got != "changed" {
			t.Errorf("message of the request %q", got)
		}
	}
}

func TestAfterCompletionChangesTheAnswer(t *testing.T) {
	hooks := agent.Hooks{AfterCompletion: func(_ context.Context, resp *agent.Response) error {
		resp.Message.Text = strings.ReplaceAll(resp.Message.Text, "secret", "***")
		resp.Message.ToolCalls = nil
		return nil
	}}
	both := agenttest.Answer(agent.Message{Text: "the secret", ToolCalls: []agent.ToolCall{call("add", "")}})
	a := newAgent(t, agenttest.NewScript(both), agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks})
	result := query(t, a, "go")
	if result.Reason != agent.Done || result.Text != "the ***" {
		t.Errorf("result %+v", result)
	}
	if diff := cmp.Diff([]string{"user: go", "assistant: the ***"}, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestAfterToolChangesWhatComesOfACall(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(out *agent.ToolOutput, err *error)
		last   string
		reason agent.StopReason
	}{
		{"text", func(out *agent.ToolOutput, _ *error) { out.Text = "other" }, "tool add: other", agent.Done},
		{"success to failure", func(_ *agent.ToolOutput, err *error) { *err = errors.New("no") }, "tool error add: no", agent.ToolRetryLimit},
		{"stop", func(out *agent.ToolOutput, _ *error) { out.Stop = true }, "tool add: add{}", agent.StopByTool},
	} {
		t.Run(test.name, func(t *testing.T) {
			hooks := agent.Hooks{AfterTool: func(_ context.Context, _ agent.ToolCall, out *agent.ToolOutput, err *error) error {
				test.change(out, err)
				return nil
			}}
			a := newAgent(t, agenttest.NewScript(ask(call("add", ""), call("add", "")), say("done")),
				agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks, Limits: agent.Limits{ToolRetries: 1}})
			if got := query(t, a, "go").Reason; got != test.reason {
				t.Errorf("reason %q, want %q", got, test.reason)
			}
			if got := transcript(a.History())[3]; got != test.last {
				t.Errorf("result %q, want %q", got, test.last)
			}
		})
	}
}

func TestAfterToolTurnsAFailureIntoAResult(t *testing.T) {
	hooks := agent.Hooks{AfterTool: func(_ context.Context, _ agent.ToolCall, out *agent.ToolOutput, err *error) error {
		out.Text, *err = "never mind: "+(*err).Error(), nil
		return nil
	}}
	a := newAgent(t, agenttest.NewScript(ask(call("saw", ""), call("saw", "")), say("done")),
		agent.Options{Tools: []agent.Tool{failingTool("saw")}, Hooks: hooks, Limits: agent.Limits{ToolRetries: 1}})
	if got := query(t, a, "go").Reason; got != agent.Done {
		t.Errorf("reason %q", got)
	}
	if got := transcript(a.History())[2]; got != "tool saw: never mind: saw is out of order" {
		t.Errorf("result %q", got)
	}
}

// failing lists the hooks that return an error, each in hooks of which it does f.
var failing = []struct {
	name  string
	hooks func(f func() error) agent.Hooks
}{
	{"BeforeAll", func(f func() error) agent.Hooks {
		return agent.Hooks{BeforeAll: func(context.Context) error { return f() }}
	}},
	{"OnStart", func(f func() error) agent.Hooks {
		return agent.Hooks{OnStart: func(context.Context) error { return f() }}
	}},
	{"BeforeCompletion", func(f func() error) agent.Hooks {
		return agent.Hooks{BeforeCompletion: func(context.Context, *agent.Request) error { return f() }}
	}},
	{"AfterCompletion", func(f func() error) agent.Hooks {
		return agent.Hooks{AfterCompletion: func(context.Context, *agent.Response) error { return f() }}
	}},
	{"BeforeTool", func(f func() error) agent.Hooks {
		return agent.Hooks{BeforeTool: func(context.Context, agent.ToolCall) error { return f() }}
	}},
	{"AfterTool", func(f func() error) agent.Hooks {
		return agent.Hooks{AfterTool: func(context.Context, agent.ToolCall, *agent.ToolOutput, *error) error { return f() }}
	}},
	{"OnNewMessage", func(f func() error) agent.Hooks {
		return agent.Hooks{OnNewMessage: func(context.Context, agent.Message) error { return f() }}
	}},
	{"AfterEach", func(f func() error) agent.Hooks {
		return agent.Hooks{AfterEach: func(context.Context) error { return f() }}
	}},
	{"OnStop", func(f func() error) agent.Hooks {
		return agent.Hooks{OnStop: func(context.Context, agent.Result) error { return f() }}
	}},
}

func TestErrorOfAHookEndsTheQueryAndNamesTheHook(t *testing.T) {
	for _, test := range failing {
		t.Run(test.name, func(t *testing.T) {
			broken := errors.New("broken")
			fails := true
			hooks := test.hooks(func() error {
				if fails {
					return broken
				}
				return nil
			})
			a := newAgent(t, agenttest.Always(answerOnce), agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks})
			_, err := a.Query(t.Context(), "go")
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), "hook "+test.name+": broken") {
				t.Errorf("error %v", err)
			}
			fails = false
			if got := query(t, a, "again").Reason; got != agent.Done {
				t.Errorf("reason of the next query %q", got)
			}
			checkEveryCallIsAnswered(t, a.History())
		})
	}
}

func TestPanicOfAHookEndsTheQueryAndNamesTheHook(t *testing.T) {
	for _, test := range failing {
		t.Run(test.name, func(t *testing.T) {
			hooks := test.hooks(func() error { panic("oops") })
			a := newAgent(t, agenttest.Always(answerOnce), agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks})
			_, err := a.Query(t.Context(), "go")
			if err == nil || !strings.Contains(err.Error(), "hook "+test.name+": panic: oops") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestPanicOfOnStreamEndsTheQuery(t *testing.T) {
	calls := 0
	hooks := agent.Hooks{OnStream: func(context.Context, string) { calls++; panic("oops") }}
	a := newAgent(t, agenttest.NewScript(say("many words to stream")), agent.Options{Hooks: hooks})
	if _, err := a.Query(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "hook OnStream: panic: oops") {
		t.Errorf("error %v", err)
	}
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestNothingStreamsWithoutTheHook(t *testing.T) {
	model := agenttest.NewScript(say("many words"))
	query(t, newAgent(t, model, agent.Options{}), "go")
	if model.Requests()[0].OnDelta != nil {
		t.Error("the request asks for a stream")
	}
}

// TestFailedHookInterruptsTheOtherCalls has one call whose hook fails while
// another call is running and a third has not started.
func TestFailedHookInterruptsTheOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := make(chan struct{})
		waits := newTool("wait", func(ctx context.Context, _ json.RawMessage) (agent.ToolOutput, error) {
			close(running)
			<-ctx.Done()
			return agent.ToolOutput{}, ctx.Err()
		})
		broken := errors.New("broken")
		hooks := agent.Hooks{BeforeTool: func(_ context.Context, c agent.ToolCall) error {
			if c.Name == "bad" {
				<-running
				return broken
			}
			return nil
		}}
		model := agenttest.NewScript(ask(call("wait", ""), call("bad", ""), call("never", "")))
		never := newTool("never", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			t.Error("a call started after a hook had failed")
			return agent.ToolOutput{}, nil
		})
		a := newAgent(t, model, agent.Options{
			Tools: []agent.Tool{waits, echoTool("bad"), never}, Hooks: hooks, Limits: agent.Limits{Parallel: 2},
		})
		_, err := a.Query(t.Context(), "go")
		if !errors.Is(err, broken) || errors.Is(err, context.Canceled) {
			t.Errorf("error %v is not the hook's", err)
		}
		for i, want := range []string{"interrupted", "not run", "not run"} {
			if got := results(a)[i]; !strings.HasPrefix(got, want) {
				t.Errorf("result %d: %q, want %q", i, got, want)
			}
		}
		checkEveryCallIsAnswered(t, a.History())
	})
}

// answerOnce asks for a tool, and once that has answered says that it is done.
func answerOnce(ctx context.Context, req agent.Request) (agent.Response, error) {
	if last := req.Messages[len(req.Messages)-1]; last.Role == agent.RoleTool {
		return say("done")(ctx, req)
	}
	return ask(call("add", "{}"))(ctx, req)
}

// checkEveryCallIsAnswered holds a conversation against what models ask for: right
// behind a message with tool calls stand their answers.
func checkEveryCallIsAnswered(t *testing.T, messages []agent.Message) {
	t.Helper()
	for i, m := range messages {
		for k, c := range m.ToolCalls {
			if at := i + 1 + k; at >= len(messages) || messages[at].ToolCall == nil || messages[at].ToolCall.ID != c.ID {
				t.Errorf("call %s of message %d has no answer in %q", c.ID, i, transcript(messages))
			}
		}
	}
}
