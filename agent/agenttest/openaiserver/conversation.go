package openaiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// A Request is what a client has sent, read the same whichever API it came
// through.
type Request struct {
	Path   string
	Query  string
	Header http.Header
	Body   json.RawMessage // as it came, JSON or not

	Model    string
	Messages []Message
	Tools    []Tool
	Stream   bool

	api         api
	streamUsage bool // Chat Completions sends it only when asked to
}

// api tells the two ways of speaking apart.
type api int

const (
	chatCompletions api = iota
	responses
)

// Message is a message of a request.
type Message struct {
	Role      string
	Text      string
	ToolCalls []ToolCall // of the assistant; their arguments are JSON strings
	ToolID    string     // of a tool's answer
}

// Tool is a tool that a request offers.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// parse reads the body as strictly as OpenAI does where a mistake would matter.
func (r *Request) parse() error {
	var err error
	switch {
	case strings.HasSuffix(r.Path, "/chat/completions"):
		err = r.parseChat()
	case strings.HasSuffix(r.Path, "/responses"):
		err = r.parseResponses()
	default:
		err = fmt.Errorf("nothing is served at %s", r.Path)
	}
	if err != nil {
		return err
	}
	return r.valid()
}

// valid applies the rules that OpenAI refuses a conversation by.
func (r *Request) valid() error {
	if r.Model == "" || len(r.Messages) == 0 {
		return errors.New("a request needs a model and messages")
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role == "tool" {
			if !open[m.ToolID] {
				return fmt.Errorf("message %d answers the tool call %q, which is not open", i+1, m.ToolID)
			}
			delete(open, m.ToolID)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d comes before the answers to %d tool calls", i+1, len(open))
		}
		for _, call := range m.ToolCalls {
			if call.ID == "" || call.Name == "" || len(call.Arguments) == 0 || call.Arguments[0] != '"' {
				return fmt.Errorf("message %d holds a tool call without id, name or arguments in a string", i+1)
			}
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d tool calls are not answered", len(open))
	}
	return nil
}

// text is everything that people, tools and the model have said.
func (r *Request) text() string { return textOf(r.Messages) }

// last is the text after the model's latest message.
func (r *Request) last() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "assistant" {
			return textOf(r.Messages[i+1:])
		}
	}
	return r.text()
}

func textOf(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintln(&b, m.Text)
		for _, call := range m.ToolCalls {
			fmt.Fprintln(&b, call.Name, text(call.Arguments))
		}
	}
	return b.String()
}

func (c ToolCall) argumentText() string {
	if c.Arguments == nil {
		return "{}"
	}
	return text(c.Arguments)
}

func (a Answer) finish() string {
	switch {
	case a.FinishReason != "":
		return a.FinishReason
	case len(a.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (a Answer) tokens() Usage {
	if a.Usage != nil {
		return *a.Usage
	}
	return Usage{Input: 100, Output: 10}
}

// pieces cuts text the way models stream it: a word at a time.
func pieces(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(s, " ")
}
