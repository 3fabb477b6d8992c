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

// offered returns the names of the tools in a request.
func offered(req agent.Request) []string {
	var names []string
	for _, spec := range req.Tools {
		names = append(names, spec.Name)
	}
	return names
}

func TestToolsComeFromTheListThenStopThenEachToolbox(t *testing.T) {
	model := agenttest.NewScript(say("done"))
	a := newAgent(t, model, agent.Options{
		Tools:     []agent.Tool{echoTool("own")},
		Toolboxes: []agent.Toolbox{agent.Tools{echoTool("x"), echoTool("y")}, agent.Tools{}, agent.Tools{echoTool("z")}},
	})
	query(t, a, "go")
	want := []string{"own", "stop", "x", "y", "z"}
	if diff := cmp.Diff(want, offered(model.Requests()[0])); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestFirstToolOfANameStays(t *testing.T) {
	same := func(text string) agent.Tool {
		return newTool("same", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			return agent.ToolOutput{Text: text}, nil
		})
	}
	for _, test := range []struct {
		name  string
		tools []agent.Tool
		boxes []agent.Toolbox
	}{
		{"own before toolbox", []agent.Tool{same("first")}, []agent.Toolbox{agent.Tools{same("second")}}},
		{"own before own", []agent.Tool{same("first"), same("second")}, nil},
		{"toolbox before toolbox", nil, []agent.Toolbox{agent.Tools{same("first")}, agent.Tools{same("second")}}},
		{"within a toolbox", nil, []agent.Toolbox{agent.Tools{same("first"), same("second")}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := agenttest.NewScript(ask(call("same", "{}")), say("done"))
			a := newAgent(t, model, agent.Options{Tools: test.tools, Toolboxes: test.boxes, WithoutStop: true})
			query(t, a, "go")
			if got := offered(model.Requests()[0]); len(got) != 1 {
				t.Errorf("offered %v", got)
			}
			if got := a.History()[2].Text; got != "first" {
				t.Errorf("the %s tool was called", got)
			}
		})
	}
}

func TestToolboxIsListedOnce(t *testing.T) {
	listed := 0
	box := agent.ToolboxFunc(func(context.Context) ([]agent.Tool, error) {
		listed++
		tools := []agent.Tool{echoTool("early")}
		if listed > 1 {
			tools = append(tools, echoTool("late"))
		}
		return tools, nil
	})
	model := agenttest.NewScript(say("one"), say("two"))
	a := newAgent(t, model, agent.Options{Toolboxes: []agent.Toolbox{box}, WithoutStop: true})
	query(t, a, "first")
	query(t, a, "second")
	if listed != 1 {
		t.Errorf("listed %d times", listed)
	}
	if diff := cmp.Diff([]string{"early"}, offered(model.Requests()[1])); diff != "" {
		t.Errorf("tools of the second query (-want +got):\n%s", diff)
	}
}

func TestFailedListingIsTriedAgainByTheNextQuery(t *testing.T) {
	down := errors.New("server is down")
	fails := true
	box := agent.ToolboxFunc(func(context.Context) ([]agent.Tool, error) {
		if fails {
			return nil, down
		}
		return []agent.Tool{echoTool("late")}, nil
	})
	var j journal
	hooks := j.allHooks()
	hooks.BeforeCompletion, hooks.AfterCompletion, hooks.OnStream = nil, nil, nil
	model := agenttest.NewScript(say("done"))
	a := newAgent(t, model, agent.Options{
		System: "be brief", Hooks: hooks,
		Toolboxes: []agent.Toolbox{agent.Tools{echoTool("early")}, box},
	})

	_, err := a.Query(t.Context(), "lost")
	if !errors.Is(err, agent.ErrToolboxFailedToLoad) || !errors.Is(err, down) {
		t.Errorf("error %v matches not both the sentinel and the cause", err)
	}
	if got := a.State(); got != agent.Pending {
		t.Errorf("state after a failed start: %v", got)
	}
	fails = false
	query(t, a, "go")

	wantHooks := []string{
		"BeforeAll", "OnNewMessage system",
		"BeforeAll", "OnStart", "OnNewMessage user", "OnNewMessage assistant", "AfterEach", "OnStop done",
	}
	if diff := cmp.Diff(wantHooks, j.all()); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	wantHistory := []string{"system: be brief", "user: go", "assistant: done"}
	if diff := cmp.Diff(wantHistory, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stop", "early", "late"}, offered(model.Requests()[0])); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestToolboxThatMisbehavesFailsToLoad(t *testing.T) {
	for _, test := range []struct {
		name string
		box  agent.ToolboxFunc
		want string
	}{
		{"panic", func(context.Context) ([]agent.Tool, error) { panic("oops") }, "panic: oops"},
		{"nil tool", func(context.Context) ([]agent.Tool, error) { return []agent.Tool{nil}, nil }, "tool 1 is nil"},
		{"nameless tool", func(context.Context) ([]agent.Tool, error) { return []agent.Tool{echoTool("")}, nil }, "tool 1 has no name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t, agenttest.Echo{}, agent.Options{Toolboxes: []agent.Toolbox{agent.Tools{}, test.box}})
			_, err := a.Query(t.Context(), "go")
			if !errors.Is(err, agent.ErrToolboxFailedToLoad) {
				t.Errorf("error %v does not match the sentinel", err)
			}
			if want := "listing toolbox 2 of 2: " + test.want; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one with %q", err, want)
			}
		})
	}
}

func TestFailedBeforeAllStartsAgain(t *testing.T) {
	runs := 0
	hooks := agent.Hooks{BeforeAll: func(context.Context) error {
		if runs++; runs == 1 {
			return errors.New("not yet")
		}
		return nil
	}}
	a := newAgent(t, agenttest.NewScript(say("done"), say("more")), agent.Options{System: "be brief", Hooks: hooks})
	if _, err := a.Query(t.Context(), "lost"); err == nil {
		t.Error("no error")
	}
	query(t, a, "go")
	query(t, a, "on")
	if runs != 2 {
		t.Errorf("BeforeAll ran %d times, want 2", runs)
	}
	want := []string{"system: be brief", "user: go", "assistant: done", "user: on", "assistant: more"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestDefaultStopToolEndsTheQuery(t *testing.T) {
	a := newAgent(t, agenttest.NewScript(ask(call("stop", "{}"))), agent.Options{})
	if got := query(t, a, "go"); got.Reason != agent.StopByTool || got.Tool != "stop" {
		t.Errorf("reason %q by %q", got.Reason, got.Tool)
	}
}

func TestStopToolCanBeLeftOut(t *testing.T) {
	model := agenttest.NewScript(ask(call("stop", "{}")), say("then not"))
	a := newAgent(t, model, agent.Options{WithoutStop: true})
	if got := query(t, a, "go").Reason; got != agent.Done {
		t.Errorf("reason %q", got)
	}
	if got := offered(model.Requests()[0]); len(got) != 0 {
		t.Errorf("tools %v", got)
	}
	want := []string{"user: go", "assistant -> stop{}", "tool error stop: there are no tools", "assistant: then not"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestOwnToolTakesThePlaceOfTheDefaultStop(t *testing.T) {
	model := agenttest.NewScript(ask(call("stop", `{"why":"tired"}`)), say("done"))
	a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("stop")}})
	query(t, a, "go")
	want := []string{"user: go", `assistant -> stop{"why":"tired"}`, `tool stop: stop{"why":"tired"}`, "assistant: done"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
