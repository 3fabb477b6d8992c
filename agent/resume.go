package agent

import (
	"fmt"
	"strings"
)

// checkHistory refuses messages that no run of an agent leaves behind.
func checkHistory(messages []Message) error {
	for i, m := range messages {
		switch m.Role {
		case RoleSystem, RoleUser, RoleAssistant:
		case RoleTool:
			if m.ToolCall == nil {
				return fmt.Errorf("message %d of the history: role tool without the tool call that it answers", i+1)
			}
		default:
			return fmt.Errorf("message %d of the history: unknown role %q", i+1, m.Role)
		}
	}
	return nil
}

// answerOpenCalls adds an answer to every tool call that has none, behind the
// answers that stand there: a run that was cut off leaves such calls, and models
// refuse a conversation that holds one.
func answerOpenCalls(messages []Message) []Message {
	var answered []Message
	var open []ToolCall
	for _, m := range messages {
		if m.Role == RoleTool {
			open = without(open, m.ToolCall.ID)
		} else {
			answered = append(answered, interruptions(open)...)
			open = m.ToolCalls
		}
		answered = append(answered, m)
	}
	return append(answered, interruptions(open)...)
}

func without(calls []ToolCall, id string) []ToolCall {
	for i, call := range calls {
		if call.ID == id {
			return append(append([]ToolCall(nil), calls[:i]...), calls[i+1:]...)
		}
	}
	return calls
}

func interruptions(calls []ToolCall) []Message {
	var messages []Message
	for _, call := range calls {
		call = call.clone()
		messages = append(messages, Message{Role: RoleTool, Text: errInterrupted.Error(), ToolCall: &call, IsError: true})
	}
	return messages
}

// assistantMessage makes a model's message fit for the history: text is valid
// UTF-8, and every tool call has an id that no other call of the message has.
func assistantMessage(m Message) Message {
	m = m.clone()
	m.Role, m.ToolCall, m.IsError = RoleAssistant, nil, false
	m.Text = strings.ToValidUTF8(m.Text, "\uFFFD")
	taken := map[string]bool{"": true}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		for n := i + 1; taken[call.ID]; n++ {
			call.ID = fmt.Sprintf("call_%d", n)
		}
		taken[call.ID] = true
	}
	return m
}
