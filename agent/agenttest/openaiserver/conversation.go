package openaiserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A conversation is what a request says, whichever API it came through.
type conversation struct {
	Model    string
	Messages []Message
	Tools    []Tool
	Stream   bool

	api         api
	streamUsage bool
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

// parse reads a request as strictly as OpenAI does where a mistake would matter.
func parse(path string, body []byte) (conversation, error) {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return parseChat(body)
	case strings.HasSuffix(path, "/responses"):
		return parseResponses(body)
	}
	return conversation{}, fmt.Errorf("nothing is served at %s", path)
}

// valid applies the rules that OpenAI refuses a conversation by.
func (c conversation) valid() error {
	if c.Model == "" || len(c.Messages) == 0 {
		return fmt.Errorf("a request needs a model and messages")
	}
	open := map[string]bool{}
	for i, m := range c.Messages {
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
func (c conversation) text() string { return textOf(c.Messages) }

// last is the text after the model's latest message.
func (c conversation) last() string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == "assistant" {
			return textOf(c.Messages[i+1:])
		}
	}
	return c.text()
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
