package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"
)

// What the model is told of a call that the end of a query, or a limit, came before.
var (
	errInterrupted = errors.New("interrupted: the query ended before this call answered; it may or may not have taken effect")
	errNotRun      = errors.New("not run: the query ended before this call")
)

// An outcome is how one tool call ended.
type outcome struct {
	call   ToolCall
	out    ToolOutput
	err    error // told to the model
	counts bool  // err counts towards Limits.ToolRetries
}

// answer runs the tools that an answer of the model asks for and adds one message
// for each call, in the order asked. The result has a reason when these calls end
// the query; done is how many calls came before them in this query.
//
// Every call gets its message, whatever hooks and ctx say: models refuse a
// conversation with a hole in it.
func (a *Agent) answer(ctx context.Context, calls []ToolCall, done int) (Result, error) {
	outcomes, err := a.runTools(ctx, calls, done)
	var result Result
	for _, o := range outcomes {
		msg := o.message(a.opts.Limits.ResultBytes)
		if end := a.judge(o, msg); result.Reason == "" {
			result = end
		}
		a.append(msg)
		if err == nil {
			err = a.announce(ctx, msg)
		}
	}
	switch {
	case err != nil || result.Reason != "":
		return result, err
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case reached(done+len(calls)-1, a.opts.Limits.ToolCalls):
		return Result{Reason: ToolCallLimit}, nil
	}
	return Result{}, nil
}

// message is what the model is told of a call, text of at most limit bytes.
func (o outcome) message(limit int) Message {
	text := o.out.Text
	if o.err != nil {
		text = o.err.Error()
	}
	call := o.call
	return Message{Role: RoleTool, Text: capped(text, limit), ToolCall: &call, IsError: o.err != nil}
}

// judge counts a failure and says whether the call ends the query.
func (a *Agent) judge(o outcome, msg Message) Result {
	end := Result{Tool: o.call.Name, Arguments: o.call.clone().Arguments, Output: msg.Text}
	switch {
	case o.counts && a.failedTooOften(o.call):
		end.Reason, end.Err = ToolRetryLimit, o.err
	case o.err == nil && o.out.Stop:
		end.Reason = StopByTool
	case o.err == nil && o.out.Feedback:
		end.Reason = NeedsFeedback
	default:
		return Result{}
	}
	return end
}

// failedTooOften counts a failed call and says whether it was one too many.
func (a *Agent) failedTooOften(call ToolCall) bool {
	key := callKey(call)
	before := a.failures[key]
	a.failures[key]++
	return reached(before, a.opts.Limits.ToolRetries)
}

// runTools runs calls side by side, started in their order, and returns their
// outcomes in that order. The first hook that fails interrupts the other calls,
// and its error is returned.
func (a *Agent) runTools(parent context.Context, calls []ToolCall, done int) ([]outcome, error) {
	ctx, interrupt := context.WithCancelCause(parent)
	defer interrupt(nil)
	limits := a.opts.Limits
	outcomes := make([]outcome, len(calls))
	slots := make(chan struct{}, slotCount(limits.Parallel, len(calls)))
	var running sync.WaitGroup
	for i, call := range calls {
		if reached(done+i, limits.ToolCalls) {
			outcomes[i] = outcome{call: call, err: fmt.Errorf("not run: the limit of %d tool calls is reached", limits.ToolCalls)}
			continue
		}
		slots <- struct{}{} // comes free soon after ctx has ended, as await does not outlast it
		running.Go(func() {
			defer func() { <-slots }()
			var err error
			if outcomes[i], err = a.runTool(ctx, call); err != nil {
				interrupt(err)
			}
		})
	}
	running.Wait()
	if parent.Err() != nil {
		return outcomes, nil
	}
	return outcomes, context.Cause(ctx)
}

func slotCount(limit, calls int) int {
	if limit < 0 {
		return calls
	}
	return limit
}

// runTool runs one call between its hooks. An error is a hook's.
func (a *Agent) runTool(ctx context.Context, call ToolCall) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{call: call, err: errNotRun}, nil
	}
	if err := callHook(ctx, a, "BeforeTool", a.opts.Hooks.BeforeTool, call.clone()); err != nil {
		return outcome{call: call, err: errNotRun}, err
	}
	out, err := await(ctx, a, "tool "+call.Name, func() (ToolOutput, error) { return a.invoke(ctx, call) })
	if err != nil && ctx.Err() != nil {
		return outcome{call: call, err: errInterrupted}, nil
	}
	o, err := a.afterTool(ctx, outcome{call: call, out: out, err: err})
	o.counts = o.err != nil
	a.opts.Logger.Debug("tool called", "tool", call.Name, "err", o.err)
	return o, err
}

// afterTool lets the AfterTool hook change an outcome.
func (a *Agent) afterTool(ctx context.Context, o outcome) (outcome, error) {
	hook := a.opts.Hooks.AfterTool
	if hook == nil {
		return o, nil
	}
	changed, err := await(ctx, a, "AfterTool", func() (outcome, error) {
		changed := o
		err := hook(ctx, o.call.clone(), &changed.out, &changed.err)
		return changed, err
	})
	if err != nil {
		return o, hookError("AfterTool", err)
	}
	return changed, nil
}

// invoke calls the tool that call names, with arguments that are a JSON object.
func (a *Agent) invoke(ctx context.Context, call ToolCall) (ToolOutput, error) {
	tool, err := a.tools.find(call.Name)
	if err != nil {
		return ToolOutput{}, err
	}
	arguments, err := objectOf(call.Arguments)
	if err != nil {
		return ToolOutput{}, err
	}
	return tool.Call(ctx, arguments)
}

// capped returns text as valid UTF-8 of at most limit bytes, with a note below
// when that is not all of it. A negative limit is none.
func capped(text string, limit int) string {
	text = validUTF8(text)
	if limit < 0 || len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n[cut: the first %d of %d bytes]", text[:cut], cut, len(text))
}
