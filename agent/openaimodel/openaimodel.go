// Package openaimodel is an [agent.Model] over the API of OpenAI and of the many
// servers that speak it. Call [New], then give the model to agent.New.
//
// Nothing is read from the environment: only [Options] count. Every failure is an
// [*Error], apart from the end of the caller's context.
package openaimodel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"release-notes-agent/agent"
)

// API names one of the two interfaces that OpenAI offers for conversations.
type API string

// The interfaces.
const (
	// ChatCompletions is what every compatible server speaks.
	ChatCompletions API = "chat"
	// Responses is what OpenAI's models that reason are at their best with.
	Responses API = "responses"
)

// Options configure a model. New copies them.
type Options struct {
	// APIKey is sent as a bearer token; empty sends none, which local servers
	// accept. It appears in no error and no log.
	APIKey string

	// BaseURL is what "/chat/completions" or "/responses" is added to, with or without a slash at
	// its end, such as https://api.openai.com/v1 (which empty stands for) or
	// http://localhost:11434/v1. Nothing else is added: most servers need the /v1.
	// A query is sent with every request.
	BaseURL string

	Model string // required
	API   API    // empty is Responses for models that reason at OpenAI itself, else ChatCompletions

	// Sent only when set, and no more once the server has refused them.
	Temperature     *float64
	ReasoningEffort string // minimal, low, medium, high, …
	MaxTokens       int64  // of one answer, reasoning included

	Timeout      time.Duration // of one request, to the last byte of its answer; 0 is 5 minutes
	MaxRetries   int           // further requests after a passing failure; 0 is 4, negative none
	MaxRetryWait time.Duration // a server that asks for a longer wait is not asked again; 0 is a minute

	// HTTPClient replaces http.DefaultClient. It is copied, and its redirect policy
	// replaced: only redirects that stay with the scheme and host are followed.
	HTTPClient *http.Client
	Logger     *slog.Logger // nil discards
}

// Model asks one model of one server. It is safe for concurrent use.
type Model struct {
	opts    Options
	server  *server
	api     api
	refused refused
}

// An api is one way to ask for the next message. It makes one attempt, and sends
// of the optional parts of a request only those given.
type api interface {
	complete(ctx context.Context, req agent.Request, send optionals) (agent.Response, error)
}

// New makes a model. It contacts nobody.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("new model: no name given")
	}
	opts = opts.withDefaults()
	server, err := newServer(opts)
	if err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	m := &Model{opts: opts, server: server}
	switch cmp.Or(opts.API, server.bestAPI(opts.Model)) {
	case ChatCompletions:
		m.api = newChat(opts, server)
	case Responses:
		m.api = newResponses(opts, server)
	default:
		return nil, fmt.Errorf("new model: unknown API %q", opts.API)
	}
	return m, nil
}

func (o Options) withDefaults() Options {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = 4
	}
	if o.MaxRetryWait == 0 {
		o.MaxRetryWait = time.Minute
	}
	o.MaxRetryWait = max(o.MaxRetryWait, 0)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("model", o.Model)
	return o
}

// Complete asks for the next message. Passing failures are tried again, bounded
// by MaxRetries, unless text has reached req.OnDelta already. Usage counts every
// request made, and is returned with an error too.
//
// An answer whose text was cut at a token limit is an [*Error] of kind [Cut] beside
// the response. Cut arguments of a tool call are returned as they are.
func (m *Model) Complete(ctx context.Context, req agent.Request) (agent.Response, error) {
	var usage agent.Usage
	for retries := 0; ; {
		send := m.refused.without(m.opts.optionals(req))
		resp, delivered, err := m.attempt(ctx, req, send)
		usage = add(usage, resp.Usage)
		resp.Usage = usage
		var failure *Error
		if !errors.As(err, &failure) {
			return resp, err // the end of ctx, or none
		}
		if part, ok := failure.refuses(send); ok {
			m.opts.Logger.Info("going on without what the server refuses", "part", part, "err", err)
			m.refused.add(part)
			continue
		}
		wait, again := m.opts.retryIn(ctx, failure, retries)
		if !again || delivered {
			return resp, failure.afterRequests(retries + 1)
		}
		m.opts.Logger.Info("asking again", "in", wait, "err", err)
		if err := sleep(ctx, wait); err != nil {
			return resp, fmt.Errorf("waiting to ask the model again: %w", err)
		}
		retries++
	}
}

func add(a, b agent.Usage) agent.Usage {
	return agent.Usage{
		Requests:     a.Requests + b.Requests,
		InputTokens:  a.InputTokens + b.InputTokens,
		OutputTokens: a.OutputTokens + b.OutputTokens,
	}
}

// attempt makes one request and says whether text was delivered to OnDelta. Its
// error is an *Error, or wraps that of ctx.
func (m *Model) attempt(ctx context.Context, req agent.Request, send optionals) (resp agent.Response, delivered bool, err error) {
	if err := ctx.Err(); err != nil {
		return resp, false, fmt.Errorf("asking the model: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, m.opts.Timeout)
	defer cancel()
	if onDelta := req.OnDelta; onDelta != nil {
		req.OnDelta = func(text string) { delivered = true; onDelta(text) }
	}
	resp, err = m.api.complete(limited, req, send)
	resp.Usage.Requests = 1
	var failure *Error
	switch {
	case err == nil || errors.As(err, &failure):
		return resp, delivered, err
	case ctx.Err() != nil:
		return resp, delivered, fmt.Errorf("asking the model: %w", ctx.Err())
	case limited.Err() != nil:
		return resp, delivered, m.server.newError(Timeout, "no whole answer from %s within %v", m.server.address, m.opts.Timeout)
	}
	return resp, delivered, m.server.networkError(err)
}
