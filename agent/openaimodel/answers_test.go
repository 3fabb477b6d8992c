package openaimodel_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

// Answers as servers give them, and what they mean. Ids that were made up are
// shown as "new".
func TestAnswers(t *testing.T) {
	calls := func(calls ...agent.ToolCall) agent.Response {
		return agent.Response{Message: agent.Message{Role: agent.RoleAssistant, ToolCalls: calls}, Usage: agent.Usage{Requests: 1}}
	}
	says := func(text string) agent.Response {
		return agent.Response{Message: agent.Message{Role: agent.RoleAssistant, Text: text}, Usage: agent.Usage{Requests: 1}}
	}
	call := func(id, name, arguments string) agent.ToolCall {
		return agent.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
	}
	tests := []struct {
		name string
		body string
		want agent.Response
	}{
		{"ids are missing", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}},{"id":"","function":{"name":"b","arguments":"{}"}}]}}]}`,
			calls(call("new", "a", "{}"), call("new", "b", "{}"))},
		{"ids are the same", `{"choices":[{"message":{"tool_calls":[{"id":"0","function":{"name":"a","arguments":"{}"}},{"id":"0","function":{"name":"b","arguments":"{}"}}]}}]}`,
			calls(call("0", "a", "{}"), call("new", "b", "{}"))},
		{"id is a number", `{"choices":[{"message":{"tool_calls":[{"id":7,"function":{"name":"a","arguments":"{}"}}]}}]}`,
			calls(call("7", "a", "{}"))},
		{"arguments are an object", `{"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":{"x": [1, {"y": null}]}}}]}}]}`,
			calls(call("1", "a", `{"x": [1, {"y": null}]}`))},
		{"arguments are missing", `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"a"}},{"id":"2","function":{"name":"a","arguments":null}},{"id":"3","function":{"name":"a","arguments":" "}},{"id":"4","function":{"name":"a","arguments":"null"}}]}}]}`,
			calls(call("1", "a", "{}"), call("2", "a", "{}"), call("3", "a", "{}"), call("4", "a", "{}"))},
		{"arguments are cut", `{"choices":[{"finish_reason":"length","message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"text\": \"half"}}]}}]}`,
			calls(call("1", "a", `{"text": "half`))},
		{"finish reason says stop", `{"choices":[{"finish_reason":"stop","message":{"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]}}]}`,
			calls(call("1", "a", "{}"))},
		{"finish reason says tool calls", `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"no calls","tool_calls":[]}}]}`,
			says("no calls")},
		{"finish reason is missing", `{"choices":[{"message":{"role":"assistant","content":"hi","tool_calls":null}}]}`, says("hi")},
		{"error is null", `{"error":null,"choices":[{"message":{"role":"assistant","content":"hi"}}]}`, says("hi")},
		{"refusal", `{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't help with that."}}]}`, says("I can't help with that.")},
		{"content in parts", `{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image"}]}}]}`, says("ab")},
		{"content is empty", `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":""}}]}`, says("")},
		{"usage", `{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`,
			agent.Response{Message: says("hi").Message, Usage: agent.Usage{Requests: 1, InputTokens: 7, OutputTokens: 3}}},
		{"usage is null", `{"choices":[{"message":{"content":"hi"}}],"usage":null}`, says("hi")},
		{"usage is nonsense", `{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":-7,"completion_tokens":"many"}}`, says("hi")},
		{"more than one choice", `{"choices":[{"message":{"content":"first"}},{"message":{"content":"second"}}]}`, says("first")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openaiserver.Start(t, openaiserver.Answer{Body: json.RawMessage(test.body)})
			got, err := newModel(t, s, nil).Complete(context.Background(), hello)
			if err != nil {
				t.Fatal(err)
			}
			showNewIDs(t, got.Message.ToolCalls)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// showNewIDs replaces ids that were made up, which must differ.
func showNewIDs(t *testing.T, calls []agent.ToolCall) {
	t.Helper()
	seen := map[string]bool{}
	for i, c := range calls {
		if seen[c.ID] {
			t.Errorf("id %q stands twice", c.ID)
		}
		seen[c.ID] = true
		if strings.HasPrefix(c.ID, "call_") {
			calls[i].ID = "new"
		}
	}
}

// What a model wrote wrong is part of the conversation from then on, and must not
// make the server refuse the rest of it.
func TestEarlierCallsAreSentWell(t *testing.T) {
	cut := agent.ToolCall{ID: "1", Name: "a", Arguments: json.RawMessage(`{"text": "half`)}
	nameless := agent.ToolCall{ID: "2", Arguments: nil}
	s := openaiserver.Start(t, openaiserver.Answer{Expect: openaiserver.Expectations{
		Body:      []string{`"arguments":"{}"`, `"name":"unknown"`},
		LacksBody: []string{"half", `"content":""`},
	}})
	_, err := newModel(t, s, nil).Complete(context.Background(), agent.Request{Messages: []agent.Message{
		{Role: agent.RoleUser, Text: "go"},
		{Role: agent.RoleAssistant, ToolCalls: []agent.ToolCall{cut, nameless}},
		{Role: agent.RoleTool, ToolCall: &cut, Text: "invalid"},
		{Role: agent.RoleTool, ToolCall: &nameless, Text: "unknown"},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// Text of a repository need not be UTF-8.
func TestInvalidUTF8IsSent(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Expect: openaiserver.Expectations{Contains: []string{"caf\uFFFD <b>\u2028"}}})
	req := agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "caf\xe9 <b>\u2028"}}}
	if _, err := newModel(t, s, nil).Complete(context.Background(), req); err != nil {
		t.Fatal(err)
	}
}

// Models fill in the properties of a schema in their order, and servers find a
// conversation in their cache by its bytes.
func TestRequestsAreStable(t *testing.T) {
	const schema = `{"type":"object","properties":{"z":{"type":"string"},"a":{"properties":{"y":{},"b":{}}}},"required":["z","a"]}`
	for _, api := range []openaimodel.API{openaimodel.ChatCompletions, openaimodel.Responses} {
		s := openaiserver.Start(t, openaiserver.Answer{}, openaiserver.Answer{})
		m := newModel(t, s, func(o *openaimodel.Options) { o.API = api })
		req := agent.Request{Messages: hello.Messages, Tools: []agent.ToolSpec{{Name: "f", Parameters: json.RawMessage(schema)}, {Name: "stop"}}}
		for range 2 {
			if _, err := m.Complete(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
		first, second := string(s.Requests()[0].Body), string(s.Requests()[1].Body)
		if first != second {
			t.Errorf("two requests for the same differ:\n%s\n%s", first, second)
		}
		if want := `"properties":{"z":{"type":"string"},"a":{"properties":{"y":{},"b":{}}}}`; !strings.Contains(first, want) {
			t.Errorf("the properties are in another order: %s", first)
		}
	}
}

func TestToolsWithoutArguments(t *testing.T) {
	for _, schema := range []string{"", "null", "{}", `{"type":"object"}`, `{"properties":{}}`} {
		s := openaiserver.Start(t, openaiserver.Answer{Expect: openaiserver.Expectations{Body: []string{`"parameters":{"properties":{},"type":"object"}`}}})
		req := agent.Request{Messages: hello.Messages, Tools: []agent.ToolSpec{{Name: "stop", Parameters: json.RawMessage(schema)}}}
		if _, err := newModel(t, s, nil).Complete(context.Background(), req); err != nil {
			t.Errorf("%q: %v", schema, err)
		}
	}
}

func TestUnusableToolSchema(t *testing.T) {
	s := openaiserver.Start(t)
	req := agent.Request{Messages: hello.Messages, Tools: []agent.ToolSpec{{Name: "broken", Parameters: json.RawMessage(`{"type":`)}}}
	_, err := newModel(t, s, nil).Complete(context.Background(), req)
	checkError(t, err, "bad request", `"broken"`)
}
