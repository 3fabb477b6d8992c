package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

func TestQueryRunsUntilNoToolIsAskedFor(t *testing.T) {
	spec := agent.ToolSpec{Name: "add", Description: "adds"}
	add := agent.NewTool(spec, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "sum of " + string(arguments)}, nil
	})
	model := agenttest.NewScript(
		agenttest.Ask(agenttest.Call("add", `{"a":1}`)),
		agenttest.Say("it is one"),
	)
	a, err := agent.New(agent.Options{Model: model, System: "be brief", Tools: []agent.Tool{add}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Query(t.Context(), "what is one?")
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Result{Reason: agent.Done, Text: "it is one", Usage: agent.Usage{Requests: 2}}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	call := agent.ToolCall{ID: "call_2_1", Name: "add", Arguments: json.RawMessage(`{"a":1}`)}
	history := []agent.Message{
		{Role: agent.RoleSystem, Text: "be brief"},
		{Role: agent.RoleUser, Text: "what is one?"},
		{Role: agent.RoleAssistant, ToolCalls: []agent.ToolCall{call}},
		{Role: agent.RoleTool, Text: `sum of {"a":1}`, ToolCall: &call},
		{Role: agent.RoleAssistant, Text: "it is one"},
	}
	if diff := cmp.Diff(history, a.History()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
