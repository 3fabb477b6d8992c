package openaimodel_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// A conversation goes through both interfaces, whole or in pieces, all the same.
func TestConversation(t *testing.T) {
	for _, api := range []openaimodel.API{openaimodel.ChatCompletions, openaimodel.Responses} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", api, stream), func(t *testing.T) { testConversation(t, api, stream) })
		}
	}
}

func testConversation(t *testing.T, api openaimodel.API, stream bool) {
	s := openaiserver.Start(t, openaiserver.Answer{
		Text: "two calls & more",
		ToolCalls: []openaiserver.ToolCall{
			{ID: "a", Name: "read_file", Arguments: json.RawMessage(`{"path": "a b c"}`)},
			{ID: "b", Name: "stop"},
		},
		Expect: openaiserver.Expectations{
			Tools: []string{"read_file", "stop"},
			Body:  []string{`"model":"small"`, `"required":["path"]`, `"description":"reads"`},
			LacksBody: []string{
				"temperature", "reasoning", "max_", "tool_choice", `"strict":true`, "parallel_tool_calls", `"id":""`,
			},
			Header: []string{"Authorization: Bearer " + testKey, "OpenAI-Organization", "OpenAI-Project"},
		},
	})
	req := earlierConversation()
	var streamed string
	if stream {
		req.OnDelta = func(text string) { streamed += text }
	}
	got, err := newModel(t, s, func(o *openaimodel.Options) { o.API = api }).Complete(context.Background(), req)
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
		t.Errorf("(-want +got)\n%s", diff)
	}
	if stream && streamed != want.Message.Text {
		t.Errorf("streamed %q", streamed)
	}
	if diff := cmp.Diff(earlierConversationSent, s.Requests()[0].Messages); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
}

// earlierConversation holds everything that a request can.
func earlierConversation() agent.Request {
	list := agent.ToolCall{ID: "x1", Name: "list", Arguments: json.RawMessage(`{"dir":"."}`)}
	read := agent.ToolCall{ID: "x2", Name: "read_file", Arguments: json.RawMessage(`{"path":"a"}`)}
	return agent.Request{
		Messages: []agent.Message{
			{Role: agent.RoleSystem, Text: "be brief"},
			{Role: agent.RoleUser, Text: "earlier"},
			{Role: agent.RoleAssistant, Text: "let me see", ToolCalls: []agent.ToolCall{list, read}},
			{Role: agent.RoleTool, ToolCall: &list, Text: "a.txt"},
			{Role: agent.RoleTool, ToolCall: &read, Text: ""},
			{Role: agent.RoleAssistant, Text: "done"},
			{Role: agent.RoleUser, Text: "later"},
		},
		Tools: []agent.ToolSpec{
			{Name: "read_file", Description: "reads", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "stop"},
		},
	}
}

var earlierConversationSent = []openaiserver.Message{
	{Role: "system", Text: "be brief"},
	{Role: "user", Text: "earlier"},
	{Role: "assistant", Text: "let me see", ToolCalls: []openaiserver.ToolCall{
		{ID: "x1", Name: "list", Arguments: json.RawMessage(`"{\"dir\":\".\"}"`)},
		{ID: "x2", Name: "read_file", Arguments: json.RawMessage(`"{\"path\":\"a\"}"`)},
	}},
	{Role: "tool", ToolID: "x1", Text: "a.txt"},
	{Role: "tool", ToolID: "x2"},
	{Role: "assistant", Text: "done"},
	{Role: "user", Text: "later"},
}
