package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

var errInterrupted = errors.New("interrupted: the query ended before this call answered; it may or may not have taken effect")

// An outcome is how one tool call ended.
type outcome struct {
	call    ToolCall
	out     ToolOutput
	err     error // told to the model
	counts  bool  // err counts towards Limits.ToolRetries
	hookErr error // ends the query
}

// answer runs the tools that an answer of the model asks for and adds one message
// for each call, in the order asked. The result has a reason when these calls end
// the query; done is how many calls came before them in this query.
func (a *Agent) answer(ctx context.Context, calls []ToolCall, done int) (Result, error) {
	outcomes := a.runTools(ctx, calls, done)
	var result Result
	var failed error
	for _, o := range outcomes {
		msg := a.toolMessage(o)
		if ended := a.judge(o, msg); result.Reason == "" {
			result = ended
		}
		// Every call gets its answer, whatever a hook says: models refuse a
		// conversation with a hole in it.
		if failed != nil {
			a.append(msg)
		} else if failed = o.hookErr; failed != nil {
			a.append(msg)
		} else {
			failed = a.add(ctx, msg)
		}
	}
	if failed == nil {
		failed = ctx.Err()
	}
	if limit := a.opts.Limits.ToolCalls; result.Reason == "" && limit >= 0 && done+len(calls) > limit {
		result.Reason = ToolCallLimit
	}
	return result, failed
}

// judge counts a failure and says whether the call ends the query.
func (a *Agent) judge(o outcome, msg Message) Result {
	result := Result{Tool: o.call.Name, Arguments: o.call.clone().Arguments, Output: msg.Text}
	switch {
	case o.err != nil && o.counts && a.tooOften(o.call):
		result.Reason, result.Err = ToolRetryLimit, o.err
	case o.err == nil && o.out.Stop:
		result.Reason = StopByTool
	case o.err == nil && o.out.Feedback:
		result.Reason = NeedsFeedback
	default:
		return Result{}
	}
	return result
}

// tooOften counts a failed call and says whether it failed once too often.
func (a *Agent) tooOften(call ToolCall) bool {
	key := callKey(call)
	failures := a.failures[key]
	a.failures[key]++
	return reached(failures, a.opts.Limits.ToolRetries)
}

// runTools runs calls side by side, started in their order, and returns their
// outcomes in that order. When a hook fails, the calls that have not ended are
// interrupted.
func (a *Agent) runTools(ctx context.Context, calls []ToolCall, done int) []outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parallel := a.opts.Limits.Parallel
	if parallel < 0 {
		parallel = len(calls)
	}
	outcomes := make([]outcome, len(calls))
	slots := make(chan struct{}, parallel)
	var running sync.WaitGroup
	for i, call := range calls {
		outcomes[i].call = call
		if limit := a.opts.Limits.ToolCalls; reached(done+i, limit) {
			outcomes[i].err = fmt.Errorf("not run: the limit of %d tool calls is reached", limit)
			continue
		}
		slots <- struct{}{} // soon free once ctx has ended: no call outlives it for long
		running.Go(func() {
			defer func() { <-slots }()
			if outcomes[i] = a.runTool(ctx, call); outcomes[i].hookErr != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return outcomes
}

// runTool runs one call between its hooks.
func (a *Agent) runTool(ctx context.Context, call ToolCall) outcome {
	interrupted := outcome{call: call, err: errInterrupted}
	if ctx.Err() != nil {
		return interrupted
	}
	if h := a.opts.Hooks.BeforeTool; h != nil {
		if err := a.hook(ctx, "BeforeTool", func() error { return h(ctx, call.clone()) }); err != nil {
			interrupted.hookErr = err
			return interrupted
		}
	}
	out, err := await(ctx, a, func() (ToolOutput, error) { return a.invoke(ctx, call) })
	if err != nil && ctx.Err() != nil {
		return interrupted
	}
	o := outcome{call: call, out: out, err: err}
	if h := a.opts.Hooks.AfterTool; h != nil {
		changed, err := await(ctx, a, func() (outcome, error) {
			c := o
			err := h(ctx, call.clone(), &c.out, &c.err)
			return c, err
		})
		if err != nil {
			o.hookErr = hookError("AfterTool", err)
			return o
		}
		o = changed
	}
	o.counts = o.err != nil
	return o
}

// invoke calls the tool that call names, with arguments that are a JSON object.
func (a *Agent) invoke(ctx context.Context, call ToolCall) (ToolOutput, error) {
	tool, ok := a.tools.byName[call.Name]
	if !ok {
		return ToolOutput{}, fmt.Errorf("there is no tool %q; the tools are: %s", call.Name, a.tools.names())
	}
	arguments, err := objectOf(call.Arguments)
	if err != nil {
		return ToolOutput{}, fmt.Errorf("wrong arguments: %w", err)
	}
	return tool.Call(ctx, arguments)
}

// toolMessage is what the model is told of a call.
func (a *Agent) toolMessage(o outcome) Message {
	text := o.out.Text
	if o.err != nil {
		text = o.err.Error()
	}
	call := o.call.clone()
	return Message{Role: RoleTool, Text: capped(text, a.opts.Limits.ResultBytes), ToolCall: &call, IsError: o.err != nil}
}

// objectOf returns arguments as a JSON object; nothing at all is an empty one.
func objectOf(arguments json.RawMessage) (json.RawMessage, error) {
	trimmed := trimSpace(arguments)
	if len(trimmed) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid(trimmed) {
		var v any
		return nil, fmt.Errorf("not valid JSON: %w", json.Unmarshal(trimmed, &v))
	}
	if trimmed[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	return append(json.RawMessage(nil), trimmed...), nil
}
