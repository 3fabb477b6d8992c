package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

func TestQueryRunsUntilTheModelAsksForNoTool(t *testing.T) {
	model := agenttest.NewScript(
		agenttest.Cost(ask(call("add", `{"a":1}`)), 10, 2),
		agenttest.Cost(say("it is one"), 20, 3),
	)
	a := newAgent(t, model, agent.Options{System: "be brief", Tools: []agent.Tool{echoTool("add")}})
	if got := a.State(); got != agent.Pending {
		t.Errorf("state before the first query: %v", got)
	}
	result := query(t, a, "what is one?")
	want := agent.Result{Reason: agent.Done, Text: "it is one", Usage: agent.Usage{Requests: 2, InputTokens: 30, OutputTokens: 5}}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	asked := agent.ToolCall{ID: "call_2_1", Name: "add", Arguments: json.RawMessage(`{"a":1}`)}
	history := []agent.Message{
		{Role: agent.RoleSystem, Text: "be brief"},
		{Role: agent.RoleUser, Text: "what is one?"},
		{Role: agent.RoleAssistant, ToolCalls: []agent.ToolCall{asked}},
		{Role: agent.RoleTool, Text: `add{"a":1}`, ToolCall: &asked},
		{Role: agent.RoleAssistant, Text: "it is one"},
	}
	if diff := cmp.Diff(history, a.History()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if got := a.State(); got != agent.Stopped {
		t.Errorf("state after the query: %v", got)
	}
}

func TestSecondQueryContinuesTheConversation(t *testing.T) {
	model := agenttest.NewScript(agenttest.Cost(say("hello"), 1, 1), agenttest.Cost(say("good bye"), 2, 2))
	a := newAgent(t, model, agent.Options{System: "be polite"})
	query(t, a, "I come")
	if got := query(t, a, "I go").Usage.InputTokens; got != 2 {
		t.Errorf("input tokens of the second query: %d, want 2", got)
	}
	want := []string{"system: be polite", "user: I come", "assistant: hello", "user: I go", "assistant: good bye"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if got, want := a.Usage(), (agent.Usage{Requests: 2, InputTokens: 3, OutputTokens: 3}); got != want {
		t.Errorf("usage of both: %v, want %v", got, want)
	}
}

func TestEmptyPromptContinuesWithoutAMessage(t *testing.T) {
	model := agenttest.NewScript(ask(call("add", "")), say("done"))
	a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("add")}, Limits: agent.Limits{Steps: 1}})
	query(t, a, "go")
	query(t, a, "")
	want := []string{"user: go", "assistant -> add", "tool add: add{}", "assistant: done"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestEmptyPromptWithoutAHistoryIsRefused(t *testing.T) {
	model := agenttest.NewScript()
	a := newAgent(t, model, agent.Options{System: "be brief"})
	if _, err := a.Query(t.Context(), ""); err == nil {
		t.Error("no error")
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("the model got %d requests", n)
	}
}

func TestQueryOnceIsOneCompletionAndItsTools(t *testing.T) {
	model := agenttest.NewScript(ask(call("add", `{}`)), say("done"))
	a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("add")}})
	for _, step := range []struct {
		prompt string
		reason agent.StopReason
		last   string
	}{
		{"go", agent.StepLimit, "tool add: add{}"},
		{"", agent.Done, "assistant: done"},
	} {
		result, err := a.QueryOnce(t.Context(), step.prompt)
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != step.reason {
			t.Errorf("reason %q, want %q", result.Reason, step.reason)
		}
		lines := transcript(a.History())
		if got := lines[len(lines)-1]; got != step.last {
			t.Errorf("last message %q, want %q", got, step.last)
		}
	}
}

func TestTwoQueriesAtOnceAreRefused(t *testing.T) {
	var a *agent.Agent
	var inTool, inHook error
	tool := newTool("again", func(ctx context.Context, _ json.RawMessage) (agent.ToolOutput, error) {
		if a.State() != agent.Running {
			t.Errorf("state during a query: %v", a.State())
		}
		_, inTool = a.Query(ctx, "from a tool")
		return agent.ToolOutput{}, nil
	})
	onStop := func(ctx context.Context, _ agent.Result) error {
		_, inHook = a.QueryOnce(ctx, "from a hook")
		return nil
	}
	a = newAgent(t, agenttest.NewScript(ask(call("again", "")), say("done")),
		agent.Options{Tools: []agent.Tool{tool}, Hooks: agent.Hooks{OnStop: onStop}})
	query(t, a, "go")
	if !errors.Is(inTool, agent.ErrRunning) {
		t.Errorf("a query from a tool: %v", inTool)
	}
	if !errors.Is(inHook, agent.ErrRunning) {
		t.Errorf("a query from a hook: %v", inHook)
	}
}

func TestModelErrorEndsTheQueryAndTheNextContinues(t *testing.T) {
	broken := errors.New("quota used up")
	model := agenttest.NewScript(agenttest.Fail(broken), say("here I am"))
	a := newAgent(t, model, agent.Options{})
	result, err := a.Query(t.Context(), "hello?")
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(agent.Result{Usage: agent.Usage{Requests: 1}}, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	query(t, a, "hello again?")
	want := []string{"user: hello?", "user: hello again?", "assistant: here I am"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestPanicOfTheModelIsAnError(t *testing.T) {
	panics := func(context.Context, agent.Request) (agent.Response, error) { panic("no weights") }
	a := newAgent(t, agenttest.NewScript(panics), agent.Options{})
	if _, err := a.Query(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "no weights") {
		t.Errorf("error %v", err)
	}
}

func TestNewRefusesWhatCannotRun(t *testing.T) {
	model := agenttest.Echo{}
	for _, test := range []struct {
		name string
		opts agent.Options
		want string
	}{
		{"no model", agent.Options{}, "no model"},
		{"nil tool", agent.Options{Model: model, Tools: []agent.Tool{nil}}, "tool 1 is nil"},
		{"nameless tool", agent.Options{Model: model, Tools: []agent.Tool{echoTool("a"), echoTool("")}}, "tool 2 has no name"},
		{"nil toolbox", agent.Options{Model: model, Toolboxes: []agent.Toolbox{nil}}, "toolbox 1 is nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := agent.New(test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestOptionsAreCopied(t *testing.T) {
	tools := []agent.Tool{echoTool("a")}
	boxes := []agent.Toolbox{agent.Tools{echoTool("x")}}
	history := []agent.Message{{Role: agent.RoleUser, Text: "before"}}
	model := agenttest.NewScript(say("done"))
	a := newAgent(t, model, agent.Options{Tools: tools, Toolboxes: boxes, History: history})
	tools[0] = echoTool("b")
	boxes[0] = agent.Tools{echoTool("y")}
	history[0].Text = "changed"
	query(t, a, "go")
	req := model.Requests()[0]
	if diff := cmp.Diff([]string{"a", "stop", "x"}, offered(req)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if got := req.Messages[0].Text; got != "before" {
		t.Errorf("first message %q", got)
	}
}
