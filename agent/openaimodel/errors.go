package openaimodel

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"
	"unicode"
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
	BadRequest   Kind = "bad request"  // the server does not take the request
	Filtered     Kind = "filtered"     // withheld by a content filter
	Cut          Kind = "cut"          // the answer ended at a token limit
	ServerFailed Kind = "server error" // also when asked again
	Timeout      Kind = "timeout"
	Unreachable  Kind = "unreachable" // or the connection broke off
	Redirected   Kind = "redirected"  // to another host, which is not followed
	Malformed    Kind = "malformed"   // the answer is not one of this API
)

// An Error is a failure of the server, of the way to it, or of its answer.
type Error struct {
	Kind       Kind
	Status     int           // of HTTP; 0 without an answer
	Message    string        // one line, capped, without the API key
	RetryAfter time.Duration // what the server asked for; 0 when it did not

	said    string // by the server, in lower case, whole and not for showing
	param   string // that it complains about
	passing bool   // asking again may help
}

func (e *Error) Error() string { return e.Message }

// Hint returns what a user of the command can do about it.
func (e *Error) Hint() string {
	switch e.Kind {
	case Unauthorized:
		return "check OPENAI_API_KEY, and that it belongs to the server of --base-url"
	case Forbidden:
		return "check that the key may use the model, or choose another with --model"
	case Quota:
		return "check the plan and billing of the account, or draft with --offline"
	case NotFound:
		return "check --model, and that --base-url ends in /v1 if the server needs it"
	case TooLarge:
		return "choose a model with a larger context with --model, or describe a smaller range"
	case BadRequest, Filtered:
		return "choose another model with --model, or draft with --offline"
	case Cut:
		return "choose a model with longer answers with --model, or describe a smaller range"
	case RateLimited, ServerFailed, Timeout:
		return "try again later, or draft with --offline"
	case Unreachable:
		return "check the network, and --base-url or OPENAI_BASE_URL"
	case Redirected:
		return "give --base-url the address that the server redirects to, if you trust it"
	case Malformed:
		return "check that --base-url is the address of an OpenAI-compatible API, which often ends in /v1"
	default:
		panic(fmt.Sprintf("unknown kind %q", e.Kind))
	}
}

// newError makes an error whose message is safe to show.
func (s *server) newError(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: s.clean(fmt.Sprintf(format, args...))}
}

// afterRequests returns err, and says that so many requests came to nothing.
func (e *Error) afterRequests(n int) *Error {
	if n <= 1 {
		return e
	}
	told := *e
	told.Message = fmt.Sprintf("%s (after %d requests)", e.Message, n)
	return &told
}

const (
	maxMessage = 400 // bytes
	minKey     = 4   // bytes; shorter ones are fillers for servers that need none
)

// clean takes out the API key in the forms that a server may echo it in, makes one line of printable text, and caps it; in
// this order, so that no half of a key is left at the end.
func (s *server) clean(text string) string {
	if len(s.key) >= minKey {
		for _, form := range []string{s.key, url.QueryEscape(s.key), html.EscapeString(s.key), strings.ReplaceAll(s.key, "/", `\/`)} {
			text = strings.ReplaceAll(text, form, "[API key]")
		}
	}
	text = strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// printable replaces what could steer a terminal or reorder its text.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return unicode.ReplacementChar
	}
	return r
}
