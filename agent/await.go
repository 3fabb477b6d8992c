package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// patience is how long a call may go on after its context has ended: enough for
// code that honours the context to clean up, too short for a person to wait for.
const patience = 250 * time.Millisecond

var errLeftBehind = errors.New("still running after its context ended")

// await calls f, which is not ours, and returns what it returns; a panic comes
// back as an error. When ctx has ended and f does not return in time, f is left
// to itself: its goroutine stays counted until it returns, for [Agent.Wait].
func await[T any](ctx context.Context, a *Agent, f func() (T, error)) (T, error) {
	type returned struct {
		value T
		err   error
	}
	done := make(chan returned, 1)
	a.enter()
	go func() {
		defer a.leave()
		// What stands here when f ends its goroutine, as testing.T.FailNow does.
		r := returned{err: errors.New("goroutine ended without returning")}
		defer func() {
			if v := recover(); v != nil {
				r = returned{err: fmt.Errorf("panic: %v", v)}
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

// hook calls a hook; its error names it.
func (a *Agent) hook(ctx context.Context, name string, f func() error) error {
	_, err := await(ctx, a, func() (struct{}, error) { return struct{}{}, f() })
	return hookError(name, err)
}

func hookError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hook %s: %w", name, err)
}

// streaming makes an OnDelta for a request of an OnStream hook. It stops calling
// the hook when ctx ends or the hook panics; failed tells of a panic.
func streaming(ctx context.Context, hook func(context.Context, string)) (onDelta func(string), failed func() error) {
	var panicked atomic.Pointer[error]
	onDelta = func(text string) {
		if ctx.Err() != nil || panicked.Load() != nil {
			return
		}
		defer func() {
			if v := recover(); v != nil {
				err := hookError("OnStream", fmt.Errorf("panic: %v", v))
				panicked.Store(&err)
			}
		}()
		hook(ctx, text)
	}
	failed = func() error {
		if err := panicked.Load(); err != nil {
			return *err
		}
		return nil
	}
	return onDelta, failed
}
