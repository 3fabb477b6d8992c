package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// patience is how long a call may go on after its context has ended: enough for
// code that honours the context to clean up, too short for a person to notice.
const patience = 250 * time.Millisecond

var errLeftBehind = errors.New("it goes on although its context has ended")

// await calls f, which is somebody else's code, and returns what it returns; a
// panic comes back as an error. When ctx has ended and f does not return in time,
// f is left behind: its goroutine stays counted until it ends, for [Agent.Wait].
func await[T any](ctx context.Context, a *Agent, name string, f func() (T, error)) (T, error) {
	type returned struct {
		value T
		err   error
	}
	done := make(chan returned, 1)
	a.enter()
	go func() {
		defer a.leave()
		// What is returned when f ends its goroutine, as testing.T.FailNow does.
		r := returned{err: errors.New("its goroutine ended")}
		defer func() {
			if v := recover(); v != nil {
				r = returned{err: a.panicError(name, v)}
			}
			done <- r
		}()
		r.value, r.err = f()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-late.C:
		a.opts.Logger.Warn("left behind: "+errLeftBehind.Error(), "what", name)
		var zero T
		return zero, fmt.Errorf("%w: %w", ctx.Err(), errLeftBehind)
	}
}

func (a *Agent) enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
}

func (a *Agent) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls--
	if a.calls == 0 {
		a.idle.Broadcast()
	}
}

// callHook calls a hook unless it is nil; its error names it.
func callHook[T any](ctx context.Context, a *Agent, name string, hook func(context.Context, T) error, arg T) error {
	if hook == nil {
		return nil
	}
	_, err := await(ctx, a, name, func() (struct{}, error) { return struct{}{}, hook(ctx, arg) })
	return hookError(name, err)
}

// callHook0 is callHook for a hook without an argument.
func callHook0(ctx context.Context, a *Agent, name string, hook func(context.Context) error) error {
	if hook == nil {
		return nil
	}
	return callHook(ctx, a, name, func(ctx context.Context, _ struct{}) error { return hook(ctx) }, struct{}{})
}

func hookError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hook %s: %w", name, err)
}

// panicError makes an error of what was recovered in a deferred call.
func (a *Agent) panicError(name string, recovered any) error {
	a.opts.Logger.Error("panic", "in", name, "value", recovered, "stack", string(debug.Stack()))
	return fmt.Errorf("panic: %v", recovered)
}

// streaming makes an OnDelta of the OnStream hook, which is not called any more
// when ctx has ended or it has panicked; failed tells of a panic.
func (a *Agent) streaming(ctx context.Context) (onDelta func(string), failed func() error) {
	var panicked atomic.Pointer[error]
	onDelta = func(text string) {
		if ctx.Err() != nil || panicked.Load() != nil {
			return
		}
		defer func() {
			if v := recover(); v != nil {
				err := hookError("OnStream", a.panicError("OnStream", v))
				panicked.Store(&err)
			}
		}()
		a.opts.Hooks.OnStream(ctx, text)
	}
	failed = func() error {
		if err := panicked.Load(); err != nil {
			return *err
		}
		return nil
	}
	return onDelta, failed
}
