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

// sse makes the answer of a server that streams these events.
func sse(events ...string) openaiserver.Answer {
	body, err := json.Marshal("data: " + strings.Join(events, "\n\ndata: ") + "\n\n")
	if err != nil {
		panic(err)
	}
	return openaiserver.Answer{Body: body, Headers: map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}}
}

// Events of a stream.
const (
	startOfStream = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	endOfStream   = "[DONE]"
)

func saying(text string) string {
	return `{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`
}

func calling(fields string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + fields + `]}}]}`
}

func finishing(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

var streamTests = []struct {
	name   string
	answer openaiserver.Answer
	text   string
	calls  string // name(arguments), one after the other
	output int64  // tokens
	kind   openaimodel.Kind
	want   string // in the error
}{
	{name: "text", answer: sse(startOfStream, saying("a "), saying("b"), finishing("stop"), endOfStream), text: "a b"},
	{name: "usage at the end", answer: sse(startOfStream, saying("a"), finishing("stop"), `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, endOfStream), text: "a", output: 2},
	{name: "usage all along", answer: sse(`{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}`, endOfStream), text: "a", output: 2},
	{name: "no finish reason", answer: sse(saying("a"), endOfStream), text: "a"},
	{name: "no end mark", answer: sse(saying("a"), finishing("stop")), text: "a"},
	{name: "calls", answer: sse(startOfStream,
		calling(`{"index":0,"id":"x","type":"function","function":{"name":"a","arguments":""}}`),
		calling(`{"index":0,"function":{"arguments":"{\"k\":"}},{"index":1,"id":"y","function":{"name":"b","arguments":"{}"}}`),
		calling(`{"index":0,"function":{"arguments":"1}"}}`), finishing("tool_calls"), endOfStream),
		calls: `a({"k":1}) b({})`},
	{name: "calls without index", answer: sse(
		calling(`{"id":"x","function":{"name":"a","arguments":"{}"}}`), calling(`{"id":"y","function":{"name":"b","arguments":"{}"}}`), finishing("stop"), endOfStream),
		calls: `a({}) b({})`},
	{name: "calls that repeat id and name", answer: sse(
		calling(`{"index":0,"id":"x","function":{"name":"a","arguments":"{\"k\""}}`), calling(`{"index":0,"id":"x","function":{"name":"a","arguments":":2}"}}`), endOfStream),
		calls: `a({"k":2})`},
	{name: "calls without ids", answer: sse(
		calling(`{"index":0,"function":{"name":"a","arguments":"{}"}}`), calling(`{"index":1,"function":{"name":"a","arguments":"{}"}}`), endOfStream),
		calls: `a({}) a({})`},
	{name: "arguments as object", answer: sse(calling(`{"index":0,"id":"x","function":{"name":"a","arguments":{"k":3}}}`), endOfStream), calls: `a({"k":3})`},
	{name: "arguments cut", answer: sse(calling(`{"index":0,"id":"x","function":{"name":"a","arguments":"{\"k"}}`), finishing("length"), endOfStream), calls: `a({"k)`},
	{name: "refusal", answer: sse(`{"choices":[{"delta":{"refusal":"no "}}]}`, `{"choices":[{"delta":{"refusal":"way"}}]}`, endOfStream), text: "no way"},
	{name: "other choices", answer: sse(saying("a"), `{"choices":[{"index":1,"delta":{"content":"b"}}]}`, endOfStream), text: "a"},
	{name: "error is null", answer: sse(`{"error":null,"choices":[{"delta":{"content":"a"}}]}`, endOfStream), text: "a"},
	{name: "one piece all the same", answer: openaiserver.Answer{Body: json.RawMessage(`{"choices":[{"message":{"content":"whole"}}]}`)}, text: "whole"},

	{name: "text cut", answer: sse(saying("a"), finishing("length"), endOfStream), kind: openaimodel.Cut, want: "cut"},
	{name: "error event", answer: sse(startOfStream, `{"error":{"message":"quota used up","code":"insufficient_quota"}}`), kind: openaimodel.Quota, want: "quota used up"},
	{name: "error with a choice", answer: sse(startOfStream, `{"error":{"message":"died","code":502},"choices":[{"delta":{},"finish_reason":"error"}]}`), kind: openaimodel.ServerFailed, want: "died"},
	{name: "not JSON", answer: sse(startOfStream, "oops"), kind: openaimodel.Malformed, want: "oops"},
	{name: "nothing", answer: sse(endOfStream), kind: openaimodel.Malformed, want: "without a choice"},
	{name: "breaks off", answer: sse(startOfStream, saying("a")), kind: openaimodel.Unreachable, want: "broke off"},
}

func TestStreams(t *testing.T) {
	for _, test := range streamTests {
		t.Run(test.name, func(t *testing.T) {
			s := openaiserver.Start(t, test.answer)
			var streamed string
			got, err := newModel(t, s, nil).Complete(context.Background(), agent.Request{
				Messages: hello.Messages, OnDelta: func(text string) { streamed += text },
			})
			if test.kind != "" {
				checkError(t, err, test.kind, test.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			showNewIDs(t, got.Message.ToolCalls)
			if got.Message.Text != test.text || got.Usage.OutputTokens != test.output {
				t.Errorf("got %q with %d tokens, want %q with %d", got.Message.Text, got.Usage.OutputTokens, test.text, test.output)
			}
			if got.Message.Text != streamed {
				t.Errorf("streamed %q of %q", streamed, got.Message.Text)
			}
			if diff := cmp.Diff(test.calls, showCalls(got.Message.ToolCalls)); diff != "" {
				t.Errorf("calls (-want +got)\n%s", diff)
			}
		})
	}
}

func showCalls(calls []agent.ToolCall) string {
	var shown []string
	for _, c := range calls {
		shown = append(shown, c.Name+"("+string(c.Arguments)+")")
	}
	return strings.Join(shown, " ")
}

// Some servers stream to everyone.
func TestStreamThatWasNotAskedFor(t *testing.T) {
	s := openaiserver.Start(t, sse(`{"choices":[{"delta":{"content":"hi"}}]}`, "[DONE]"))
	got, err := newModel(t, s, nil).Complete(context.Background(), hello)
	if err != nil || got.Message.Text != "hi" {
		t.Errorf("got %q, %v", got.Message.Text, err)
	}
}

// A stream whose text was passed on can't be taken back, so it is not tried again.
func TestStreamIsNotRepeated(t *testing.T) {
	cut := openaiserver.Answer{Text: "one two three", CutAfter: 600}
	s := openaiserver.Start(t, openaiserver.Answer{CutAfter: -1}, cut)
	var streamed string
	m := newModel(t, s, func(o *openaimodel.Options) { o.MaxRetries = 3 })
	_, err := m.Complete(context.Background(), agent.Request{Messages: hello.Messages, OnDelta: func(text string) { streamed += text }})
	checkError(t, err, openaimodel.Unreachable, "broke off")
	if streamed == "" || !strings.HasPrefix("one two three", streamed) {
		t.Errorf("streamed %q", streamed)
	}
}
