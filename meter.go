package main

import (
	"context"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/notes"
)

// A meter counts what all conversations spend, and lets no model answer when that is
// more than the run may.
type meter struct {
	limit int64 // tokens, input and output together

	mu    sync.Mutex
	spent agent.Usage
}

// over is a model that is counted. What is under way when the limit is reached is
// answered still.
func (m *meter) over(model agent.Model) agent.Model {
	return modelFunc(func(ctx context.Context, req agent.Request) (agent.Response, error) {
		if m.tokens() >= m.limit {
			return agent.Response{}, &budgetError{reason: agent.TokenLimit}
		}
		resp, err := model.Complete(ctx, req)
		m.add(resp.Usage)
		return resp, err
	})
}

func (m *meter) add(u agent.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent.Requests += max(u.Requests, 1)
	m.spent.InputTokens += u.InputTokens
	m.spent.OutputTokens += u.OutputTokens
}

func (m *meter) tokens() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent.InputTokens + m.spent.OutputTokens
}

// usage is what was spent on a model, as the document tells it.
func (m *meter) usage(model string) notes.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return notes.Usage{Model: model, Requests: m.spent.Requests, InputTokens: m.spent.InputTokens, OutputTokens: m.spent.OutputTokens}
}
