package openaimodel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// networkError explains why there is no whole answer. A connection that broke off
// may hold next time; an address that can't be reached, a certificate that nobody
// vouches for, and an answer without end stay as they are.
func (s *server) networkError(err error) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without its URL, which may hold credentials
	}
	switch {
	case errors.Is(err, errTooLong):
		return s.newError(Malformed, "%s: %v", s.address, err)
	case brokeOff(err):
		e := s.newError(Unreachable, "the connection to %s broke off: %v", s.address, err)
		e.passing = true
		return e
	}
	return s.newError(Unreachable, "can't reach %s: %v", s.address, err)
}

func brokeOff(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "read" || op.Op == "write") {
		return true
	}
	return errors.Is(err, errBrokenOff) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// statusError explains an answer that is not a success.
func (s *server) statusError(res *http.Response, body []byte) *Error {
	if location := res.Header.Get("Location"); res.StatusCode < 400 && location != "" {
		return s.redirectError(res, location)
	}
	answers := fmt.Sprintf("%s answers %d %s", s.address, res.StatusCode, http.StatusText(res.StatusCode))
	e := s.reported(answers, res.StatusCode, errorIn(body))
	if e == nil {
		kind, passing := kindOfStatus(res.StatusCode)
		e = s.newError(kind, "%s%s", answers, excerpt(res.Header, body))
		e.passing, e.said = passing, strings.ToLower(string(body))
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

func (s *server) redirectError(res *http.Response, location string) *Error {
	target := "another address"
	if u, err := res.Request.URL.Parse(location); err == nil {
		target = u.Scheme + "://" + u.Host + u.Path
	}
	e := s.newError(Redirected, "%s redirects to %s, which is not followed", s.address, target)
	e.Status = res.StatusCode
	return e
}

// reported makes an error of one that the server has put into words, nil if it
// has not.
func (s *server) reported(answers string, status int, said apiError) *Error {
	text := said.Message
	if text == "" {
		text = strings.TrimSpace(said.Type + " " + said.Code)
	}
	if text == "" {
		return nil
	}
	kind, passing := kindOf(status, said)
	e := s.newError(kind, "%s: %s", answers, text)
	e.Status, e.said, e.param, e.passing = status, strings.ToLower(text), said.Param, passing
	return e
}

// inSuccess finds the error in an answer with the status of a success, nil if
// there is none.
func (s *server) inSuccess(status int, body []byte) *Error {
	e := s.reported(s.address+" answers with an error", status, errorIn(body))
	if e != nil && e.Kind == Malformed {
		e.Kind = ServerFailed // it says so itself, in words of its own
	}
	return e
}

// apiError is the error object that the API and its relatives answer with.
type apiError struct {
	Message string
	Type    string
	Param   string
	Code    string
}

// errorIn finds the error in a body: the object or text under "error", the body
// itself where some servers have it, or FastAPI's "detail". Google puts the body
// into a list.
func errorIn(body []byte) apiError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return apiError{}
	}
	if inner := fields["error"]; len(inner) > 0 && inner[0] == '{' {
		fields = nil
		_ = json.Unmarshal(inner, &fields) // it is an object, as part of a valid body
	}
	text := textOf(fields["message"])
	for _, name := range []string{"error", "detail"} {
		if text == "" {
			text = textOf(fields[name])
		}
	}
	return apiError{Message: text, Type: textOf(fields["type"]), Param: textOf(fields["param"]), Code: textOf(fields["code"])}
}

// textOf returns the text of a JSON string, and any other value but null and
// false as it is written.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s // also for null
	}
	if string(raw) == "false" {
		return ""
	}
	return string(raw)
}

// kindOf sorts an error by what the server says and, where that is nothing known,
// by the HTTP status. passing means that asking again may help.
func kindOf(status int, said apiError) (kind Kind, passing bool) {
	word := said.Code
	if n, err := strconv.Atoi(said.Code); err == nil {
		word = ""
		if n >= 400 && n < 600 {
			status = n // proxies put the status of the server behind them here
		}
	}
	if word == "" {
		word = said.Type
	}
	switch strings.ToLower(word) {
	case "insufficient_quota", "billing_hard_limit_reached", "billing_not_active":
		return Quota, false
	case "context_length_exceeded", "string_above_max_length":
		return TooLarge, false
	case "content_filter", "content_policy_violation":
		return Filtered, false
	case "model_not_found":
		return NotFound, false
	case "invalid_api_key", "authentication_error":
		return Unauthorized, false
	case "rate_limit_exceeded", "rate_limit_error":
		return RateLimited, true
	case "server_error", "api_error", "overloaded_error":
		return ServerFailed, status < 400 || status >= 500
	}
	if status == http.StatusBadRequest {
		return kindOfWords(strings.ToLower(said.Message)), false
	}
	return kindOfStatus(status)
}

// kindOfWords sorts complaints about a request of servers that have neither code
// nor status for them.
func kindOfWords(message string) Kind {
	for _, phrase := range []string{"context length", "context window", "context size", "maximum context"} {
		if strings.Contains(message, phrase) {
			return TooLarge
		}
	}
	for _, phrase := range []string{"api key not valid", "invalid api key"} {
		if strings.Contains(message, phrase) {
			return Unauthorized
		}
	}
	return BadRequest
}

func kindOfStatus(status int) (kind Kind, passing bool) {
	switch status {
	case http.StatusUnauthorized:
		return Unauthorized, false
	case http.StatusProxyAuthRequired:
		return Unreachable, false
	case http.StatusPaymentRequired:
		return Quota, false
	case http.StatusForbidden:
		return Forbidden, false
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return NotFound, false
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return ServerFailed, true
	case http.StatusRequestEntityTooLarge:
		return TooLarge, false
	case http.StatusTooManyRequests:
		return RateLimited, true
	case http.StatusNotImplemented:
		return ServerFailed, false
	}
	switch {
	case status >= 500:
		return ServerFailed, true
	case status >= 400:
		return BadRequest, false
	}
	return Malformed, false
}

// malformed says that an answer is not one of the API.
func (s *server) malformed(what string, h http.Header, body []byte) *Error {
	return s.newError(Malformed, "%s answers %s%s", s.address, what, excerpt(h, body))
}

// excerpt shows what a body that holds no message of the API is: the title of a
// page, or its beginning.
func excerpt(h http.Header, body []byte) string {
	text := string(body)
	if text == "" {
		return " without a body"
	}
	if title := titleOf(text); title != "" {
		return fmt.Sprintf(" with the page %q", title)
	}
	return fmt.Sprintf(" with %s: %s", cmp.Or(h.Get("Content-Type"), "a body of unknown type"), text)
}

// titleOf returns the title of an HTML page, empty if there is none.
func titleOf(page string) string {
	for _, tag := range []string{"<title>", "<TITLE>"} {
		if _, rest, ok := strings.Cut(page, tag); ok {
			title, _, _ := strings.Cut(rest, "<")
			return strings.TrimSpace(title)
		}
	}
	return ""
}
