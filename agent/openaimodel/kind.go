package openaimodel

import (
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// kindOf sorts an error by what the server says and, where that is nothing known,
// by the HTTP status; passing means that asking again may help. Proxies put the
// status of the server behind them into the code of a 200.
func kindOf(status int, said apiError) (kind Kind, passing bool) {
	if n, err := strconv.Atoi(said.Code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	switch firstKnown(said.Code, said.Type) {
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
	if status == http.StatusBadRequest && tellsOfContext(said.Message) {
		return TooLarge, false
	}
	return kindOfStatus(status)
}

func kindOfStatus(status int) (kind Kind, passing bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return Unauthorized, false
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
	case status >= 300:
		return Redirected, false
	}
	return Malformed, false
}

// firstKnown returns the code in lower case, or the type where the code is empty
// or a number.
func firstKnown(code, typ string) string {
	if _, err := strconv.Atoi(code); code == "" || err == nil {
		code = typ
	}
	return strings.ToLower(code)
}

// tellsOfContext recognizes in words that a request is longer than the model
// takes, from servers that have no code for it.
func tellsOfContext(message string) bool {
	text := strings.ToLower(message)
	return strings.Contains(text, "context length") || strings.Contains(text, "context window") ||
		strings.Contains(text, "maximum context") || strings.Contains(text, "context size")
}

// excerpt shows what a body without an error object begins with: the title of a
// page, or its first words.
func excerpt(h http.Header, body []byte) string {
	text := string(body)
	lower := strings.ToLower(text)
	if len(lower) == len(text) {
		if _, title, ok := strings.Cut(lower, "<title"); ok {
			at := len(text) - len(title)
			_, rest, _ := strings.Cut(text[at:], ">")
			if title, _, ok := strings.Cut(rest, "<"); ok {
				return ` with the page "` + strings.TrimSpace(title) + `"`
			}
		}
	}
	if text == "" {
		return " with nothing"
	}
	kind := h.Get("Content-Type")
	if kind == "" {
		kind = "no content type"
	}
	return " (" + kind + "): " + text
}

// printable replaces what could steer a terminal or reorder its text.
func printable(r rune) rune {
	if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
		return ' '
	}
	if unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}
