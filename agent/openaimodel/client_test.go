package openaimodel_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

// The base URL is kept as it is given, and a path added.
func TestBaseURLs(t *testing.T) {
	for _, test := range []struct{ suffix, path, query string }{
		{"", "/chat/completions", ""},
		{"/", "/chat/completions", ""},
		{"/v1", "/v1/chat/completions", ""},
		{"/v1/", "/v1/chat/completions", ""},
		{"/v1//", "/v1/chat/completions", ""},
		{" ", "/chat/completions", ""},
		{"/openai/deployments/a%2Fb?api-version=2024-10-21", "/openai/deployments/a/b/chat/completions", "api-version=2024-10-21"},
		{"/v1#top", "/v1/chat/completions", ""},
	} {
		s := openaiserver.Start(t, openaiserver.Answer{Text: "hi"})
		m := newModel(t, s, func(o *openaimodel.Options) { o.BaseURL = strings.TrimSuffix(s.URL(), "/v1") + test.suffix })
		if _, err := m.Complete(context.Background(), hello); err != nil {
			t.Errorf("%q: %v", test.suffix, err)
			continue
		}
		if r := s.Requests()[0]; r.Path != test.path || r.Query != test.query {
			t.Errorf("%q: got %s?%s, want %s?%s", test.suffix, r.Path, r.Query, test.path, test.query)
		}
	}
}

// The library below reads a good deal of environment on its own.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-environment")
	t.Setenv("OPENAI_ADMIN_KEY", "sk-from-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv("OPENAI_ORG_ID", "from-environment")
	t.Setenv("OPENAI_PROJECT_ID", "from-environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: from-environment")
	s := openaiserver.Start(t, openaiserver.Answer{Text: "hi"})
	m := newModel(t, s, func(o *openaimodel.Options) { o.APIKey = "" })
	if _, err := m.Complete(context.Background(), hello); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.Requests()[0].Header {
		if name == "Authorization" || strings.Contains(strings.Join(values, " "), "from-environment") {
			t.Errorf("%s: %s is sent", name, values)
		}
	}
}

func TestDefaultServer(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	for _, base := range []string{"", " "} {
		var asked string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.String()
			return nil, io.EOF
		})}
		m, err := openaimodel.New(openaimodel.Options{Model: "small", BaseURL: base, HTTPClient: client, MaxRetries: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Complete(context.Background(), hello)
		checkError(t, err, openaimodel.Unreachable, "https://api.openai.com/v1")
		if want := "https://api.openai.com/v1/chat/completions"; asked != want {
			t.Errorf("asked %s, want %s", asked, want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A redirect is followed as long as the key stays where it was meant to go.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host is asked for %s with %q", r.URL, r.Header)
	}))
	defer other.Close()
	redirect := func(status int, to string) openaiserver.Answer {
		return openaiserver.Answer{Status: status, Headers: map[string]string{"Location": to}}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := openaiserver.Start(t, redirect(status, other.URL+"/v1/chat/completions?key="+testKey))
		_, err := newModel(t, s, nil).Complete(context.Background(), hello)
		checkError(t, err, openaimodel.Redirected, "redirects to "+other.URL+"/v1/chat/completions, ")
	}
	for _, status := range []int{307, 308} {
		s := openaiserver.Start(t, redirect(status, "/v2/chat/completions"), openaiserver.Answer{Text: "hi", Expect: openaiserver.Expectations{
			Contains: []string{"hello"}, Header: []string{"Authorization: Bearer " + testKey},
		}})
		if _, err := newModel(t, s, nil).Complete(context.Background(), hello); err != nil {
			t.Errorf("%d to the same host: %v", status, err)
		}
	}
	s := openaiserver.Start(t, openaiserver.Answer{Status: 307, Repeat: true, Headers: map[string]string{"Location": "/v1/chat/completions"}})
	_, err := newModel(t, s, nil).Complete(context.Background(), hello)
	checkError(t, err, openaimodel.Redirected, "redirects")
}

func TestLongAnswers(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		blank := []byte(strings.Repeat(" ", 1<<20))
		for range 40 {
			w.Write(blank)
		}
	}))
	defer s.Close()
	m, err := openaimodel.New(openaimodel.Options{BaseURL: s.URL, Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(context.Background(), hello)
	checkError(t, err, openaimodel.Malformed, "longer than 32 MiB")
}

func TestLogHoldsNoKey(t *testing.T) {
	var log strings.Builder
	s := openaiserver.Start(t,
		openaiserver.Answer{Status: 400, Body: []byte(`{"error":{"message":"no temperature for ` + testKey + `"}}`)},
		openaiserver.Answer{Status: 500, Body: []byte(`{"error":{"message":"failed for ` + testKey + `"}}`), Headers: map[string]string{"Retry-After-Ms": "1"}},
		openaiserver.Answer{Text: "hi"})
	m := newModel(t, s, func(o *openaimodel.Options) {
		withEverything(o)
		o.Logger, o.MaxRetries = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), 1
	})
	if _, err := m.Complete(context.Background(), hello); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); strings.Count(got, "\n") != 2 || strings.Contains(got, testKey) || !strings.Contains(got, "model=small") {
		t.Errorf("the log is\n%s", got)
	}
}
