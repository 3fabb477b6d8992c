package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errTimeLimit = errors.New("time limit of the query reached")

// query runs one query from start to stop.
func (a *Agent) query(parent context.Context, prompt string, steps int) (Result, error) {
	before, err := a.begin()
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := withTimeLimit(parent, a.opts.Limits.Time)
	defer cancel()

	end := Stopped
	defer func() { a.setState(end) }()
	if before == Pending {
		if err := a.start(ctx); err != nil {
			end = Pending
			return Result{}, contextError(parent, err)
		}
	}
	used := a.Usage()
	result, err := a.converse(ctx, prompt, steps)
	if err != nil && ctx.Err() != nil && parent.Err() == nil {
		result, err = Result{Reason: TimeLimit}, nil
	}
	result.Usage = a.Usage().minus(used)
	if err != nil {
		return Result{Usage: result.Usage}, contextError(parent, err)
	}
	result.Text = a.lastText()
	a.opts.Logger.Debug("query ended", "reason", result.Reason, "tool", result.Tool)
	if h := a.opts.Hooks.OnStop; h != nil {
		err = a.hook(parent, "OnStop", func() error { return h(parent, result) })
	}
	return result, contextError(parent, err)
}

// begin takes the agent for one query and returns the state it was in.
func (a *Agent) begin() (State, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == Running {
		return 0, ErrRunning
	}
	before := a.state
	a.state = Running
	return before, nil
}

func (a *Agent) setState(s State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = s
}

func withTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, errTimeLimit)
}

// contextError makes an error after the end of ctx match ctx.Err(), whatever the
// code that noticed made of it.
func contextError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// start is what happens once in the life of an agent, however often it has to be
// tried.
func (a *Agent) start(ctx context.Context) error {
	if h := a.opts.Hooks.BeforeAll; h != nil {
		if err := a.hook(ctx, "BeforeAll", func() error { return h(ctx) }); err != nil {
			return err
		}
	}
	if err := a.addSystemPrompt(ctx); err != nil {
		return err
	}
	tools, err := a.loadTools(ctx)
	if err != nil {
		return err
	}
	a.tools = tools
	return nil
}

// addSystemPrompt puts the system prompt first in the history, once.
func (a *Agent) addSystemPrompt(ctx context.Context) error {
	system := Message{Role: RoleSystem, Text: a.opts.System}
	if a.opts.System == "" || !a.placeFirst(system) {
		return nil
	}
	return a.announce(ctx, system)
}

// placeFirst says whether it had to add the system message.
func (a *Agent) placeFirst(system Message) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.history) > 0 && a.history[0].Role == RoleSystem {
		a.history[0] = system
		return false
	}
	a.history = append([]Message{system}, a.history...)
	return true
}

// converse adds the prompt and runs the loop.
func (a *Agent) converse(ctx context.Context, prompt string, steps int) (Result, error) {
	if h := a.opts.Hooks.OnStart; h != nil {
		if err := a.hook(ctx, "OnStart", func() error { return h(ctx) }); err != nil {
			return Result{}, err
		}
	}
	a.mu.Lock()
	a.history = answerOpenCalls(a.history)
	a.mu.Unlock()
	if prompt != "" {
		if err := a.add(ctx, Message{Role: RoleUser, Text: prompt}); err != nil {
			return Result{}, err
		}
	}
	return a.loop(ctx, steps)
}

// loop asks the model and runs the tools that it asks for, until there is a
// reason to stop. It is the only loop: whatever bounds a query is looked at here.
func (a *Agent) loop(ctx context.Context, steps int) (Result, error) {
	limits := a.opts.Limits
	used, toolCalls := a.Usage(), 0
	for step := 0; ; step++ {
		switch tokens := a.Usage().minus(used).tokens(); {
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case reached(step, steps):
			return Result{Reason: StepLimit}, nil
		case reached(tokens, limits.Tokens):
			return Result{Reason: TokenLimit}, nil
		}
		answer, err := a.complete(ctx)
		if err != nil {
			return Result{}, err
		}
		result := Result{Reason: Done}
		if len(answer.ToolCalls) > 0 {
			if result, err = a.answer(ctx, answer.ToolCalls, toolCalls); err != nil {
				return Result{}, err
			}
			toolCalls += len(answer.ToolCalls)
		}
		if h := a.opts.Hooks.AfterEach; h != nil {
			if err := a.hook(ctx, "AfterEach", func() error { return h(ctx) }); err != nil {
				return Result{}, err
			}
		}
		if result.Reason != "" {
			return result, nil
		}
	}
}

// complete asks the model for its next message and adds it to the history.
func (a *Agent) complete(ctx context.Context) (Message, error) {
	hooks := a.opts.Hooks
	req := Request{Messages: a.History(), Tools: a.tools.specs()}
	streamErr := func() error { return nil }
	if hooks.OnStream != nil {
		req.OnDelta, streamErr = streaming(ctx, hooks.OnStream)
	}
	if h := hooks.BeforeCompletion; h != nil {
		if err := a.hook(ctx, "BeforeCompletion", func() error { return h(ctx, &req) }); err != nil {
			return Message{}, err
		}
	}
	resp, err := await(ctx, a, func() (Response, error) { return a.opts.Model.Complete(ctx, req) })
	a.count(resp.Usage)
	if err := streamErr(); err != nil {
		return Message{}, err
	}
	if err != nil {
		return Message{}, fmt.Errorf("completion: %w", err)
	}
	if h := hooks.AfterCompletion; h != nil {
		if err := a.hook(ctx, "AfterCompletion", func() error { return h(ctx, &resp) }); err != nil {
			return Message{}, err
		}
	}
	msg := assistantMessage(resp.Message)
	return msg, a.add(ctx, msg)
}

// count adds the usage of one completion.
func (a *Agent) count(u Usage) {
	u.Requests = max(u.Requests, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = a.usage.plus(u)
}

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
	h := a.opts.Hooks.OnNewMessage
	if h == nil {
		return nil
	}
	return a.hook(ctx, "OnNewMessage", func() error { return h(ctx, msg.clone()) })
}

func (a *Agent) lastText() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.history) - 1; i >= 0; i-- {
		if a.history[i].Role == RoleAssistant {
			return a.history[i].Text
		}
	}
	return ""
}
