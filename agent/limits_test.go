package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// endless is a model that never stops asking for the tool add.
var endless = agenttest.Cost(ask(call("add", "{}")), 70, 30)

func TestStepLimit(t *testing.T) {
	for _, test := range []struct{ limit, want int }{{0, 50}, {1, 1}, {7, 7}} {
		model := agenttest.Always(endless)
		a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("add")}, Limits: agent.Limits{Steps: test.limit}})
		if got := query(t, a, "go").Reason; got != agent.StepLimit {
			t.Errorf("limit %d: reason %q", test.limit, got)
		}
		if got := len(model.Requests()); got != test.want {
			t.Errorf("limit %d: %d requests, want %d", test.limit, got, test.want)
		}
		if got := len(results(a)); got != test.want {
			t.Errorf("limit %d: %d results: the tools of the last step must run", test.limit, got)
		}
		query(t, a, "")
		if got := len(model.Requests()); got != 2*test.want {
			t.Errorf("limit %d: the next query stopped after %d requests", test.limit, got)
		}
	}
}

func TestToolCallLimit(t *testing.T) {
	for _, test := range []struct {
		name   string
		limit  int
		asked  []int // calls of each answer
		ran    int
		reason agent.StopReason
	}{
		{"up to the limit", 3, []int{2, 1}, 3, agent.Done},
		{"in one answer", 3, []int{5}, 3, agent.ToolCallLimit},
		{"over several answers", 3, []int{2, 2}, 3, agent.ToolCallLimit},
		{"at the border", 3, []int{3, 1}, 3, agent.ToolCallLimit},
		{"default", 0, []int{100, 100, 1}, 200, agent.ToolCallLimit},
		{"none", -1, []int{100, 100, 100}, 300, agent.Done},
	} {
		t.Run(test.name, func(t *testing.T) {
			var turns []agenttest.Turn
			for _, n := range test.asked {
				calls := make([]agent.ToolCall, n)
				for i := range calls {
					calls[i] = call("add", "{}")
				}
				turns = append(turns, ask(calls...))
			}
			a := newAgent(t, agenttest.NewScript(append(turns, say("done"))...),
				agent.Options{Tools: []agent.Tool{echoTool("add")}, Limits: agent.Limits{ToolCalls: test.limit}})
			if got := query(t, a, "go").Reason; got != test.reason {
				t.Errorf("reason %q, want %q", got, test.reason)
			}
			ran := 0
			for _, text := range results(a) {
				if text == "add{}" {
					ran++
				} else if text != "not run: the limit of 3 tool calls is reached" && test.limit == 3 {
					t.Errorf("result %q", text)
				}
			}
			if ran != test.ran {
				t.Errorf("%d calls ran, want %d", ran, test.ran)
			}
			checkEveryCallIsAnswered(t, a.History())
		})
	}
}

func TestTokenLimit(t *testing.T) {
	for _, test := range []struct {
		limit    int64
		requests int
	}{{1, 1}, {100, 1}, {101, 2}, {250, 3}} {
		model := agenttest.Always(endless)
		a := newAgent(t, model, agent.Options{Tools: []agent.Tool{echoTool("add")}, Limits: agent.Limits{Tokens: test.limit}})
		for range 2 { // the limit is one of each query
			before := len(model.Requests())
			if got := query(t, a, "go").Reason; got != agent.TokenLimit {
				t.Errorf("limit %d: reason %q", test.limit, got)
			}
			if got := len(model.Requests()) - before; got != test.requests {
				t.Errorf("limit %d: %d requests, want %d", test.limit, got, test.requests)
			}
		}
		checkEveryCallIsAnswered(t, a.History())
	}
}

func TestAnswerThatUsesUpTheTokensIsStillTheAnswer(t *testing.T) {
	a := newAgent(t, agenttest.NewScript(agenttest.Cost(say("long"), 900, 900)), agent.Options{Limits: agent.Limits{Tokens: 1000}})
	if got := query(t, a, "go"); got.Reason != agent.Done || got.Text != "long" {
		t.Errorf("result %+v", got)
	}
}

func TestTimeLimitEndsTheQueryEverywhere(t *testing.T) {
	for _, place := range places {
		if place.name == "OnStop" {
			continue // runs after the query, and without its time limit
		}
		t.Run(place.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model, opts := place.make(func(ctx context.Context) error {
					<-ctx.Done()
					return errors.New("an error of its own")
				})
				var j journal
				opts.Hooks.OnStop = func(ctx context.Context, r agent.Result) error {
					j.add("OnStop %s", r.Reason)
					return ctx.Err() // not the one whose time is over
				}
				opts.Limits.Time = time.Minute
				a := newAgent(t, model, opts)
				begin := time.Now()
				result := query(t, a, "go")
				if result.Reason != agent.TimeLimit || result.Err == nil {
					t.Errorf("result %+v", result)
				}
				if got := time.Since(begin); got != time.Minute {
					t.Errorf("took %v", got)
				}
				if diff := cmp.Diff([]string{"OnStop time limit"}, j.all()); diff != "" {
					t.Errorf("hooks (-want +got):\n%s", diff)
				}
				checkEveryCallIsAnswered(t, a.History())
			})
		})
	}
}

func TestTimeLimitEndsManyShortSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newTool("add", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			time.Sleep(time.Second)
			return agent.ToolOutput{}, nil
		})
		a := newAgent(t, agenttest.Always(endless), agent.Options{
			Tools: []agent.Tool{slow}, Limits: agent.Limits{Steps: -1, ToolCalls: -1, Time: 90*time.Second + time.Second/2},
		})
		if got := query(t, a, "go").Reason; got != agent.TimeLimit {
			t.Errorf("reason %q", got)
		}
		if got := len(results(a)); got != 91 { // the last one is interrupted
			t.Errorf("%d results", got)
		}
		a.Wait()
	})
}

func TestTextIsNotThatOfAnEarlierQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ agent.Request) (agent.Response, error) {
			<-ctx.Done()
			return agent.Response{}, ctx.Err()
		}
		a := newAgent(t, agenttest.NewScript(say("early"), waits), agent.Options{Limits: agent.Limits{Time: time.Minute}})
		query(t, a, "first")
		if got := query(t, a, "second"); got.Reason != agent.TimeLimit || got.Text != "" {
			t.Errorf("result %+v", got)
		}
	})
}

func TestDeadlineOfTheCallerIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ agent.Request) (agent.Response, error) {
			<-ctx.Done()
			return agent.Response{}, ctx.Err()
		}
		a := newAgent(t, agenttest.NewScript(waits), agent.Options{Limits: agent.Limits{Time: time.Hour}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := a.Query(ctx, "go")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if diff := cmp.Diff(agent.Result{Usage: agent.Usage{Requests: 1}}, result); diff != "" {
			t.Errorf("result (-want +got):\n%s", diff)
		}
	})
}
