// Package openaiserver is an HTTP server on loopback that speaks the OpenAI API,
// Chat Completions and Responses, from a script. Call [Start] in a test, or
// [Listen] with the answers of [ReadScript].
//
// A script is a list of answers in JSON:
//
//	{"tool_calls": [{"name": "read_commit", "arguments": {"change": "c1"}}],
//	 "expect": {"contains": ["c1"], "tools": ["read_commit"]}}
//	{"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {"message": "slow down"}}}
//	{"text": "done"}
//
// The protocol is written out here by hand, from OpenAI's reference: a client
// library that was used on both sides could not disagree with itself.
package openaiserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Server answers requests from a script and keeps them. It is safe for
// concurrent use.
type Server struct {
	mu       sync.Mutex
	answers  []scripted
	requests []Request
	failures []string

	url  string
	http *http.Server
	done chan struct{} // closed when nothing is served any more
}

type scripted struct {
	Answer
	given int
}

// Start serves the answers to a test, at the returned server's [Server.URL]. When
// the test ends, the server is closed, and every failed expectation and every
// answer that nobody asked for fails the test.
func Start(t testing.TB, answers ...Answer) *Server {
	t.Helper()
	s, err := Listen(answers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.Failures() {
			t.Error(f)
		}
	})
	return s
}

// Listen serves the answers on loopback until Close.
func Listen(answers ...Answer) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := New(answers...)
	s.url = "http://" + listener.Addr().String() + "/v1"
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.fail("serving: %v", err)
		}
	}()
	return s, nil
}

// New makes a server that is only a handler, without URL, and nothing to close.
func New(answers ...Answer) *Server {
	s := &Server{}
	for _, a := range answers {
		s.answers = append(s.answers, scripted{Answer: a})
	}
	return s
}

// URL is the base URL for clients, which ends in /v1.
func (s *Server) URL() string { return s.url }

// Close ends the server and the requests that it has not answered.
func (s *Server) Close() {
	_ = s.http.Close() // of a listener that is of no more use
	<-s.done
}

// Requests returns what has come so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Failures returns what did not go as the script says: expectations, requests
// after its end, and answers that were not asked for so far.
func (s *Server) Failures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	failures := slices.Clone(s.failures)
	for i, a := range s.answers {
		if a.given == 0 {
			failures = append(failures, fmt.Sprintf("answer %d of the script was not asked for", i+1))
		}
	}
	return failures
}

func (s *Server) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, fmt.Sprintf(format, args...))
}

// ServeHTTP gives the next answer of the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.fail("reading a request: %v", err)
		return
	}
	request := Request{Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body}
	err = request.parse()
	number, answer, ok := s.take(request)
	switch {
	case err != nil:
	case r.Method != http.MethodPost:
		err = fmt.Errorf("%s instead of POST", r.Method)
	case !ok:
		err = errors.New("the script has no answer left")
	default:
		err = answer.Expect.check(request)
	}
	if err != nil {
		s.refuse(w, fmt.Errorf("request %d: %w", number, err))
		return
	}
	if answer.Reply != nil {
		answer = answer.Reply(request)
	}
	give(w, r, answer, number, request)
}

// take keeps the request, and takes the answer for it off the script.
func (s *Server) take(r Request) (number int, answer Answer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	number = len(s.requests)
	for _, reserved := range []bool{true, false} {
		for i := range s.answers {
			a := &s.answers[i]
			if len(a.When) > 0 != reserved || a.given > 0 && !a.Repeat || !holdsAll(r.text(), a.When) {
				continue
			}
			a.given++
			return number, a.Answer, true
		}
	}
	return number, Answer{}, false
}

// refuse keeps a failure and tells the client, who must not try again.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	s.fail("%v", err)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false")
	w.WriteHeader(http.StatusInternalServerError)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "script: " + err.Error(), "type": "script_error"}})
}

// give sends an answer.
func give(w http.ResponseWriter, r *http.Request, a Answer, number int, request Request) {
	if a.Hang {
		<-r.Context().Done()
		return
	}
	select {
	case <-time.After(time.Duration(a.Delay)):
	case <-r.Context().Done():
		return
	}
	contentType, body := render(a, number, request)
	w.Header().Set("Content-Type", contentType)
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	if a.CutAfter < 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(cmp.Or(a.Status, http.StatusOK))
	limit := cmp.Or(a.CutAfter, a.StallAfter, len(body))
	write(w, body[:min(limit, len(body))])
	switch {
	case a.CutAfter > 0:
		panic(http.ErrAbortHandler)
	case a.StallAfter > 0:
		<-r.Context().Done()
	}
}

// write sends the events of a stream one by one, and anything else at once. A
// client that has left is none of the script's business.
func write(w http.ResponseWriter, body string) {
	for _, event := range strings.SplitAfter(body, "\n\n") {
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush()
	}
}

// render returns the body of an answer and its type.
func render(a Answer, number int, request Request) (contentType, body string) {
	switch {
	case a.Body != nil:
		if a.Body[0] == '"' {
			return "text/plain; charset=utf-8", text(a.Body)
		}
		return "application/json", string(a.Body)
	case a.Status >= 300:
		return "application/json", mustJSON(map[string]any{"error": map[string]any{"message": http.StatusText(a.Status)}})
	case request.api == responses && request.Stream:
		return "text/event-stream", responseStream(a, number, request)
	case request.api == responses:
		return "application/json", mustJSON(response(a, number, request))
	case request.Stream:
		return "text/event-stream", chatStream(a, number, request)
	}
	return "application/json", chatCompletion(a, number, request)
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values built in this package come here
	}
	return string(data)
}
