package openaimodel_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"release-notes-agent/agent"
	"release-notes-agent/agent/openaimodel"
)

// Whatever a server answers, there is a message of the assistant with calls that
// can be told apart, or an error that can be shown.
func FuzzAnswer(f *testing.F) {
	const event = "text/event-stream"
	for _, body := range []string{
		`{"choices":[{"message":{"content":"hi","tool_calls":[{"id":"a","function":{"name":"b","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1}}`,
		`{"output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}]}`,
		`{"error":{"message":"no","code":"insufficient_quota","param":"temperature"}}`, `[{"error":{"code":500}}]`, `{"error":"no"}`, `{}`, `null`, ``,
	} {
		f.Add(200, "application/json", []byte(body), false)
		f.Add(400, "", []byte(body), true)
	}
	f.Add(200, event, []byte("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), false)
	f.Add(200, event, []byte("event: x\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[]}}\n\n"), true)
	f.Add(502, "text/html", []byte("<title>Bad gateway</title>"), false)
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte, responses bool) {
		opts := openaimodel.Options{APIKey: testKey, BaseURL: "http://test", Model: "small", MaxRetries: -1}
		withEverything(&opts)
		if responses {
			opts.API = openaimodel.Responses
		}
		opts.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {contentType}}
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
		})}
		m, err := openaimodel.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Complete(context.Background(), agent.Request{Messages: hello.Messages, OnDelta: func(string) {}})
		var e *openaimodel.Error
		if errors.As(err, &e) {
			checkError(t, err, e.Kind, "")
			return
		}
		if err != nil || resp.Message.Role != agent.RoleAssistant {
			t.Fatalf("got %+v, %v", resp, err)
		}
		showNewIDs(t, resp.Message.ToolCalls)
	})
}
