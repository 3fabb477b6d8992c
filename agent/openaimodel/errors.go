package openaimodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Kind says what went wrong, in as much as callers may want to act differently.
// The set is closed.
type Kind string

// The kinds.
const (
	Unauthorized Kind = "unauthorized" // the key is missing or wrong
	Forbidden    Kind = "forbidden"    // the key is good, but not for this
	Quota        Kind = "quota"        // no credit left: waiting does not help
	RateLimited  Kind = "rate limited"
	NotFound     Kind = "not found"    // no such model, or no such address
	TooLarge     Kind = "too large"    // for the model's context, or for the server
	BadRequest   Kind = "bad request"  // the server understands the request otherwise
	Filtered     Kind = "filtered"     // withheld by a content filter
	Cut          Kind = "cut"          // the answer ended at a token limit
	ServerFailed Kind = "server error" // and asking again did not help
	Timeout      Kind = "timeout"
	Unreachable  Kind = "unreachable"
	Redirected   Kind = "redirected" // to another host, which is not followed
	Malformed    Kind = "malformed"  // the answer is none of this API
)

// An Error is a failure of the server, of the way to it, or of its answer.
type Error struct {
	Kind       Kind
	Status     int           // of HTTP; 0 without an answer
	Message    string        // one line, capped, without the API key
	RetryAfter time.Duration // what the server asked for; 0 when it did not

	param   string // that the server complains about
	passing bool   // asking again may help
}

func (e *Error) Error() string { return e.Message }

// Hint returns what a user of the command can do about it; empty when nothing
// better than another try is known.
func (e *Error) Hint() string {
	switch e.Kind {
	case Unauthorized:
		return "check OPENAI_API_KEY, and that it belongs to the server of --base-url"
	case Forbidden:
		return "check that the key may use the model, or choose another with --model"
	case Quota:
		return "check the plan and billing of the account, or draft with --offline"
	case RateLimited:
		return "try again later, or draft with --offline"
	case NotFound:
		return "check --model, and that --base-url holds the whole path, which ends in /v1 with most servers"
	case TooLarge:
		return "choose a model with a larger context with --model, or describe a smaller range"
	case BadRequest, Filtered:
		return "choose another model with --model, or draft with --offline"
	case Cut:
		return "allow longer answers, or describe a smaller range"
	case ServerFailed, Timeout:
		return "try again later, or draft with --offline"
	case Unreachable:
		return "check the network, and --base-url or OPENAI_BASE_URL"
	case Redirected:
		return "give --base-url the address that the server redirects to, if you trust it"
	case Malformed:
		return "check that --base-url is the address of an OpenAI-compatible API, which ends in /v1 with most servers"
	default:
		panic(fmt.Sprintf("unknown kind %q", e.Kind))
	}
}

// newError makes an error whose message is safe to show.
func (o Options) newError(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: o.clean(fmt.Sprintf(format, args...))}
}

const maxMessage = 400 // bytes

// clean takes out the API key, makes one line and caps it, in this order: no part
// of a key is left at the end.
func (o Options) clean(s string) string {
	if len(o.APIKey) >= 4 { // shorter ones are fillers for servers that need none
		s = strings.ReplaceAll(s, o.APIKey, "[API key]")
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(printable, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// explain turns a failure of one attempt, whose context is ctx, into an *Error.
func (o Options) explain(ctx context.Context, err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(context.Cause(ctx), errAttemptTimeout):
		return o.newError(Timeout, "no complete answer from %s within %v", o.address(), o.Timeout)
	case errors.Is(err, errTooLong):
		return o.newError(Malformed, "%s: %v", o.address(), err)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without its URL, which may hold credentials
	}
	e := o.newError(Unreachable, "can't reach %s: %v", o.address(), err)
	e.passing = passingNetworkError(err)
	return e
}

// passingNetworkError says whether a connection that failed may work next time: it
// broke off or timed out. A refused one, an unknown host, or a certificate that
// nobody vouches for stays as it is.
func passingNetworkError(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary || dns.IsTimeout
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op == "read" || op.Op == "write" || op.Timeout()
	}
	var timeout interface{ Timeout() bool }
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errBrokenOff) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

var errBrokenOff = errors.New("the answer breaks off")

// address is the base URL as errors show it: without credentials and query.
func (o Options) address() string {
	u, err := parseBaseURL(o.BaseURL)
	if err != nil {
		return "the server"
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.Path, "/")
}

// afterRetries adds to err that it was not the first.
func afterRetries(err error, retries int) error {
	var e *Error
	if retries == 0 || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message = fmt.Sprintf("%s (after %d requests)", e.Message, retries+1)
	return &told
}

// statusError explains an answer that is not a success.
func (o Options) statusError(res *http.Response, body []byte) *Error {
	if location := res.Header.Get("Location"); res.StatusCode < 400 && location != "" {
		return o.redirectError(res, location)
	}
	e := o.reported(res.StatusCode, errorObject(body))
	if e == nil {
		kind, passing := kindOf(res.StatusCode, apiError{})
		e = o.newError(kind, "%s answers %s%s", o.address(), status(res.StatusCode), excerpt(res.Header, body))
		e.passing = passing
	}
	e.Status = res.StatusCode
	e.RetryAfter = retryAfter(res.Header)
	switch res.Header.Get("X-Should-Retry") { // OpenAI's own word on it
	case "true":
		e.passing = e.Kind != Quota
	case "false":
		e.passing = false
	}
	return e
}

func (o Options) redirectError(res *http.Response, location string) *Error {
	target := "another address"
	if u, err := res.Request.URL.Parse(location); err == nil {
		target = u.Scheme + "://" + u.Host + u.Path
	}
	e := o.newError(Redirected, "%s redirects to %s, which is not followed", o.address(), target)
	e.Status = res.StatusCode
	return e
}

// apiError is the error object that the API and its relatives answer with.
type apiError struct {
	Message string
	Type    string
	Param   string
	Code    string
}

// errorObject finds the error in a body: an object or a text under "error", or the
// object itself, as some servers have it. It returns the zero value if there is
// none.
func errorObject(body []byte) apiError {
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil {
		return apiError{}
	}
	fields := envelope
	if inner, ok := envelope["error"]; ok {
		var text string
		if json.Unmarshal(inner, &text) == nil {
			return apiError{Message: text}
		}
		fields = nil
		_ = json.Unmarshal(inner, &fields) // no object, no fields
	}
	e := apiError{Message: scalar(fields["message"]), Type: scalar(fields["type"]), Param: scalar(fields["param"]), Code: scalar(fields["code"])}
	if e.Message == "" {
		e.Message = scalar(fields["detail"]) // FastAPI's
	}
	return e
}

// scalar returns a JSON string's text, and any other value as it is written.
func scalar(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// reported makes an error of one that the server has put into words, nil if it
// has not.
func (o Options) reported(code int, said apiError) *Error {
	if said.Message == "" && said.Code == "" && said.Type == "" {
		return nil
	}
	kind, passing := kindOf(code, said)
	text := said.Message
	if text == "" {
		text = strings.TrimSpace(said.Type + " " + said.Code)
	}
	e := o.newError(kind, "%s answers %s: %s", o.address(), status(code), text)
	e.Status, e.param, e.passing = code, said.Param, passing
	return e
}

func status(code int) string {
	if code == http.StatusOK {
		return "with an error"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}
