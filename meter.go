package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/agent/openaimodel"
	"release-notes-agent/notes"
)

// A meter counts what all conversations spend, and lets no model answer when that is
// more than the run may, or when the server has said what will not change.
type meter struct {
	limit int64 // tokens, input and output together

	mu    sync.Mutex
	spent agent.Usage
	final error // what the server has said for good
}

// over is a model that is counted. What is under way when the limit is reached is
// answered still.
func (m *meter) over(model agent.Model) agent.Model {
	return modelFunc(func(ctx context.Context, req agent.Request) (agent.Response, error) {
		if err := m.refuses(); err != nil {
			return agent.Response{}, err
		}
		resp, err := model.Complete(ctx, req)
		m.add(resp.Usage, err)
		return resp, err
	})
}

func (m *meter) refuses() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.final == nil && m.spent.InputTokens+m.spent.OutputTokens >= m.limit {
		return &budgetError{reason: agent.TokenLimit}
	}
	return m.final
}

func (m *meter) add(u agent.Usage, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent.Requests += max(u.Requests, 1)
	m.spent.InputTokens += u.InputTokens
	m.spent.OutputTokens += u.OutputTokens
	if isFinal(err) {
		m.final = err
	}
}

// isFinal reports whether a server would say the same to every other request.
func isFinal(err error) bool {
	var failure *openaimodel.Error
	return errors.As(err, &failure) && slices.Contains([]openaimodel.Kind{
		openaimodel.Unauthorized, openaimodel.Forbidden, openaimodel.Quota, openaimodel.NotFound, openaimodel.Redirected,
	}, failure.Kind)
}

// usage is what was spent on a model, as the document tells it.
func (m *meter) usage(model string) notes.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return notes.Usage{Model: model, Requests: m.spent.Requests, InputTokens: m.spent.InputTokens, OutputTokens: m.spent.OutputTokens}
}
