// Package agent runs a language model in a loop with tools. It knows no vendor
// and no protocol: a [Model] answers, a [Toolbox] offers tools. Call [New], then
// [Agent.Query].
//
// A tool is made of a function with typed arguments by package functool, of any
// other by [NewTool]. [Filter], [Rename], [FixArguments], [MapResults] and
// [TrimResults] make a toolbox out of another one. Package agenttest has models for
// tests.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Sentinels that errors of a query match.
var (
	// ErrToolboxFailedToLoad says that a toolbox could not be listed. The error also
	// matches the toolbox's own.
	ErrToolboxFailedToLoad = errors.New("toolbox failed to load")
	// ErrRunning refuses a query while another one runs.
	ErrRunning = errors.New("agent is already running a query")
)

// Options configure an agent. New copies them; later changes have no effect.
type Options struct {
	Model     Model     // required
	Name      string    // in logs; "agent" when empty
	System    string    // system prompt; none when empty
	Tools     []Tool    // known from the start; they win over toolbox tools of the same name
	Toolboxes []Toolbox // listed once, at the first query
	Hooks     Hooks

	// History holds the messages of an earlier run to continue from. A system
	// message at its start gives way to System, unless that is empty. Tool calls
	// that it leaves unanswered are answered as interrupted, never run again. New
	// refuses messages that models would refuse, as answers to no tool call.
	History []Message

	// WithoutStop leaves out the default tool "stop", which ends the query. A
	// tool of that name in Tools takes its place.
	WithoutStop bool

	Limits Limits
	Logger *slog.Logger // nil discards
}

// Limits bound every query. A zero field takes the default given beside it; a
// negative one means no limit.
type Limits struct {
	Steps       int           // completions in one query: 50
	ToolCalls   int           // in one query: 200
	ToolRetries int           // failures of one tool with the same arguments, over the life of the agent: 3; the next one stops it
	ResultBytes int           // of one tool result, cut with a note beyond: 64 KiB
	Tokens      int64         // input and output together in one query, looked at before each completion: no limit
	Time        time.Duration // of one query: no limit
	Parallel    int           // tool calls of one answer at the same time: 8
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Steps:       cmp.Or(l.Steps, 50),
		ToolCalls:   cmp.Or(l.ToolCalls, 200),
		ToolRetries: cmp.Or(l.ToolRetries, 3),
		ResultBytes: cmp.Or(l.ResultBytes, 64<<10),
		Tokens:      cmp.Or(l.Tokens, -1),
		Time:        cmp.Or(l.Time, -1),
		Parallel:    cmp.Or(l.Parallel, 8),
	}
}

// reached says whether n uses up a limit.
func reached[N int | int64](n, limit N) bool { return limit >= 0 && n >= limit }

// An Agent is a conversation with a model that may call tools. One query runs at
// a time; every other method is safe for concurrent use.
type Agent struct {
	opts Options

	// Only the running query touches these.
	started  bool
	tools    toolset        // its own ones before the start
	failures map[string]int // of tool calls, by callKey
	text     string         // of the last answer in this query

	mu      sync.Mutex // guards the rest
	state   State
	history []Message
	usage   Usage
	calls   int        // of code that is not ours and has not returned
	idle    *sync.Cond // calls came down to zero
}

// New makes an agent in the pending state. It contacts nobody.
func New(opts Options) (*Agent, error) {
	if opts.Model == nil {
		return nil, errors.New("new agent: no model given")
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.Logger = opts.Logger.With("agent", cmp.Or(opts.Name, "agent"))
	opts.Limits = opts.Limits.withDefaults()
	if err := checkHistory(opts.History); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	opts.Toolboxes = slices.Clone(opts.Toolboxes)
	if i := slices.Index(opts.Toolboxes, nil); i >= 0 {
		return nil, fmt.Errorf("new agent: toolbox %d is nil", i+1)
	}
	if !opts.WithoutStop {
		opts.Tools = append(slices.Clone(opts.Tools), stopTool)
	}
	own, err := listed(opts.Tools)
	if err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	a := &Agent{
		opts:     opts,
		tools:    toolset(nil).with(own, opts.Logger),
		failures: map[string]int{},
		history:  cloneMessages(opts.History),
	}
	a.idle = sync.NewCond(&a.mu)
	return a, nil
}

// Query adds prompt to the conversation and runs until the model has nothing
// more to do, a tool stops the agent, or a limit is reached. Reaching a limit is
// no error: Result.Reason says so. An empty prompt adds nothing and continues
// from where the conversation stands. A Query while another one runs, also from
// a tool or a hook, is refused with ErrRunning.
//
// On the first start it runs the BeforeAll hook, adds the system prompt, and
// lists the toolboxes. When listing fails, the error matches
// ErrToolboxFailedToLoad, and the next Query starts again from the beginning.
//
// An error of the model or of a hook ends the query and is wrapped. Result then
// holds nothing but the usage, unless the hook was OnStop. The history stays valid,
// and another Query continues from it.
//
// When ctx ends, so does Query, with an error that matches ctx.Err(), unless it has
// its result at that time: a last answer, or a tool that stops it. The model,
// tools, toolboxes and hooks see the end of their context, and Query waits a
// quarter of a second for them to return. What still runs then is left behind,
// since nothing can end it: it is logged, what it returns is dropped, and
// [Agent.Wait] waits for it. So it is when Limits.Time is over.
func (a *Agent) Query(ctx context.Context, prompt string) (Result, error) {
	return a.query(ctx, prompt, a.opts.Limits.Steps)
}

// QueryOnce is Query for at most one completion and the tools that it asks for.
// When these did not end the query, Result.Reason is StepLimit.
func (a *Agent) QueryOnce(ctx context.Context, prompt string) (Result, error) {
	return a.query(ctx, prompt, 1)
}

// Wait returns when no model, tool, toolbox or hook is being called any more. That
// is so at the end of every Query, unless its context ended, its time was over, or
// a hook failed while tools were running.
func (a *Agent) Wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.calls > 0 {
		a.idle.Wait()
	}
}

// History returns a copy of the messages so far.
func (a *Agent) History() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cloneMessages(a.history)
}

// State returns where the agent stands.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// Usage returns the sum over all completions so far.
func (a *Agent) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}
