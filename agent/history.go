package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// add puts a message at the end of the history and announces it.
func (a *Agent) add(ctx context.Context, msg Message) error {
	a.append(msg)
	return a.announce(ctx, msg)
}

func (a *Agent) append(msg Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.history = append(a.history, msg.clone())
}

func (a *Agent) announce(ctx context.Context, msg Message) error {
	return callHook(ctx, a, "OnNewMessage", a.opts.Hooks.OnNewMessage, msg.clone())
}

// hasConversation says whether anything but a system prompt was said.
func (a *Agent) hasConversation() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.history, func(msg Message) bool { return msg.Role != RoleSystem })
}

// fit makes a model's message fit for the history, at a position in it: valid UTF-8,
// and each tool call with an id that no other call of the message has.
func fit(answer Message, position int) Message {
	answer = answer.clone()
	msg := Message{Role: RoleAssistant, Text: validUTF8(answer.Text), ToolCalls: answer.ToolCalls}
	taken := map[string]bool{"": true}
	for i := range msg.ToolCalls {
		call := &msg.ToolCalls[i]
		call.ID, call.Name = validUTF8(call.ID), validUTF8(call.Name)
		call.Arguments = json.RawMessage(validUTF8(string(call.Arguments)))
		for n := i + 1; taken[call.ID]; n++ {
			call.ID = fmt.Sprintf("call_%d_%d", position, n)
		}
		taken[call.ID] = true
	}
	return msg
}

// validUTF8 returns text as it comes back from a way through JSON.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// closeOpenCalls answers the tool calls of the history that have no answer, as
// interrupted. A run that was cut off leaves such calls, and models refuse a
// conversation that holds one.
func (a *Agent) closeOpenCalls() {
	a.mu.Lock()
	defer a.mu.Unlock()
	var closed []Message
	var open []ToolCall
	for _, msg := range a.history {
		if msg.Role == RoleTool {
			open = without(open, msg.ToolCall.ID)
		} else {
			closed = append(closed, interruptions(open)...)
			open = msg.ToolCalls
		}
		closed = append(closed, msg)
	}
	a.history = append(closed, interruptions(open)...)
}

func interruptions(calls []ToolCall) []Message {
	messages := make([]Message, len(calls))
	for i, call := range calls {
		messages[i] = outcome{call: call.clone(), err: errInterrupted}.message(-1)
	}
	return messages
}

// without returns calls without the first one that has an id.
func without(calls []ToolCall, id string) []ToolCall {
	i := slices.IndexFunc(calls, func(call ToolCall) bool { return call.ID == id })
	if i < 0 {
		return calls
	}
	return slices.Concat(calls[:i], calls[i+1:])
}

// checkHistory refuses messages that no run of an agent leaves behind.
func checkHistory(messages []Message) error {
	var open []ToolCall
	for i, msg := range messages {
		switch msg.Role {
		case RoleSystem, RoleUser, RoleAssistant:
			open = msg.ToolCalls
		case RoleTool:
			if msg.ToolCall == nil {
				return fmt.Errorf("message %d of the history is a tool's, but names no tool call", i+1)
			}
			rest := without(open, msg.ToolCall.ID)
			if len(rest) == len(open) {
				return fmt.Errorf("message %d of the history answers a tool call %q that the message before its answers does not make", i+1, msg.ToolCall.ID)
			}
			open = rest
		default:
			return fmt.Errorf("message %d of the history has the unknown role %q", i+1, msg.Role)
		}
	}
	return nil
}
