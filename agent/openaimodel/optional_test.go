package openaimodel_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

func withEverything(o *openaimodel.Options) {
	cold := 0.0
	o.Temperature, o.ReasoningEffort, o.MaxTokens = &cold, "low", 100
}

func TestOptionalParametersAreSentWhenSet(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Expect: openaiserver.Expectations{
		Body:      []string{`"temperature":0`, `"reasoning_effort":"low"`, `"max_completion_tokens":100`, `"role":"user"`},
		LacksBody: []string{`"max_tokens"`, `"stream`},
	}})
	if _, err := newModel(t, s, withEverything).Complete(context.Background(), hello); err != nil {
		t.Fatal(err)
	}
}

func refusal(status int, body string) openaiserver.Answer {
	return openaiserver.Answer{Status: status, Body: json.RawMessage(body)}
}

var refusalTests = []struct {
	name    string
	answers []openaiserver.Answer
	gone    []string // from the body that succeeds
	there   []string
}{
	{"named as parameter", []openaiserver.Answer{
		refusal(400, `{"error":{"message":"Unsupported value","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`),
	}, []string{"temperature"}, []string{"reasoning_effort", "max_completion_tokens"}},
	{"named in the text", []openaiserver.Answer{
		refusal(400, `{"error":"Unknown field: reasoning_effort"}`),
	}, []string{"reasoning_effort"}, []string{"temperature"}},
	{"unprocessable", []openaiserver.Answer{
		refusal(422, `{"detail":[{"loc":["body","temperature"],"msg":"extra fields not permitted"}]}`),
	}, []string{"temperature"}, nil},
	{"named far into the text", []openaiserver.Answer{
		refusal(422, `{"detail":[{"input":"`+strings.Repeat("x", 1000)+`","loc":["body","temperature"]}]}`),
	}, []string{"temperature"}, nil},
	{"named in no JSON", []openaiserver.Answer{refusal(400, `"unknown field temperature"`)}, []string{"temperature"}, nil},
	{"older name of the token limit", []openaiserver.Answer{
		refusal(400, `{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens"}}`),
	}, []string{"max_completion_tokens"}, []string{`"max_tokens":100`}},
	{"neither name of the token limit", []openaiserver.Answer{
		refusal(400, `{"error":{"message":"no max_completion_tokens"}}`),
		refusal(400, `{"error":{"message":"no max_tokens"}}`),
	}, []string{"max_completion_tokens", "max_tokens"}, nil},
	{"stream options", []openaiserver.Answer{
		refusal(400, `{"error":{"message":"stream_options: Extra inputs are not permitted"}}`),
	}, []string{"stream_options"}, []string{`"stream":true`}},
	{"one after the other", []openaiserver.Answer{
		refusal(400, `{"error":{"param":"temperature","message":"no"}}`),
		refusal(400, `{"error":{"param":"reasoning_effort","message":"no"}}`),
		refusal(400, `{"error":{"param":"max_completion_tokens","message":"no"}}`),
	}, []string{"temperature", "reasoning_effort", "max_completion_tokens"}, []string{"max_tokens"}},
	{"system role", []openaiserver.Answer{
		refusal(400, `{"error":{"message":"System role not supported"}}`),
	}, []string{`"role":"system"`}, []string{`{"content":"be brief\n\nhello","role":"user"}`}},
}

// What a server refuses is left out at once, and never sent again.
func TestRefusedParameters(t *testing.T) {
	for _, test := range refusalTests {
		t.Run(test.name, func(t *testing.T) {
			n := len(test.answers)
			s := openaiserver.Start(t, append(test.answers, openaiserver.Answer{Text: "hi"}, openaiserver.Answer{Text: "again"})...)
			m := newModel(t, s, withEverything)
			req := agent.Request{
				Messages: []agent.Message{{Role: agent.RoleSystem, Text: "be brief"}, {Role: agent.RoleUser, Text: "hello"}},
				OnDelta:  func(string) {},
			}
			for range 2 {
				if _, err := m.Complete(context.Background(), req); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range s.Requests()[n:] {
				for _, part := range test.gone {
					if strings.Contains(string(r.Body), part) {
						t.Errorf("%s is in %s", part, r.Body)
					}
				}
				for _, part := range test.there {
					if !strings.Contains(string(r.Body), part) {
						t.Errorf("%s is missing from %s", part, r.Body)
					}
				}
			}
		})
	}
}

// A complaint about anything else is an error at the first time.
func TestOtherComplaints(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"tools are not supported","param":"tools"}}`)})
	_, err := newModel(t, s, withEverything).Complete(context.Background(), hello)
	checkError(t, err, openaimodel.BadRequest, "tools are not supported")

	s = openaiserver.Start(t, openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error":{"message":"temperature is missing"}}`)})
	_, err = newModel(t, s, nil).Complete(context.Background(), hello)
	checkError(t, err, openaimodel.BadRequest, "temperature is missing")
}

func TestModelIsSafeForConcurrentUse(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "temperature") {
			http.Error(w, `{"error":{"param":"temperature","message":"no"}}`, http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"hi"}}]}`)
	}))
	defer s.Close()
	opts := openaimodel.Options{BaseURL: s.URL, Model: "small"}
	withEverything(&opts)
	m, err := openaimodel.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := m.Complete(context.Background(), hello); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
