package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// query takes the agent, runs one query and says how it ended.
func (a *Agent) query(parent context.Context, prompt string, steps int) (Result, error) {
	if err := a.begin(); err != nil {
		return Result{}, err
	}
	defer a.end()
	ctx, cancel := withTimeLimit(parent, a.opts.Limits.Time)
	defer cancel()

	used := a.Usage()
	result, err := a.run(ctx, prompt, steps)
	if err != nil && ctx.Err() != nil && parent.Err() == nil {
		result, err = Result{Reason: TimeLimit, Err: err}, nil
	}
	result.Usage = a.Usage().minus(used)
	if err != nil {
		return Result{Usage: result.Usage}, contextError(parent, err)
	}
	result.Text = a.text
	a.opts.Logger.Debug("query ended", "reason", result.Reason, "tool", result.Tool)
	err = callHook(parent, a, "OnStop", a.opts.Hooks.OnStop, result)
	return result, contextError(parent, err)
}

// begin takes the agent for one query.
func (a *Agent) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == Running {
		return ErrRunning
	}
	a.state = Running
	a.text = ""
	return nil
}

func (a *Agent) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = Stopped
	if !a.started {
		a.state = Pending
	}
}

func withTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// contextError makes an error after the end of ctx match ctx.Err(), whatever the
// code that noticed made of it.
func contextError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// run starts the agent if that is still to be done, adds the prompt, and loops.
func (a *Agent) run(ctx context.Context, prompt string, steps int) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if !a.started {
		if err := a.start(ctx); err != nil {
			return Result{}, err
		}
		a.started = true
	}
	if err := callHook0(ctx, a, "OnStart", a.opts.Hooks.OnStart); err != nil {
		return Result{}, err
	}
	a.closeOpenCalls()
	if prompt == "" && !a.hasConversation() {
		return Result{}, errors.New("nothing to answer: the prompt is empty and so is the history")
	}
	if prompt != "" {
		msg := Message{Role: RoleUser, Text: validUTF8(prompt)}
		if err := a.add(ctx, msg); err != nil {
			return Result{}, err
		}
	}
	return a.loop(ctx, steps)
}

// loop asks the model and runs the tools that it asks for, until there is a
// reason to stop. It is the only loop: whatever bounds a query is looked at here.
func (a *Agent) loop(ctx context.Context, steps int) (Result, error) {
	used, toolCalls := a.Usage(), 0
	for step := 0; ; step++ {
		switch tokens := a.Usage().minus(used).tokens(); {
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case reached(step, steps):
			return Result{Reason: StepLimit}, nil
		case reached(tokens, a.opts.Limits.Tokens):
			return Result{Reason: TokenLimit}, nil
		}
		calls, err := a.complete(ctx)
		if err != nil {
			return Result{}, err
		}
		result := Result{Reason: Done}
		if len(calls) > 0 {
			result, err = a.answer(ctx, calls, toolCalls)
			toolCalls += len(calls)
		}
		if err != nil {
			return Result{}, err
		}
		if err := callHook0(ctx, a, "AfterEach", a.opts.Hooks.AfterEach); err != nil {
			return Result{}, err
		}
		if result.Reason != "" {
			return result, nil
		}
	}
}

// complete asks the model for its next message, adds it to the history, and
// returns the tool calls in it.
func (a *Agent) complete(ctx context.Context) ([]ToolCall, error) {
	hooks := a.opts.Hooks
	req := Request{Messages: a.History(), Tools: a.tools.specs()}
	position := len(req.Messages)
	streamErr := func() error { return nil }
	if hooks.OnStream != nil {
		req.OnDelta, streamErr = a.streaming(ctx)
	}
	if err := callHook(ctx, a, "BeforeCompletion", hooks.BeforeCompletion, &req); err != nil {
		return nil, err
	}
	resp, err := await(ctx, a, "model", func() (Response, error) { return a.opts.Model.Complete(ctx, req) })
	a.count(resp.Usage)
	if err := streamErr(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("completion: %w", err)
	}
	if err := callHook(ctx, a, "AfterCompletion", hooks.AfterCompletion, &resp); err != nil {
		return nil, err
	}
	msg := fit(resp.Message, position)
	a.text = msg.Text
	return msg.ToolCalls, a.add(ctx, msg)
}

// count adds the usage of one completion.
func (a *Agent) count(u Usage) {
	u.Requests = max(u.Requests, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = a.usage.plus(u)
}
