package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// patience is how long Query waits for code that ignores the end of its context.
const patience = 250 * time.Millisecond

// places are all those in which code that is not the agent's can hang: each makes
// an agent that calls f there.
var places = []struct {
	name string
	make func(f func(context.Context) error) (agent.Model, agent.Options)
}{
	{"model", func(f func(context.Context) error) (agent.Model, agent.Options) {
		return agenttest.Always(func(ctx context.Context, req agent.Request) (agent.Response, error) {
			if err := f(ctx); err != nil {
				return agent.Response{}, err
			}
			return answerOnce(ctx, req)
		}), agent.Options{Tools: []agent.Tool{echoTool("add")}}
	}},
	{"tool", func(f func(context.Context) error) (agent.Model, agent.Options) {
		tool := newTool("add", func(ctx context.Context, _ json.RawMessage) (agent.ToolOutput, error) {
			return agent.ToolOutput{Text: "added"}, f(ctx)
		})
		return agenttest.Always(answerOnce), agent.Options{Tools: []agent.Tool{tool}}
	}},
	{"toolbox", func(f func(context.Context) error) (agent.Model, agent.Options) {
		box := agent.ToolboxFunc(func(ctx context.Context) ([]agent.Tool, error) {
			return []agent.Tool{echoTool("add")}, f(ctx)
		})
		return agenttest.Always(answerOnce), agent.Options{Toolboxes: []agent.Toolbox{box}}
	}},
	{"BeforeAll", hooked(func(f func(context.Context) error) agent.Hooks { return agent.Hooks{BeforeAll: f} })},
	{"OnStart", hooked(func(f func(context.Context) error) agent.Hooks { return agent.Hooks{OnStart: f} })},
	{"BeforeCompletion", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{BeforeCompletion: func(ctx context.Context, _ *agent.Request) error { return f(ctx) }}
	})},
	{"AfterCompletion", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{AfterCompletion: func(ctx context.Context, _ *agent.Response) error { return f(ctx) }}
	})},
	{"BeforeTool", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{BeforeTool: func(ctx context.Context, _ agent.ToolCall) error { return f(ctx) }}
	})},
	{"AfterTool", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{AfterTool: func(ctx context.Context, _ agent.ToolCall, _ *agent.ToolOutput, _ *error) error { return f(ctx) }}
	})},
	{"OnNewMessage", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{OnNewMessage: func(ctx context.Context, _ agent.Message) error { return f(ctx) }}
	})},
	{"AfterEach", hooked(func(f func(context.Context) error) agent.Hooks { return agent.Hooks{AfterEach: f} })},
	{"OnStop", hooked(func(f func(context.Context) error) agent.Hooks {
		return agent.Hooks{OnStop: func(ctx context.Context, _ agent.Result) error { return f(ctx) }}
	})},
	{"OnStream", func(f func(context.Context) error) (agent.Model, agent.Options) {
		model := func(ctx context.Context, req agent.Request) (agent.Response, error) {
			resp, err := say("done")(ctx, req)
			return resp, errors.Join(err, ctx.Err())
		}
		hook := func(ctx context.Context, _ string) { _ = f(ctx) }
		return agenttest.Always(model), agent.Options{Hooks: agent.Hooks{OnStream: hook}}
	}},
}

func hooked(hooks func(f func(context.Context) error) agent.Hooks) func(func(context.Context) error) (agent.Model, agent.Options) {
	return func(f func(context.Context) error) (agent.Model, agent.Options) {
		return agenttest.Always(answerOnce), agent.Options{Tools: []agent.Tool{echoTool("add")}, Hooks: hooks(f)}
	}
}

// cancelled runs a query that is cancelled after a minute, and returns how long it
// took to return from then on, and its error.
func cancelled(t *testing.T, a *agent.Agent) (time.Duration, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(time.Minute, cancel)
	begin := time.Now()
	_, err := a.Query(ctx, "go")
	return time.Since(begin) - time.Minute, err
}

func TestCancellationEndsTheQueryEverywhere(t *testing.T) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				waiting := true
				model, opts := place.make(func(ctx context.Context) error {
					if !waiting {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				})
				a := newAgent(t, model, opts)
				late, err := cancelled(t, a)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if late != 0 {
					t.Errorf("returned %v after the end of the context", late)
				}
				a.Wait() // for nothing: whoever honours the context has returned
				waiting = false
				if got := query(t, a, "again").Reason; got != agent.Done {
					t.Errorf("reason of the next query %q", got)
				}
				checkEveryCallIsAnswered(t, a.History())
			})
		})
	}
}

func TestCancellationLeavesBehindWhatIgnoresIt(t *testing.T) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				model, opts := place.make(func(context.Context) error { <-release; return nil })
				a := newAgent(t, model, opts)
				late, err := cancelled(t, a)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if late != patience {
					t.Errorf("returned %v after the end of the context", late)
				}
				history := a.History()

				waited := make(chan struct{})
				go func() { a.Wait(); close(waited) }()
				synctest.Wait()
				select {
				case <-waited:
					t.Error("Wait returned before the call that was left behind")
				default:
				}
				close(release)
				<-waited
				if diff := cmp.Diff(history, a.History()); diff != "" {
					t.Errorf("what was left behind changed the history (-want +got):\n%s", diff)
				}
				if got := query(t, a, "again").Reason; got != agent.Done {
					t.Errorf("reason of the next query %q", got)
				}
				checkEveryCallIsAnswered(t, a.History())
			})
		})
	}
}

func TestNextQueryRunsBesideWhatWasLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hangs := newTool("hang", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			<-release
			return agent.ToolOutput{Text: "at last"}, nil
		})
		a := newAgent(t, agenttest.NewScript(ask(call("hang", "")), ask(call("add", "")), say("done")),
			agent.Options{Tools: []agent.Tool{hangs, echoTool("add")}})
		if _, err := cancelled(t, a); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		query(t, a, "never mind")
		close(release)
		a.Wait()
		want := []string{"interrupted: the query ended before this call answered; it may or may not have taken effect", "add{}"}
		if diff := cmp.Diff(want, results(a)); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

func TestQueryWithAnEndedContextDoesNothing(t *testing.T) {
	var j journal
	model := agenttest.NewScript()
	a := newAgent(t, model, agent.Options{System: "be brief", Hooks: j.allHooks()})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Query(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := j.all(); len(got) > 0 {
		t.Errorf("hooks ran: %v", got)
	}
	if len(a.History()) > 0 || len(model.Requests()) > 0 || a.State() != agent.Pending {
		t.Errorf("history %v, %d requests, state %v", a.History(), len(model.Requests()), a.State())
	}
}

// TestCancellationKeepsTheResultsThatAreThere cancels while one call has answered,
// one is running, and one waits for its turn.
func TestCancellationKeepsTheResultsThatAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := newTool("wait", func(ctx context.Context, _ json.RawMessage) (agent.ToolOutput, error) {
			<-ctx.Done()
			return agent.ToolOutput{}, ctx.Err()
		})
		never := newTool("never", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			t.Error("a call started after the end of the context")
			return agent.ToolOutput{}, nil
		})
		var j journal
		hooks := agent.Hooks{OnNewMessage: j.allHooks().OnNewMessage, AfterTool: j.allHooks().AfterTool}
		a := newAgent(t, agenttest.NewScript(ask(call("add", ""), call("wait", ""), call("never", "")), say("done")), agent.Options{
			Tools: []agent.Tool{echoTool("add"), waits, never}, Hooks: hooks, Limits: agent.Limits{Parallel: 1, ToolRetries: 1},
		})
		if _, err := cancelled(t, a); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		got := results(a)
		if got[0] != "add{}" || !strings.HasPrefix(got[1], "interrupted") || !strings.HasPrefix(got[2], "not run") {
			t.Errorf("results %q", got)
		}
		want := []string{
			"OnNewMessage user", "OnNewMessage assistant", `AfterTool add "add{}" <nil>`,
			"OnNewMessage tool", "OnNewMessage tool", "OnNewMessage tool",
		}
		if diff := cmp.Diff(want, j.all()); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
		checkEveryCallIsAnswered(t, a.History())
	})
}

func TestInterruptedCallsAreNoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := newTool("wait", func(ctx context.Context, _ json.RawMessage) (agent.ToolOutput, error) {
			<-ctx.Done()
			return agent.ToolOutput{}, ctx.Err()
		})
		a := newAgent(t, agenttest.Always(ask(call("wait", ""))), agent.Options{
			Tools: []agent.Tool{waits}, Limits: agent.Limits{ToolRetries: 1, Time: time.Second},
		})
		for range 3 {
			if got := query(t, a, "go").Reason; got != agent.TimeLimit {
				t.Errorf("reason %q", got)
			}
		}
	})
}

func TestNothingStreamsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		talks := func(_ context.Context, req agent.Request) (agent.Response, error) {
			req.OnDelta("early")
			<-release
			req.OnDelta("late")
			return agent.Response{}, nil
		}
		var j journal
		a := newAgent(t, agenttest.NewScript(talks), agent.Options{Hooks: agent.Hooks{OnStream: j.allHooks().OnStream}})
		if _, err := cancelled(t, a); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		close(release)
		a.Wait()
		if diff := cmp.Diff([]string{`OnStream "early"`}, j.all()); diff != "" {
			t.Errorf("stream (-want +got):\n%s", diff)
		}
	})
}

func TestCancelledListingMatchesBothErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := agent.ToolboxFunc(func(ctx context.Context) ([]agent.Tool, error) {
			<-ctx.Done()
			return nil, errors.New("connection closed")
		})
		a := newAgent(t, agenttest.NewScript(), agent.Options{Toolboxes: []agent.Toolbox{box}})
		_, err := cancelled(t, a)
		if !errors.Is(err, agent.ErrToolboxFailedToLoad) || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestResultThatCameBeforeTheEndStands(t *testing.T) {
	for _, reason := range []agent.StopReason{agent.Done, agent.StopByTool} {
		t.Run(string(reason), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			submit := newTool("submit", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
				cancel()
				return agent.ToolOutput{Stop: true}, nil
			})
			model := func(ctx context.Context, req agent.Request) (agent.Response, error) {
				if reason == agent.StopByTool {
					return ask(call("submit", ""))(ctx, req)
				}
				cancel()
				return say("done")(ctx, req)
			}
			a := newAgent(t, agenttest.NewScript(model), agent.Options{Tools: []agent.Tool{submit}})
			result, err := a.Query(ctx, "go")
			if err != nil || result.Reason != reason {
				t.Errorf("result %+v, error %v", result, err)
			}
		})
	}
}
