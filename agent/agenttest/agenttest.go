// Package agenttest has models for tests of programs that use package agent: a
// [Script] answers from a list, an [Echo] says back the exact prompt. Both run in
// the process and contact nobody.
package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"release-notes-agent/agent"
)

// A Turn is one answer of a scripted model.
type Turn func(ctx context.Context, req agent.Request) (agent.Response, error)

// Say answers with text.
func Say(text string) Turn { return Answer(agent.Message{Text: text}) }

// Ask answers with tool calls, made with [Call].
func Ask(calls ...agent.ToolCall) Turn { return Answer(agent.Message{ToolCalls: calls}) }

// Call makes a tool call for [Ask] with arguments as a model writes them: JSON, or
// not. Its id is left for the agent to make up.
func Call(tool, arguments string) agent.ToolCall {
	return agent.ToolCall{Name: tool, Arguments: json.RawMessage(arguments)}
}

// Answer answers with a message.
func Answer(msg agent.Message) Turn {
	msg.Role = agent.RoleAssistant
	return func(_ context.Context, req agent.Request) (agent.Response, error) {
		stream(req, msg.Text)
		return agent.Response{Message: msg, Usage: agent.Usage{Requests: 1}}, nil
	}
}

// Cost is t with a number of tokens that it says it used.
func Cost(t Turn, input, output int64) Turn {
	return func(ctx context.Context, req agent.Request) (agent.Response, error) {
		resp, err := t(ctx, req)
		resp.Usage = agent.Usage{Requests: 1, InputTokens: input, OutputTokens: output}
		return resp, err
	}
}

// Fail fails with err.
func Fail(err error) Turn {
	return func(context.Context, agent.Request) (agent.Response, error) { return agent.Response{}, err }
}

// A Script is a model that plays turns and keeps the requests. It is safe for
// concurrent use.
type Script struct {
	mu       sync.Mutex
	turns    []Turn
	always   Turn // when not nil, in place of turns
	requests []agent.Request
}

// NewScript makes a model that plays turns one after the other, and fails when
// they are used up.
func NewScript(turns ...Turn) *Script { return &Script{turns: slices.Clone(turns)} }

// Always makes a model that plays one turn for every request, at the same time
// when they come side by side.
func Always(turn Turn) *Script { return &Script{always: turn} }

// Complete plays the next turn.
func (s *Script) Complete(ctx context.Context, req agent.Request) (agent.Response, error) {
	turn, err := s.next(req)
	if err != nil {
		return agent.Response{}, err
	}
	return turn(ctx, req)
}

func (s *Script) next(req agent.Request) (Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	req.Messages, req.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools)
	s.requests = append(s.requests, req)
	if s.always != nil {
		return s.always, nil
	}
	if n >= len(s.turns) {
		return nil, fmt.Errorf("request %d to a script of %d turns:\n%s", n+1, len(s.turns), Prompt(req))
	}
	return s.turns[n], nil
}

// Requests returns the requests so far, also those after the last turn.
func (s *Script) Requests() []agent.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Echo is a model that answers every request with its [Prompt].
type Echo struct{}

// Complete answers with the prompt.
func (Echo) Complete(_ context.Context, req agent.Request) (agent.Response, error) {
	text := Prompt(req)
	stream(req, text)
	msg := agent.Message{Role: agent.RoleAssistant, Text: text}
	return agent.Response{Message: msg, Usage: agent.Usage{Requests: 1}}, nil
}

// Prompt writes out all that a request tells a model: tools first, then the
// messages, every text as it is.
func Prompt(req agent.Request) string {
	var b strings.Builder
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "[tool %s] %s\n", t.Name, t.Description)
		if len(t.Parameters) > 0 {
			fmt.Fprintf(&b, "%s\n", t.Parameters)
		}
	}
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "[%s]\n", heading(m))
		if m.Text != "" {
			fmt.Fprintf(&b, "%s\n", m.Text)
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(&b, "-> %s %s\n", call.Name, call.Arguments)
		}
	}
	return b.String()
}

func heading(m agent.Message) string {
	if m.ToolCall == nil {
		return string(m.Role)
	}
	if m.IsError {
		return "error of " + m.ToolCall.Name
	}
	return "result of " + m.ToolCall.Name
}

// stream hands on text word by word.
func stream(req agent.Request, text string) {
	if req.OnDelta == nil {
		return
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if word != "" {
			req.OnDelta(word)
		}
	}
}
