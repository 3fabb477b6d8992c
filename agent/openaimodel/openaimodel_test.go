package openaimodel_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

const testKey = "sk-test-0123456789"

// newModel makes a model of the server; change may adjust its options.
func newModel(t *testing.T, s *openaiserver.Server, change func(*openaimodel.Options)) *openaimodel.Model {
	t.Helper()
	opts := openaimodel.Options{APIKey: testKey, BaseURL: s.URL(), Model: "small", MaxRetries: -1}
	if change != nil {
		change(&opts)
	}
	m, err := openaimodel.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var hello = agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hello"}}}

func TestConversation(t *testing.T) {
	for _, stream := range []bool{false, true} {
		s := openaiserver.Start(t, openaiserver.Answer{
			Text: "two calls & more",
			ToolCalls: []openaiserver.ToolCall{
				{ID: "a", Name: "read_file", Arguments: json.RawMessage(`{"path": "a b c"}`)},
				{ID: "b", Name: "stop"},
			},
			Expect: openaiserver.Expectations{
				Contains: []string{"be brief", "earlier", "list {\"dir\":\".\"}", "a.txt"},
				Tools:    []string{"read_file", "stop"},
				Body:     []string{`"model":"small"`, `"required":["path"]`, `"description":"reads"`},
				LacksBody: []string{
					"temperature", "reasoning_effort", "max_completion_tokens", "max_tokens", "tool_choice", "strict", "parallel_tool_calls",
				},
				Header: []string{"Authorization: Bearer " + testKey, "OpenAI-Organization: ", "OpenAI-Project: "},
			},
		})
		call := agent.ToolCall{ID: "x1", Name: "list", Arguments: json.RawMessage(`{"dir":"."}`)}
		req := agent.Request{
			Messages: []agent.Message{
				{Role: agent.RoleSystem, Text: "be brief"},
				{Role: agent.RoleUser, Text: "earlier"},
				{Role: agent.RoleAssistant, ToolCalls: []agent.ToolCall{call}},
				{Role: agent.RoleTool, ToolCall: &call, Text: "a.txt"},
			},
			Tools: []agent.ToolSpec{
				{Name: "read_file", Description: "reads", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
				{Name: "stop"},
			},
		}
		var streamed string
		if stream {
			req.OnDelta = func(text string) { streamed += text }
		}
		got, err := newModel(t, s, nil).Complete(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		want := agent.Response{
			Message: agent.Message{
				Role: agent.RoleAssistant, Text: "two calls & more",
				ToolCalls: []agent.ToolCall{
					{ID: "a", Name: "read_file", Arguments: json.RawMessage(`{"path": "a b c"}`)},
					{ID: "b", Name: "stop", Arguments: json.RawMessage(`{}`)},
				},
			},
			Usage: agent.Usage{Requests: 1, InputTokens: 100, OutputTokens: 10},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stream %v: (-want +got)\n%s", stream, diff)
		}
		if stream && streamed != want.Message.Text {
			t.Errorf("streamed %q", streamed)
		}
	}
}
