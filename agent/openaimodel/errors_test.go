package openaimodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

// What a proxy may answer in the place of the server.
var signInPage = json.RawMessage(`"<html><head><title>Sign in</title></head><body>` + strings.Repeat("blah ", 10000) + `</body></html>"`)

var errorTests = []struct {
	name   string
	answer openaiserver.Answer
	kind   openaimodel.Kind
	want   string // in the message
}{
	{"wrong key", openaiserver.Answer{Status: 401, Body: json.RawMessage(`{"error":{"message":"Incorrect API key provided: sk-***9.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)},
		openaimodel.Unauthorized, "401 Unauthorized: Incorrect API key provided: sk-***9."},
	{"key echoed", openaiserver.Answer{Status: 401, Body: json.RawMessage(`{"error":{"message":"bad key ` + testKey + `!"}}`)},
		openaimodel.Unauthorized, "bad key [API key]!"},
	{"key echoed in no JSON", openaiserver.Answer{Status: 403, Body: json.RawMessage(`"key ` + testKey + ` may not"`)},
		openaimodel.Forbidden, "key [API key] may not"},
	{"no such model", openaiserver.Answer{Status: 404, Body: json.RawMessage(`{"error":{"message":"The model 'small' does not exist","code":"model_not_found"}}`)},
		openaimodel.NotFound, "The model 'small' does not exist"},
	{"no such path", openaiserver.Answer{Status: 404, Body: json.RawMessage(`"404 page not found\n"`)},
		openaimodel.NotFound, "404 Not Found with text/plain; charset=utf-8: 404 page not found"},
	{"model unknown to Ollama", openaiserver.Answer{Status: 404, Body: json.RawMessage(`{"error":"model \"small\" not found, try pulling it first"}`)},
		openaimodel.NotFound, `model "small" not found`},
	{"no quota", openaiserver.Answer{Status: 429, Body: json.RawMessage(`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`)},
		openaimodel.Quota, "exceeded your current quota"},
	{"no credit", openaiserver.Answer{Status: 402}, openaimodel.Quota, "402 Payment Required"},
	{"rate limit", openaiserver.Answer{Status: 429, Body: json.RawMessage(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`)},
		openaimodel.RateLimited, "Rate limit reached"},
	{"too long for the model", openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"too long","code":"context_length_exceeded"}}`)},
		openaimodel.TooLarge, "too long"},
	{"too long, in words", openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`)},
		openaimodel.TooLarge, "maximum context length"},
	{"too long for the server", openaiserver.Answer{Status: 413, Body: json.RawMessage(`"Request Entity Too Large"`)},
		openaimodel.TooLarge, "413"},
	{"bad request", openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"Invalid schema for function 'x'"}}`)},
		openaimodel.BadRequest, "Invalid schema for function 'x'"},
	{"bad request to FastAPI", openaiserver.Answer{Status: 422, Body: json.RawMessage(`{"detail":[{"loc":["body","tools"],"msg":"extra"}]}`)},
		openaimodel.BadRequest, `"msg":"extra"`},
	{"prompt filtered", openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"filtered","code":"content_filter"}}`)},
		openaimodel.Filtered, "filtered"},
	{"answer filtered", openaiserver.Answer{FinishReason: "content_filter"}, openaimodel.Filtered, "withholds"},
	{"answer cut", openaiserver.Answer{Text: "half of", FinishReason: "length"}, openaimodel.Cut, "cut at the token limit after 10 tokens"},
	{"server error", openaiserver.Answer{Status: 500}, openaimodel.ServerFailed, "500 Internal Server Error"},
	{"proxy's page", openaiserver.Answer{Status: 502, Body: signInPage}, openaimodel.ServerFailed, `502 Bad Gateway with the page "Sign in"`},
	{"nothing", openaiserver.Answer{Status: 503, Body: json.RawMessage(`""`)}, openaimodel.ServerFailed, "503 Service Unavailable without a body"},
	{"page instead of JSON", openaiserver.Answer{Body: signInPage}, openaimodel.Malformed, `no completion with the page "Sign in"`},
	{"text instead of JSON", openaiserver.Answer{Body: json.RawMessage(`"pong` + strings.Repeat("!", 10000) + `"`)}, openaimodel.Malformed, "pong!!!"},
	{"empty success", openaiserver.Answer{Body: json.RawMessage(`""`)}, openaimodel.Malformed, "without a body"},
	{"array", openaiserver.Answer{Body: json.RawMessage(`[1]`)}, openaimodel.Malformed, "[1]"},
	{"null", openaiserver.Answer{Body: json.RawMessage(`null`)}, openaimodel.Malformed, "null"},
	{"half an answer", openaiserver.Answer{Body: json.RawMessage(`"{\"choices\":[{\"message\""`)}, openaimodel.Malformed, "no completion"},
	{"no choices", openaiserver.Answer{Body: json.RawMessage(`{"id":"x","choices":[]}`)}, openaimodel.Malformed, "without a choice"},
	{"no message", openaiserver.Answer{Body: json.RawMessage(`{"choices":[{"index":0}]}`)}, openaimodel.Malformed, "without a message"},
	{"null choice", openaiserver.Answer{Body: json.RawMessage(`{"choices":[null]}`)}, openaimodel.Malformed, "without a message"},
	{"message of another kind", openaiserver.Answer{Body: json.RawMessage(`{"choices":[{"message":"hi"}]}`)}, openaimodel.Malformed, "without a message"},
	{"error in a success", openaiserver.Answer{Body: json.RawMessage(`{"error":{"message":"no provider","code":404}}`)}, openaimodel.NotFound, "answers with an error: no provider"},
	{"error beside a choice", openaiserver.Answer{Body: json.RawMessage(`{"error":{"message":"provider died","code":501},"choices":[{"message":{"content":"ha"}}]}`)}, openaimodel.ServerFailed, "provider died"},
	{"error without a code in a success", openaiserver.Answer{Body: json.RawMessage(`{"error":{"message":"out of memory"}}`)}, openaimodel.ServerFailed, "out of memory"},
	{"detail in a success", openaiserver.Answer{Body: json.RawMessage(`{"detail":"not here"}`)}, openaimodel.ServerFailed, "not here"},
	{"Google's list", openaiserver.Answer{Status: 429, Body: json.RawMessage(`[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`)},
		openaimodel.RateLimited, "429 Too Many Requests: Resource has been exhausted"},
	{"Google's wrong key", openaiserver.Answer{Status: 400, Body: json.RawMessage(`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]`)},
		openaimodel.Unauthorized, "API key not valid"},
	{"unsafe text", openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"a\u001b[31mred\n\u202eb"}}`)},
		openaimodel.BadRequest, "a\uFFFD[31mred \uFFFDb"},
	{"redirect", openaiserver.Answer{Status: 302, Headers: map[string]string{"Location": "/login?key=" + testKey}},
		openaimodel.Redirected, "redirects to http://127.0.0.1"},
	{"not modified", openaiserver.Answer{Status: 304}, openaimodel.Malformed, "304"},
}

func TestErrors(t *testing.T) {
	for _, test := range errorTests {
		t.Run(test.name, func(t *testing.T) {
			s := openaiserver.Start(t, test.answer)
			_, err := newModel(t, s, nil).Complete(context.Background(), hello)
			checkError(t, err, test.kind, test.want)
		})
	}
}

// checkError checks what holds for every error besides its kind and text.
func checkError(t *testing.T, err error, kind openaimodel.Kind, want string) {
	t.Helper()
	var e *openaimodel.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want an *Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Error(), want) {
		t.Errorf("got %s: %v\nwant %s with %q", e.Kind, err, kind, want)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the key is in %q", err)
	}
	if len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("not one short line: %q", err)
	}
	if e.Hint() == "" {
		t.Error("no hint")
	}
}

// A key may hold what JSON, HTML and URLs write otherwise.
func TestKeyIsNeverShown(t *testing.T) {
	const key = "ab/cd+ef&gh=="
	for _, echo := range []string{key, `ab\\/cd+ef&gh==`, "ab/cd+ef&amp;gh==", "ab%2Fcd%2Bef%26gh%3D%3D"} {
		s := openaiserver.Start(t, openaiserver.Answer{Status: 400, Body: json.RawMessage(`"<` + echo + `>"`)})
		_, err := newModel(t, s, func(o *openaimodel.Options) { o.APIKey = key }).Complete(context.Background(), hello)
		checkError(t, err, openaimodel.BadRequest, "<[API key]>")
	}
}

func TestCutAnswerIsReturned(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Text: "half of", FinishReason: "length", Usage: &openaiserver.Usage{Input: 3, Output: 4}})
	resp, err := newModel(t, s, nil).Complete(context.Background(), hello)
	checkError(t, err, openaimodel.Cut, "4 tokens")
	if resp.Message.Text != "half of" || resp.Usage != (agent.Usage{Requests: 1, InputTokens: 3, OutputTokens: 4}) {
		t.Errorf("got %+v", resp)
	}
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of our distrust
	secure.StartTLS()
	defer secure.Close()

	tests := []struct{ name, url, want string }{
		{"refused", "http://user:secret@" + closed + "/v1?k=secret", "can't reach http://" + closed + "/v1: "},
		{"no such host", "http://host.invalid/v1", "can't reach http://host.invalid/v1: "},
		{"no TLS", "https" + strings.TrimPrefix(plain.URL, "http"), "can't reach https://"},
		{"unknown certificate", secure.URL, "certificate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := openaimodel.New(openaimodel.Options{APIKey: testKey, BaseURL: test.url, Model: "small"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Complete(context.Background(), hello)
			checkError(t, err, openaimodel.Unreachable, test.want)
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "requests)") {
				t.Errorf("got %v, want no secret and no second request", err)
			}
		})
	}
}

func TestUnusableOptions(t *testing.T) {
	tests := []struct {
		name string
		opts openaimodel.Options
		want string
	}{
		{"no model", openaimodel.Options{}, "no name"},
		{"no scheme", openaimodel.Options{Model: "m", BaseURL: "localhost:11434/v1"}, "https://host/v1"},
		{"no host", openaimodel.Options{Model: "m", BaseURL: "/v1"}, "https://host/v1"},
		{"other scheme", openaimodel.Options{Model: "m", BaseURL: "ftp://host/v1"}, "https://host/v1"},
		{"not a URL", openaimodel.Options{Model: "m", BaseURL: "http://a b/" + testKey}, "https://host/v1"},
		{"key with a line break", openaimodel.Options{Model: "m", APIKey: testKey + "\nx"}, "OPENAI_API_KEY"},
		{"unknown API", openaimodel.Options{Model: "m", API: "soap"}, `"soap"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openaimodel.New(test.opts)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), testKey) {
				t.Errorf("got %v, want %q without the key", err, test.want)
			}
		})
	}
}
