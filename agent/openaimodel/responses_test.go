package openaimodel_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

func overResponses(o *openaimodel.Options) { o.API = openaimodel.Responses }

func TestResponsesIsStateless(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Expect: openaiserver.Expectations{
		Body:      []string{`"store":false`, `"strict":false`, `"temperature":0`, `"reasoning":{"effort":"low"}`, `"max_output_tokens":100`},
		LacksBody: []string{"previous_response_id", "conversation", "max_tokens", "max_completion_tokens", "stream"},
	}})
	m := newModel(t, s, func(o *openaimodel.Options) { withEverything(o); overResponses(o) })
	if _, err := m.Complete(context.Background(), agent.Request{Messages: hello.Messages, Tools: []agent.ToolSpec{{Name: "stop"}}}); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[0].Path; got != "/v1/responses" {
		t.Errorf("asked %s", got)
	}
}

func TestResponses(t *testing.T) {
	tests := []struct {
		name  string
		body  string
		text  string
		calls string
		kind  openaimodel.Kind
		want  string // in the error
	}{
		{name: "text in parts", body: `{"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]},{"type":"message","content":[{"type":"output_text","text":"c"}]}]}`, text: "abc"},
		{name: "refusal", body: `{"output":[{"type":"message","content":[{"type":"refusal","refusal":"no way"}]}]}`, text: "no way"},
		{name: "calls", body: `{"output":[{"type":"function_call","id":"fc_1","call_id":"x","name":"a","arguments":"{\"k\":1}"},{"type":"function_call","call_id":"x","name":"b","arguments":{"k":2}},{"type":"function_call","name":"c"}]}`, calls: `a({"k":1}) b({"k":2}) c({})`},
		{name: "call cut", body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","call_id":"x","name":"a","arguments":"{\"k"}]}`, calls: `a({"k)`},
		{name: "only reasoning", body: `{"status":"completed","output":[{"type":"reasoning","summary":[]}]}`},
		{name: "item of a later kind", body: `{"output":[{"type":"dance"},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}`, text: "a"},

		{name: "text cut", body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, kind: openaimodel.Cut, want: "cut"},
		{name: "filtered", body: `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, kind: openaimodel.Filtered, want: "withholds"},
		{name: "failed", body: `{"status":"failed","error":{"code":"rate_limit_exceeded","message":"too fast"},"output":[]}`, kind: openaimodel.RateLimited, want: "too fast"},
		{name: "no output", body: `{"status":"completed","output":[]}`, kind: openaimodel.Malformed, want: "without output"},
		{name: "detail", body: `{"detail":"nope"}`, kind: openaimodel.ServerFailed, want: "nope"},
		{name: "chat completion", body: `{"choices":[{"message":{"content":"hi"}}]}`, kind: openaimodel.Malformed, want: "without output"},
		{name: "not JSON", body: `"<html>"`, kind: openaimodel.Malformed, want: "no response"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			whole := openaiserver.Answer{Body: json.RawMessage(test.body)}
			answers := map[string]openaiserver.Answer{"whole": whole}
			if test.body[0] == '{' {
				answers["streamed"] = sse(`{"type":"response.created"}`, `{"type":"response.completed","response":`+test.body+`}`)
			}
			for form, answer := range answers {
				s := openaiserver.Start(t, answer)
				got, err := newModel(t, s, overResponses).Complete(context.Background(), hello)
				if test.kind != "" {
					checkError(t, err, test.kind, test.want)
					continue
				}
				if err != nil {
					t.Fatal(form, err)
				}
				showNewIDs(t, got.Message.ToolCalls)
				if calls := showCalls(got.Message.ToolCalls); got.Message.Text != test.text || calls != test.calls {
					t.Errorf("%s: got %q and %s, want %q and %s", form, got.Message.Text, calls, test.text, test.calls)
				}
			}
		})
	}
}

func TestResponsesStreamThatFails(t *testing.T) {
	const delta = `{"type":"response.output_text.delta","delta":"hi"}`
	tests := []struct {
		name   string
		answer openaiserver.Answer
		kind   openaimodel.Kind
		want   string
	}{
		{"error event", sse(delta, `{"type":"error","code":"server_error","message":"died","param":null}`), openaimodel.ServerFailed, "died"},
		{"failed", sse(delta, `{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"used up"},"output":[]}}`), openaimodel.Quota, "used up"},
		{"not JSON", sse(delta, `oops`), openaimodel.Malformed, "oops"},
		{"no response", sse(delta, `{"type":"response.completed"}`), openaimodel.Malformed, "no response"},
		{"breaks off", sse(delta), openaimodel.Unreachable, "broke off"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openaiserver.Start(t, test.answer)
			var streamed string
			_, err := newModel(t, s, overResponses).Complete(context.Background(), agent.Request{
				Messages: hello.Messages, OnDelta: func(text string) { streamed += text },
			})
			checkError(t, err, test.kind, test.want)
			if streamed != "hi" {
				t.Errorf("streamed %q", streamed)
			}
		})
	}
}

func TestResponsesRefusesParameters(t *testing.T) {
	s := openaiserver.Start(t,
		openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model.","param":"reasoning.effort"}}`)},
		openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"Unsupported parameter","param":"max_output_tokens"}}`)},
		openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"Unsupported parameter: 'temperature'"}}`)},
		openaiserver.Answer{Text: "hi", Expect: openaiserver.Expectations{LacksBody: []string{"temperature", "reasoning", "max_"}}},
	)
	m := newModel(t, s, func(o *openaimodel.Options) { withEverything(o); overResponses(o) })
	if _, err := m.Complete(context.Background(), hello); err != nil {
		t.Fatal(err)
	}
}

func TestBestAPI(t *testing.T) {
	for _, test := range []struct {
		base, model string
		api         openaimodel.API
		want        string
	}{
		{"", "gpt-5.4-mini", "", "/responses"},
		{"", "o3", "", "/responses"},
		{"", "ft:o4-mini-2025-04-16:org::id", "", "/responses"},
		{"https://eu.api.openai.com/v1", "gpt-5", "", "/responses"},
		{"", "gpt-4.1", "", "/chat/completions"},
		{"", "gpt-4o-mini", "", "/chat/completions"},
		{"", "ft:gpt-3.5-turbo:org::id", "", "/chat/completions"},
		{"", "gpt-5", openaimodel.ChatCompletions, "/chat/completions"},
		{"", "omni-x", "", "/chat/completions"},
		{"https://api.openai.com.example.org/v1", "gpt-5", "", "/chat/completions"},
		{"http://localhost:11434/v1", "gpt-oss:20b", "", "/chat/completions"},
		{"http://localhost:11434/v1", "gpt-oss:20b", openaimodel.Responses, "/responses"},
	} {
		var asked string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.Path
			return nil, io.EOF
		})}
		m, err := openaimodel.New(openaimodel.Options{Model: test.model, BaseURL: test.base, API: test.api, HTTPClient: client, MaxRetries: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Complete(context.Background(), hello)
		checkError(t, err, openaimodel.Unreachable, "broke off")
		if strings.TrimPrefix(asked, "/v1") != test.want {
			t.Errorf("%s at %q: asked %s, want %s", test.model, test.base, asked, test.want)
		}
	}
}
