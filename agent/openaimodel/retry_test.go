package openaimodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

var soon = map[string]string{"Retry-After-Ms": "1"}

func TestRetries(t *testing.T) {
	quota := json.RawMessage(`{"error":{"message":"no","code":"insufficient_quota"}}`)
	tests := []struct {
		name    string
		failure openaiserver.Answer
		again   bool
	}{
		{"rate limit", openaiserver.Answer{Status: 429, Headers: soon}, true},
		{"server error", openaiserver.Answer{Status: 500, Headers: soon}, true},
		{"bad gateway", openaiserver.Answer{Status: 502, Headers: soon, Body: json.RawMessage(`"<html>"`)}, true},
		{"overloaded", openaiserver.Answer{Status: 529, Headers: soon}, true},
		{"request timeout", openaiserver.Answer{Status: 408, Headers: soon}, true},
		{"connection lost before the answer", openaiserver.Answer{CutAfter: -1}, true},
		{"connection lost in the answer", openaiserver.Answer{Text: "hello", CutAfter: 20}, true},
		{"error of a provider in a success", openaiserver.Answer{Body: json.RawMessage(`{"error":{"message":"overloaded","code":503}}`)}, true},
		{"the server wants it", openaiserver.Answer{Status: 400, Headers: map[string]string{"X-Should-Retry": "true", "Retry-After-Ms": "1"}}, true},

		{"the server does not want it", openaiserver.Answer{Status: 500, Headers: map[string]string{"X-Should-Retry": "false"}}, false},
		{"exhausted quota", openaiserver.Answer{Status: 429, Headers: soon, Body: quota}, false},
		{"exhausted quota that the server wants retried", openaiserver.Answer{Status: 429, Headers: map[string]string{"X-Should-Retry": "true"}, Body: quota}, false},
		{"wrong key", openaiserver.Answer{Status: 401, Headers: soon}, false},
		{"forbidden", openaiserver.Answer{Status: 403, Headers: soon}, false},
		{"not found", openaiserver.Answer{Status: 404, Headers: soon}, false},
		{"bad request", openaiserver.Answer{Status: 400, Headers: soon}, false},
		{"not implemented", openaiserver.Answer{Status: 501, Headers: soon}, false},
		{"malformed", openaiserver.Answer{Body: json.RawMessage(`{}`)}, false},
		{"cut", openaiserver.Answer{FinishReason: "length"}, false},
		{"wait too long", openaiserver.Answer{Status: 429, Headers: map[string]string{"Retry-After": "61"}}, false},
		{"wait far too long", openaiserver.Answer{Status: 429, Headers: map[string]string{"Retry-After": "1e300"}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answers := []openaiserver.Answer{test.failure}
			if test.again {
				answers = append(answers, openaiserver.Answer{Text: "hi"})
			}
			s := openaiserver.Start(t, answers...)
			resp, err := newModel(t, s, func(o *openaimodel.Options) { o.MaxRetries = 0 }).Complete(context.Background(), hello)
			if got := err == nil; got != test.again {
				t.Errorf("got %v, want a second request: %v", err, test.again)
			}
			if resp.Usage.Requests != len(answers) {
				t.Errorf("%d requests are counted, want %d", resp.Usage.Requests, len(answers))
			}
		})
	}
}

// scriptedTransport plays a script within the process, so that time is
// synctest's, and notes when the requests come.
type scriptedTransport struct {
	handler http.Handler
	start   time.Time
	at      []time.Duration
}

func (s *scriptedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.at = append(s.at, time.Since(s.start))
	rec := httptest.NewRecorder()
	s.handler.ServeHTTP(rec, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	res := rec.Result()
	res.Request = r
	return res, nil
}

func newScripted(t *testing.T, change func(*openaimodel.Options), answers ...openaiserver.Answer) (*openaimodel.Model, *scriptedTransport) {
	t.Helper()
	transport := &scriptedTransport{handler: openaiserver.New(answers...), start: time.Now()}
	opts := openaimodel.Options{BaseURL: "http://test/v1", Model: "small", HTTPClient: &http.Client{Transport: transport}}
	if change != nil {
		change(&opts)
	}
	m, err := openaimodel.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m, transport
}

func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, transport := newScripted(t, func(o *openaimodel.Options) { o.MaxRetries = 7 }, openaiserver.Answer{Status: 503, Repeat: true})
		resp, err := m.Complete(t.Context(), hello)
		checkError(t, err, openaimodel.ServerFailed, "(after 8 requests)")
		if resp.Usage.Requests != 8 || len(transport.at) != 8 {
			t.Fatalf("%d requests, %d counted", len(transport.at), resp.Usage.Requests)
		}
		longest := 500 * time.Millisecond
		for i := 1; i < len(transport.at); i++ {
			if wait := transport.at[i] - transport.at[i-1]; wait < longest/2 || wait > longest {
				t.Errorf("wait %d is %v, want %v to %v", i, wait, longest/2, longest)
			}
			longest = min(2*longest, 8*time.Second)
		}
	})
}

func TestNoWaitingAtAll(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Status: 503}, openaiserver.Answer{Text: "hi"})
	m := newModel(t, s, func(o *openaimodel.Options) { o.MaxRetries, o.MaxRetryWait = 1, -time.Second })
	if _, err := m.Complete(context.Background(), hello); err != nil {
		t.Fatal(err)
	}
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		name    string
		headers map[string]string
		want    time.Duration // at least, and at most a tenth more
	}{
		{"seconds", map[string]string{"Retry-After": "20"}, 20 * time.Second},
		{"fraction", map[string]string{"Retry-After": " 2.5 "}, 2500 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "1500", "Retry-After": "20"}, 1500 * time.Millisecond},
		{"date", map[string]string{"Retry-After": "Sat, 01 Jan 2000 00:00:30 GMT"}, 30 * time.Second}, // synctest begins with 2000
		{"date by another clock", map[string]string{"Retry-After": "Tue, 14 Nov 2023 22:13:30 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"}, 10 * time.Second},
		{"at the cap", map[string]string{"Retry-After": "60"}, time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, transport := newScripted(t, nil, openaiserver.Answer{Status: 429, Headers: test.headers}, openaiserver.Answer{Text: "hi"})
				if _, err := m.Complete(t.Context(), hello); err != nil {
					t.Fatal(err)
				}
				if got := transport.at[1]; got < test.want || got > test.want+test.want/10+time.Millisecond {
					t.Errorf("waited %v, want %v", got, test.want)
				}
			})
		})
	}
	for _, nonsense := range []string{"", "soon", "-5", "NaN", "0", "Sat, 01 Jan 1999 00:00:30 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			m, transport := newScripted(t, nil, openaiserver.Answer{Status: 429, Headers: map[string]string{"Retry-After": nonsense}}, openaiserver.Answer{Text: "hi"})
			if _, err := m.Complete(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			if got := transport.at[1]; got < 250*time.Millisecond || got > 500*time.Millisecond {
				t.Errorf("%q: waited %v, want the usual", nonsense, got)
			}
		})
	}
}

// A caller who wants to say when to come back finds it in the error.
func TestRetryAfterIsTold(t *testing.T) {
	s := openaiserver.Start(t, openaiserver.Answer{Status: 429, Headers: map[string]string{"Retry-After": strconv.Itoa(3600)}})
	_, err := newModel(t, s, func(o *openaimodel.Options) { o.MaxRetries = 0 }).Complete(context.Background(), hello)
	var e *openaimodel.Error
	if !errors.As(err, &e) || e.RetryAfter != time.Hour || e.Status != 429 {
		t.Errorf("got %+v, want an hour", e)
	}
}

func TestCancellation(t *testing.T) {
	tests := []struct {
		name   string
		answer openaiserver.Answer
	}{
		{"before the answer", openaiserver.Answer{Hang: true}},
		{"in the answer", openaiserver.Answer{Text: "one two", StallAfter: 10}},
		{"in the back-off", openaiserver.Answer{Status: 500, Headers: map[string]string{"Retry-After": "50"}}},
	}
	for _, test := range tests {
		for _, stream := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				s := openaiserver.Start(t, test.answer)
				m := newModel(t, s, func(o *openaimodel.Options) { o.MaxRetries = 0 })
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(50*time.Millisecond, cancel)
				req := agent.Request{Messages: hello.Messages}
				if stream {
					req.OnDelta = func(string) {}
				}
				start := time.Now()
				resp, err := m.Complete(ctx, req)
				if !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
					t.Errorf("got %v after %v", err, time.Since(start))
				}
				if resp.Usage.Requests != 1 {
					t.Errorf("%d requests are counted", resp.Usage.Requests)
				}
			})
		}
	}
	t.Run("before it began", func(t *testing.T) {
		s := openaiserver.Start(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := newModel(t, s, nil).Complete(ctx, hello); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// A deadline that comes before the next request is not waited for: what the
// server said is of more use than that the time is up.
func TestDeadlineBeforeRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := newScripted(t, nil, openaiserver.Answer{Status: 429, Headers: map[string]string{"Retry-After": "30"}})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		_, err := m.Complete(ctx, hello)
		checkError(t, err, openaimodel.RateLimited, "429")
		if time.Since(start) > 0 {
			t.Errorf("waited %v", time.Since(start))
		}
	})
}

func TestTimeout(t *testing.T) {
	for _, answer := range []openaiserver.Answer{{Hang: true}, {Text: "one two", StallAfter: 10}} {
		s := openaiserver.Start(t, answer)
		_, err := newModel(t, s, func(o *openaimodel.Options) { o.Timeout, o.MaxRetries = 50*time.Millisecond, 0 }).Complete(context.Background(), hello)
		checkError(t, err, openaimodel.Timeout, "within 50ms")
	}

	s := openaiserver.Start(t, openaiserver.Answer{Hang: true})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := newModel(t, s, nil).Complete(ctx, hello); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the caller's deadline", err)
	}
}
