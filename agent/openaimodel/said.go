package openaimodel

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"release-notes-agent/agent"
)

// said is a model's message, however it came.
type said struct {
	text    string
	refusal string
	calls   []agent.ToolCall
	finish  string // why the model stopped; only ever looked at when there are no calls
	usage   agent.Usage
}

// response makes the agent's response of what was said. Tool calls decide: an
// answer with some is complete, whatever the server calls its end.
func (srv *server) response(s said) (agent.Response, error) {
	resp := agent.Response{
		Message: agent.Message{Role: agent.RoleAssistant, Text: s.text, ToolCalls: withIDs(s.calls)},
		Usage:   s.usage,
	}
	if s.text == "" {
		resp.Message.Text = s.refusal
	}
	if len(s.calls) > 0 {
		return resp, nil
	}
	switch strings.ToLower(s.finish) {
	case "length", "max_tokens":
		return resp, srv.newError(Cut, "the answer was cut at the token limit after %d tokens", s.usage.OutputTokens)
	case "content_filter":
		return resp, srv.newError(Filtered, "the server's content filter withholds the answer")
	}
	return resp, nil
}

// withIDs gives every call an id of its own and arguments that are there. Servers
// leave ids out or use one for all; the answers need to be told apart.
func withIDs(calls []agent.ToolCall) []agent.ToolCall {
	used := map[string]bool{"": true}
	for i := range calls {
		if used[calls[i].ID] {
			calls[i].ID = "call_" + rand.Text()
		}
		used[calls[i].ID] = true
		if a := bytes.TrimSpace(calls[i].Arguments); len(a) == 0 || string(a) == "null" {
			calls[i].Arguments = json.RawMessage("{}")
		}
	}
	return calls
}
