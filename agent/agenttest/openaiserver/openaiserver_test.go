package openaiserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent/agenttest/openaiserver"
)

const script = `
# A comment, then answers one after the other, and in an array.
{"text": "hi", "expect": {"contains": ["hello"], "tools": ["add"]}}
[
	{"tool_calls": [{"name": "add", "arguments": {"a": 1}}]},
	{"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {"message": "slow down"}}},
	{"body": "<html>", "delay": "1ms"}
]
`

func listen(t *testing.T, answers ...openaiserver.Answer) *openaiserver.Server {
	t.Helper()
	s, err := openaiserver.Listen(answers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask posts a Chat Completions request and returns the answer's status and body,
// and how reading it ended.
func ask(t *testing.T, s *openaiserver.Server, request string) (status int, body string, err error) {
	t.Helper()
	return post(t, s.URL()+"/chat/completions", request)
}

func post(t *testing.T, url, request string) (status int, body string, err error) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(request))
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

const hello = `{"model": "small", "messages": [{"role": "user", "content": "hello"}], "tools": [{"type": "function", "function": {"name": "add"}}]}`

func TestScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	answers, err := openaiserver.ReadScript(file)
	if err != nil {
		t.Fatal(err)
	}
	s := listen(t, answers...)
	var got []string
	for range answers {
		status, body, err := ask(t, s, hello)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(status, " ", body))
	}
	want := []string{
		`200 {"choices":[{"finish_reason":"stop","index":0,"message":{"content":"hi","refusal":null,"role":"assistant"}}],"created":1700000000,"id":"chatcmpl-1","model":"small","object":"chat.completion","usage":{"completion_tokens":10,"prompt_tokens":100,"total_tokens":110}}`,
		`200 {"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":null,"refusal":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\": 1}","name":"add"},"id":"call_2_0","type":"function"}]}}],"created":1700000000,"id":"chatcmpl-2","model":"small","object":"chat.completion","usage":{"completion_tokens":10,"prompt_tokens":100,"total_tokens":110}}`,
		`429 {"error": {"message": "slow down"}}`,
		`200 <html>`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if failures := s.Failures(); failures != nil {
		t.Error(failures)
	}
	requests := s.Requests()
	if len(requests) != len(answers) || requests[0].Model != "small" || requests[0].Messages[0].Text != "hello" || requests[0].Tools[0].Name != "add" || string(requests[0].Body) != hello {
		t.Errorf("requests are kept as %+v", requests)
	}
}

func TestUnusableScripts(t *testing.T) {
	for script, want := range map[string]string{
		`{"txt": "hi"}`:                  `unknown field "txt"`,
		`{"text": "hi"`:                  "unexpected EOF",
		`{"text": "hi"} {"delay": "1"}`:  "answer 2",
		`[{"text": "hi"}, {"text": []}]`: "answer 1",
		`7`:                              "answer 1",
	} {
		if _, err := openaiserver.ParseScript([]byte(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", script, err, want)
		}
	}
}

// What does not go as the script says is told to the client at once, and to the
// test at the end.
func TestFailures(t *testing.T) {
	expecting := func(e openaiserver.Expectations) []openaiserver.Answer { return []openaiserver.Answer{{Expect: e}} }
	conversation := func(messages string) string { return `{"model": "m", "messages": [` + messages + `]}` }
	const user, call, result = `{"role": "user", "content": "u"},`,
		`{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]},`,
		`{"role": "tool", "tool_call_id": "1", "content": "r"}`
	tests := []struct {
		name    string
		answers []openaiserver.Answer
		request string
		want    string // "" for no failure
	}{
		{"all is well", expecting(openaiserver.Expectations{
			Contains: []string{"u", "add {}", "r"}, Lacks: []string{"x"}, Last: []string{"r"}, LacksTools: []string{"add"},
			Body: []string{`"model": "m"`}, LacksBody: []string{"temperature"}, Header: []string{"Content-Type: application/json", "Authorization: "},
		}), conversation(user + call + result), ""},
		{"contains", expecting(openaiserver.Expectations{Contains: []string{"x"}}), hello, `"x" is missing from the messages`},
		{"lacks", expecting(openaiserver.Expectations{Lacks: []string{"hell"}}), hello, `"hell" is in the messages`},
		{"last", expecting(openaiserver.Expectations{Last: []string{"u"}}), conversation(user + call + result), `"u" is missing from the latest messages`},
		{"tools", expecting(openaiserver.Expectations{Tools: []string{"sub"}}), hello, `tool "sub" is not offered`},
		{"lacks tools", expecting(openaiserver.Expectations{LacksTools: []string{"add"}}), hello, `tool "add" is offered`},
		{"body", expecting(openaiserver.Expectations{Body: []string{"temperature"}}), hello, `"temperature" is missing from the body`},
		{"lacks body", expecting(openaiserver.Expectations{LacksBody: []string{"model"}}), hello, `"model" is in the body`},
		{"header", expecting(openaiserver.Expectations{Header: []string{"X-A: b"}}), hello, `header X-A is "" instead of "b"`},
		{"script at its end", nil, hello, "no answer left"},
		{"answer left over", []openaiserver.Answer{{}, {}}, hello, "answer 2 of the script was not asked for"},
		{"not JSON", []openaiserver.Answer{{}}, "{", "reading the request"},
		{"no model", []openaiserver.Answer{{}}, `{"messages": [{"role": "user", "content": "u"}]}`, "needs a model"},
		{"no messages", []openaiserver.Answer{{}}, `{"model": "m"}`, "needs a model and messages"},
		{"result without call", []openaiserver.Answer{{}}, conversation(user + result), `the tool call "1", which is not open`},
		{"call without result", []openaiserver.Answer{{}}, conversation(strings.TrimSuffix(user+call, ",")), "1 tool calls are not answered"},
		{"message before result", []openaiserver.Answer{{}}, conversation(user + call + user + result), "message 3 comes before the answers"},
		{"call without id", []openaiserver.Answer{{}}, conversation(strings.Replace(strings.TrimSuffix(user+call, ","), `"1"`, `""`, 1)), "without id"},
		{"arguments not in a string", []openaiserver.Answer{{}}, conversation(strings.Replace(strings.TrimSuffix(user+call, ","), `"{}"`, `{}`, 1)), "arguments in a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := listen(t, test.answers...)
			status, body, err := ask(t, s, test.request)
			if err != nil {
				t.Fatal(err)
			}
			failures := strings.Join(s.Failures(), "\n")
			if (failures == "") != (test.want == "") || !strings.Contains(failures, test.want) {
				t.Errorf("got %q, want %q", failures, test.want)
			}
			if refused := status == 500; refused != (test.want != "" && test.name != "answer left over") {
				t.Errorf("the client is told %d %s", status, body)
			}
		})
	}
}

func TestReservedAndRepeatedAnswers(t *testing.T) {
	s := listen(t, openaiserver.Answer{Text: "any", Repeat: true}, openaiserver.Answer{Text: "both", When: []string{"b", "c"}})
	var got []string
	for _, text := range []string{"a", "b", "bc", "bc", "a"} {
		_, body, err := ask(t, s, `{"model": "m", "messages": [{"role": "user", "content": "`+text+`"}]}`)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		got = append(got, answer.Choices[0].Message.Content)
	}
	if diff := cmp.Diff([]string{"any", "any", "both", "any", "any"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestStream(t *testing.T) {
	s := listen(t, openaiserver.Answer{Text: "hi there", ToolCalls: []openaiserver.ToolCall{{ID: "x", Name: "add", Arguments: json.RawMessage(`"{\"a\": "`)}}})
	_, body, err := ask(t, s, strings.Replace(hello, "{", `{"stream": true, "stream_options": {"include_usage": true}, `, 1))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		var chunk struct {
			Choices []json.RawMessage
			Usage   json.RawMessage
		}
		data := strings.TrimPrefix(lines.Text(), "data: ")
		if json.Unmarshal([]byte(data), &chunk) == nil {
			data = fmt.Sprintf("%s %s", chunk.Choices, chunk.Usage)
		}
		if data != "" {
			got = append(got, data)
		}
	}
	want := []string{
		`[{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}] null`,
		`[{"delta":{"content":"hi "},"finish_reason":null,"index":0}] null`,
		`[{"delta":{"content":"there"},"finish_reason":null,"index":0}] null`,
		`[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"add"},"id":"x","index":0,"type":"function"}]},"finish_reason":null,"index":0}] null`,
		`[{"delta":{"tool_calls":[{"function":{"arguments":"{\"a\": "},"index":0}]},"finish_reason":null,"index":0}] null`,
		`[{"delta":{"tool_calls":[{"function":{"arguments":""},"index":0}]},"finish_reason":null,"index":0}] null`,
		`[{"delta":{},"finish_reason":"tool_calls","index":0}] null`,
		`[] {"completion_tokens":10,"prompt_tokens":100,"total_tokens":110}`,
		`[DONE]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestResponses(t *testing.T) {
	answer := openaiserver.Answer{
		Text: "hi", ToolCalls: []openaiserver.ToolCall{{Name: "add"}}, FinishReason: "length", Usage: &openaiserver.Usage{Input: 1, Output: 2},
		Expect: openaiserver.Expectations{Contains: []string{"be brief", "add {}", "sub [1]", "r"}, Last: []string{"r"}, Tools: []string{"add"}},
	}
	s := listen(t, answer, answer, openaiserver.Answer{Refusal: "no"})
	const tools = `"tools": [{"type": "function", "name": "add"}]`
	const input = `{"model": "m", ` + tools + `, "input": [
		{"role": "system", "content": "be brief"},
		{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
		{"type": "function_call", "call_id": "1", "name": "add", "arguments": "{}"},
		{"type": "function_call", "call_id": "2", "name": "sub", "arguments": "[1]"},
		{"type": "function_call_output", "call_id": "2", "output": "r"},
		{"type": "function_call_output", "call_id": "1", "output": ""}]}`
	requests := []string{input, strings.Replace(input, "{", `{"stream": true, `, 1), `{"model": "m", "input": "hello"}`}
	var got []string
	for _, request := range requests {
		status, body, err := post(t, s.URL()+"/responses", request)
		if err != nil || status != 200 {
			t.Fatal(status, body, err)
		}
		got = append(got, body)
	}
	const response = `"created_at":1700000000,"error":null,"id":"resp_%[1]d","incomplete_details":{"reason":"max_output_tokens"},"model":"m","object":"response","output":[` +
		`{"id":"rs_%[1]d","summary":[],"type":"reasoning"},` +
		`{"content":[{"annotations":[],"text":"hi","type":"output_text"}],"id":"msg_%[1]d","role":"assistant","status":"completed","type":"message"},` +
		`{"arguments":"{}","call_id":"call_%[1]d_0","id":"fc_%[1]d_0","name":"add","status":"completed","type":"function_call"}],` +
		`"status":"incomplete","usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}`
	want := []string{
		"{" + fmt.Sprintf(response, 1),
		"event: response.created\ndata: {\"response\":{\"id\":\"resp_2\",\"status\":\"in_progress\"},\"sequence_number\":0,\"type\":\"response.created\"}\n\n" +
			"event: response.output_text.delta\ndata: {\"delta\":\"hi\",\"sequence_number\":1,\"type\":\"response.output_text.delta\"}\n\n" +
			"event: response.function_call_arguments.delta\ndata: {\"delta\":\"{}\",\"output_index\":0,\"sequence_number\":2,\"type\":\"response.function_call_arguments.delta\"}\n\n" +
			"event: response.incomplete\ndata: {\"response\":{" + fmt.Sprintf(response, 2) + ",\"sequence_number\":3,\"type\":\"response.incomplete\"}\n\n",
		`{"created_at":1700000000,"error":null,"id":"resp_3","incomplete_details":null,"model":"m","object":"response","output":[` +
			`{"id":"rs_3","summary":[],"type":"reasoning"},` +
			`{"content":[{"refusal":"no","type":"refusal"}],"id":"msg_3","role":"assistant","status":"completed","type":"message"}],` +
			`"status":"completed","usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if failures := s.Failures(); failures != nil {
		t.Error(failures)
	}
	if _, body, _ := post(t, s.URL()+"/responses", `{"model": "m", "input": [{"type": "item_reference"}]}`); !strings.Contains(body, `unknown type \"item_reference\"`) {
		t.Errorf("an unknown item is answered with %s", body)
	}
	if _, body, _ := post(t, s.URL()+"/embeddings", `{}`); !strings.Contains(body, "nothing is served at /v1/embeddings") {
		t.Errorf("an unknown path is answered with %s", body)
	}
}

func TestFaults(t *testing.T) {
	s := listen(t, openaiserver.Answer{CutAfter: -1}, openaiserver.Answer{CutAfter: 10}, openaiserver.Answer{Hang: true})
	if _, _, err := ask(t, s, hello); err == nil {
		t.Error("a connection that was cut gave an answer")
	}
	if _, body, err := ask(t, s, hello); err == nil || len(body) != 10 {
		t.Errorf("got %q and %v, want 10 bytes and an error", body, err)
	}
	hung := make(chan error)
	go func() {
		_, _, err := ask(t, s, hello)
		hung <- err
	}()
	for len(s.Requests()) < 3 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if err := <-hung; err == nil {
		t.Error("a request that hangs was answered")
	}
}
