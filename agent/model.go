package agent

import (
	"context"
	"encoding/json"
	"slices"
)

// A Model answers a conversation. Implementations are safe for concurrent use.
type Model interface {
	// Complete returns the model's next message. An error ends the query.
	Complete(ctx context.Context, req Request) (Response, error)
}

// A Request is everything a model needs for its next message.
type Request struct {
	Messages []Message
	Tools    []ToolSpec
	// OnDelta, when not nil, is called with each piece of text as it arrives. A
	// model that can't stream calls it once or never.
	OnDelta func(text string)
}

// A Response is a model's message and what it cost.
type Response struct {
	Message Message // with RoleAssistant
	Usage   Usage
}

// Usage counts requests and tokens.
type Usage struct {
	Requests     int
	InputTokens  int64
	OutputTokens int64
}

// Role says who speaks.
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// A Message is one turn of a conversation. It goes to JSON and back unchanged, so
// that a conversation can be saved and continued with Options.History.
type Message struct {
	Role      Role       `json:"role"`
	Text      string     `json:"text,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"` // of the assistant
	ToolCall  *ToolCall  `json:"tool_call,omitempty"`  // that a RoleTool message answers
	IsError   bool       `json:"is_error,omitempty"`   // of a RoleTool message: the tool failed
}

// A ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // as the model wrote them: untrusted, perhaps not even JSON
}

// MarshalJSON writes the arguments as a JSON string, since they need not be JSON.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	return json.Marshal(toolCallJSON{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var in toolCallJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = ToolCall{ID: in.ID, Name: in.Name}
	if in.Arguments != "" {
		c.Arguments = json.RawMessage(in.Arguments)
	}
	return nil
}

type toolCallJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// clone shares nothing with c. No arguments are nil, as after a way through JSON.
func (c ToolCall) clone() ToolCall {
	c.Arguments = append(json.RawMessage(nil), c.Arguments...)
	return c
}

func (m Message) clone() Message {
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, call := range m.ToolCalls {
		m.ToolCalls[i] = call.clone()
	}
	if m.ToolCall != nil {
		call := m.ToolCall.clone()
		m.ToolCall = &call
	}
	return m
}

func cloneMessages(messages []Message) []Message {
	clones := make([]Message, len(messages))
	for i, m := range messages {
		clones[i] = m.clone()
	}
	return clones
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Requests + v.Requests, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

func (u Usage) minus(v Usage) Usage {
	return Usage{u.Requests - v.Requests, u.InputTokens - v.InputTokens, u.OutputTokens - v.OutputTokens}
}

func (u Usage) tokens() int64 { return u.InputTokens + u.OutputTokens }
