package openaimodel

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"release-notes-agent/agent"
)

// An optional is a part of a request that some server or model refuses, and that
// the conversation can do without.
type optional string

const (
	temperature         optional = "temperature"
	reasoningEffort     optional = "reasoning_effort"
	maxCompletionTokens optional = "max_completion_tokens"
	maxTokens           optional = "max_tokens" // the older name, tried when the newer one is refused
	streamUsage         optional = "stream_options"
	systemRole          optional = "system role"
)

type optionals []optional

func (o optionals) has(name optional) bool { return slices.Contains(o, name) }

// optionals returns what req would carry if nothing was ever refused, each part
// before the one that takes its place.
func (o Options) optionals(req agent.Request) optionals {
	var all optionals
	if o.Temperature != nil {
		all = append(all, temperature)
	}
	if o.ReasoningEffort != "" {
		all = append(all, reasoningEffort)
	}
	if o.MaxTokens > 0 {
		all = append(all, maxCompletionTokens, maxTokens)
	}
	if req.OnDelta != nil {
		all = append(all, streamUsage)
	}
	if slices.ContainsFunc(req.Messages, func(m agent.Message) bool { return m.Role == agent.RoleSystem }) {
		all = append(all, systemRole)
	}
	return all
}

// refused remembers what the server has refused, for good.
type refused struct {
	mu    sync.Mutex
	names optionals
}

func (r *refused) add(name optional) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
}

// without returns all that may be sent: nothing refused, and of the two names of
// the token limit the first that is left.
func (r *refused) without(all optionals) optionals {
	r.mu.Lock()
	defer r.mu.Unlock()
	var left optionals
	for _, name := range all {
		if r.names.has(name) || name == maxTokens && left.has(maxCompletionTokens) {
			continue
		}
		left = append(left, name)
	}
	return left
}

// refuses finds the part of what was sent that e complains about. A server names
// it as the error's parameter, or only in its text.
func (e *Error) refuses(sent optionals) (optional, bool) {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return "", false
	}
	for _, part := range sent {
		if part.namedBy(e) {
			return part, true
		}
	}
	return "", false
}

func (o optional) namedBy(e *Error) bool {
	if o == systemRole {
		// "System role not supported", "'messages[0].role' does not support 'system'
		// with this model", "Developer instruction is not enabled".
		return strings.Contains(e.said, "role") && strings.Contains(e.said, "system") ||
			strings.Contains(e.said, "developer instruction")
	}
	for _, name := range o.names() {
		if e.param == name || strings.Contains(e.said, name) {
			return true
		}
	}
	return false
}

// names returns what the part is called in Chat Completions, and in Responses
// where that is something else.
func (o optional) names() []string {
	switch o {
	case reasoningEffort:
		return []string{string(o), "reasoning.effort"}
	case maxCompletionTokens:
		return []string{string(o), "max_output_tokens"}
	}
	return []string{string(o)}
}
