package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// results returns the texts of the tool messages.
func results(a *agent.Agent) []string {
	var texts []string
	for _, m := range a.History() {
		if m.Role == agent.RoleTool {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

func TestResultsStandInTheOrderAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newTool("slow", func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
			var wait time.Duration
			if err := json.Unmarshal(arguments[len(`{"for":`):len(arguments)-1], &wait); err != nil {
				return agent.ToolOutput{}, err
			}
			time.Sleep(wait * time.Second)
			return agent.ToolOutput{Text: wait.String()}, nil
		})
		var calls []agent.ToolCall
		var want []string
		for i := range 20 {
			wait := (i * 7) % 20
			calls = append(calls, call("slow", fmt.Sprintf(`{"for":%d}`, wait)))
			want = append(want, time.Duration(wait).String())
		}
		a := newAgent(t, agenttest.NewScript(ask(calls...), say("done")), agent.Options{Tools: []agent.Tool{slow}})
		query(t, a, "go")
		if diff := cmp.Diff(want, results(a)); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

func TestCallsRunSideBySideUpToALimit(t *testing.T) {
	for _, test := range []struct{ limit, want int }{{0, 8}, {3, 3}, {1, 1}, {-1, 20}} {
		t.Run(fmt.Sprint(test.limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var now, most int
				count := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					now += n
					most = max(most, now)
				}
				tool := newTool("work", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
					count(1)
					defer count(-1)
					time.Sleep(time.Second)
					return agent.ToolOutput{}, nil
				})
				var calls []agent.ToolCall
				for range 20 {
					calls = append(calls, call("work", "{}"))
				}
				a := newAgent(t, agenttest.NewScript(ask(calls...), say("done")),
					agent.Options{Tools: []agent.Tool{tool}, Limits: agent.Limits{Parallel: test.limit}})
				begin := time.Now()
				query(t, a, "go")
				if most != test.want {
					t.Errorf("%d calls at once, want %d", most, test.want)
				}
				if got, want := time.Since(begin), time.Duration((20+test.want-1)/test.want)*time.Second; got != want {
					t.Errorf("took %v, want %v", got, want)
				}
			})
		})
	}
}

// TestManyToolsSideBySide is for the race detector: tools, hooks and readers of
// the agent all at once.
func TestManyToolsSideBySide(t *testing.T) {
	var a *agent.Agent
	var counted sync.Map
	tool := newTool("work", func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		counted.Store(string(arguments), true)
		runtime.Gosched()
		if len(a.History()) == 0 || a.State() != agent.Running {
			return agent.ToolOutput{}, errors.New("the agent lost its history")
		}
		return agent.ToolOutput{Text: string(arguments)}, nil
	})
	var j journal
	const steps, perStep = 5, 100
	var turns []agenttest.Turn
	var want []string
	for step := range steps {
		var calls []agent.ToolCall
		for i := range perStep {
			arguments := fmt.Sprintf(`{"n":%d}`, step*perStep+i)
			calls = append(calls, call("work", arguments))
			want = append(want, arguments)
		}
		turns = append(turns, ask(calls...))
	}
	a = newAgent(t, agenttest.NewScript(append(turns, say("done"))...), agent.Options{
		Tools: []agent.Tool{tool}, Hooks: j.allHooks(), Limits: agent.Limits{ToolCalls: -1, Parallel: 16},
	})
	reading, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		for reading.Err() == nil {
			_, _, _ = a.History(), a.Usage(), a.State()
			runtime.Gosched()
		}
	})
	query(t, a, "go")
	stop()
	reader.Wait()
	if diff := cmp.Diff(want, results(a)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestFailingToolIsToldToTheModel(t *testing.T) {
	a := newAgent(t, agenttest.NewScript(ask(call("saw", "{}")), say("I see")), agent.Options{Tools: []agent.Tool{failingTool("saw")}})
	query(t, a, "go")
	want := []string{"user: go", "assistant -> saw{}", "tool error saw: saw is out of order", "assistant: I see"}
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestPanicOfAToolIsToldToTheModel(t *testing.T) {
	panics := newTool("saw", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		panic("blade off")
	})
	quits := newTool("quit", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		runtime.Goexit()
		return agent.ToolOutput{}, nil
	})
	a := newAgent(t, agenttest.NewScript(ask(call("saw", "{}"), call("quit", "{}")), say("I see")),
		agent.Options{Tools: []agent.Tool{panics, quits}})
	query(t, a, "go")
	want := []string{"panic: blade off", "its goroutine ended"}
	if diff := cmp.Diff(want, results(a)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestUnknownToolIsAnsweredWithTheNamesThatExist(t *testing.T) {
	a := newAgent(t, agenttest.NewScript(ask(call("hammer", "{}")), say("I see")),
		agent.Options{Tools: []agent.Tool{echoTool("saw")}, Toolboxes: []agent.Toolbox{agent.Tools{echoTool("drill")}}})
	query(t, a, "go")
	want := []string{`there is no tool "hammer"; the tools are: saw, stop, drill`}
	if diff := cmp.Diff(want, results(a)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestArgumentsMustBeAJSONObject(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{"", "got {}"},
		{" \r\n\t", "got {}"},
		{"{}", "got {}"},
		{` { "a" : 1 } `, `got { "a" : 1 }`},
		{"[1]", "wrong arguments: not a JSON object"},
		{"null", "wrong arguments: not a JSON object"},
		{`"{}"`, "wrong arguments: not a JSON object"},
		{"7", "wrong arguments: not a JSON object"},
		{"<tool>", "wrong arguments: not a JSON object"},
		{`{"a":`, "wrong arguments: not valid JSON: unexpected end of JSON input"},
		{`{"a":1}{"b":2}`, "wrong arguments: not valid JSON: invalid character '{' after top-level value"},
		{`{'a':1}`, `wrong arguments: not valid JSON: invalid character '\'' looking for beginning of object key string`},
		{strings.Repeat(`{"a":`, 20_000), "wrong arguments: not valid JSON: invalid character '{' exceeded max depth"},
	} {
		t.Run(fmt.Sprintf("%.20s", test.arguments), func(t *testing.T) {
			tool := newTool("show", func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
				return agent.ToolOutput{Text: "got " + string(arguments)}, nil
			})
			a := newAgent(t, agenttest.NewScript(ask(call("show", test.arguments)), say("done")), agent.Options{Tools: []agent.Tool{tool}})
			query(t, a, "go")
			if got := results(a); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("result %q, want %q", got, test.want)
			}
		})
	}
}

func TestToolRetryLimitStopsTheQuery(t *testing.T) {
	for _, test := range []struct {
		name     string
		limit    int
		failures int // of the tool, before it works
		reason   agent.StopReason
	}{
		{"as often as the default allows", 0, 3, agent.Done},
		{"once more than the default", 0, 4, agent.ToolRetryLimit},
		{"as often as one", 1, 1, agent.Done},
		{"once more than one", 1, 2, agent.ToolRetryLimit},
		{"no limit", -1, 30, agent.Done},
	} {
		t.Run(test.name, func(t *testing.T) {
			failed := 0
			tool := newTool("saw", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
				if failed++; failed <= test.failures {
					return agent.ToolOutput{}, fmt.Errorf("failure %d", failed)
				}
				return agent.ToolOutput{Text: "sawn"}, nil
			})
			saw := ask(call("saw", `{"wood":"oak"}`))
			model := agenttest.Always(func(ctx context.Context, req agent.Request) (agent.Response, error) {
				if failed > test.failures {
					return say("done")(ctx, req)
				}
				return saw(ctx, req)
			})
			a := newAgent(t, model, agent.Options{Tools: []agent.Tool{tool}, Limits: agent.Limits{ToolRetries: test.limit}})
			result := query(t, a, "go")
			if result.Reason != test.reason {
				t.Fatalf("reason %q, want %q", result.Reason, test.reason)
			}
			if result.Reason != agent.ToolRetryLimit {
				return
			}
			last := fmt.Sprintf("failure %d", test.failures)
			if result.Tool != "saw" || string(result.Arguments) != `{"wood":"oak"}` || result.Err == nil || result.Err.Error() != last {
				t.Errorf("result %+v, want tool saw, its arguments and %q", result, last)
			}
			if got := results(a); got[len(got)-1] != last {
				t.Errorf("the model was told %q last, want %q", got[len(got)-1], last)
			}
		})
	}
}

func TestToolRetriesAreCountedByNameAndArguments(t *testing.T) {
	for _, test := range []struct {
		name   string
		calls  []agent.ToolCall
		reason agent.StopReason
	}{
		{"other arguments", []agent.ToolCall{call("saw", `{"n":1}`), call("saw", `{"n":2}`)}, agent.Done},
		{"other tool", []agent.ToolCall{call("saw", `{"n":1}`), call("axe", `{"n":1}`)}, agent.Done},
		{"same value, other spelling", []agent.ToolCall{
			call("saw", `{"a":[1,{"x":"é","y":null}],"n":100}`),
			call("saw", ` { "n" : 1e2, "a" : [ 1.0, { "y":null, "x":"\u00e9" } ] } `),
		}, agent.ToolRetryLimit},
		{"nothing and an empty object", []agent.ToolCall{call("saw", ""), call("saw", "{ }")}, agent.ToolRetryLimit},
		{"big numbers that differ", []agent.ToolCall{call("saw", `{"n":9007199254740993}`), call("saw", `{"n":9007199254740992}`)}, agent.Done},
		{"numbers beyond every float", []agent.ToolCall{call("saw", `{"n":1e999}`), call("saw", `{"n":1e9999}`)}, agent.Done},
		{"a string is no number", []agent.ToolCall{call("saw", `{"n":1}`), call("saw", `{"n":"1"}`)}, agent.Done},
		{"order of elements", []agent.ToolCall{call("saw", `{"n":[1,2]}`), call("saw", `{"n":[2,1]}`)}, agent.Done},
		{"unknown tool", []agent.ToolCall{call("hammer", ""), call("hammer", "")}, agent.ToolRetryLimit},
		{"broken arguments", []agent.ToolCall{call("saw", `{"n":`), call("saw", `{"n":`)}, agent.ToolRetryLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t, agenttest.NewScript(ask(test.calls...), say("done")), agent.Options{
				Tools: []agent.Tool{failingTool("saw"), failingTool("axe")}, Limits: agent.Limits{ToolRetries: 1},
			})
			if got := query(t, a, "go").Reason; got != test.reason {
				t.Errorf("reason %q, want %q", got, test.reason)
			}
		})
	}
}

func TestToolRetriesAreCountedOverTheLifeOfTheAgent(t *testing.T) {
	saw := ask(call("saw", "{}"))
	a := newAgent(t, agenttest.NewScript(saw, say("gave up"), saw), agent.Options{
		Tools: []agent.Tool{failingTool("saw")}, Limits: agent.Limits{ToolRetries: 1},
	})
	if got := query(t, a, "first").Reason; got != agent.Done {
		t.Errorf("reason %q", got)
	}
	if got := query(t, a, "second").Reason; got != agent.ToolRetryLimit {
		t.Errorf("reason %q", got)
	}
}

func TestToolStopsWithItsArguments(t *testing.T) {
	var ran atomic.Int64
	submit := newTool("submit", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "thank you", Stop: true}, nil
	})
	other := newTool("other", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		ran.Add(1)
		return agent.ToolOutput{Text: "ran"}, nil
	})
	model := agenttest.NewScript(ask(call("other", ""), call("submit", `{"notes":"all new"}`), call("submit", `{"notes":"no"}`), call("other", "")))
	a := newAgent(t, model, agent.Options{Tools: []agent.Tool{submit, other}})
	result := query(t, a, "go")
	want := agent.Result{
		Reason: agent.StopByTool, Tool: "submit", Arguments: json.RawMessage(`{"notes":"all new"}`), Output: "thank you",
		Usage: agent.Usage{Requests: 1},
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ran", "thank you", "thank you", "ran"}, results(a)); diff != "" {
		t.Errorf("all tools of the answer run (-want +got):\n%s", diff)
	}
}

func TestStopOfAFailedToolCountsForNothing(t *testing.T) {
	tool := newTool("submit", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Stop: true, Feedback: true}, errors.New("not yet")
	})
	a := newAgent(t, agenttest.NewScript(ask(call("submit", "")), say("done")), agent.Options{Tools: []agent.Tool{tool}})
	if got := query(t, a, "go").Reason; got != agent.Done {
		t.Errorf("reason %q", got)
	}
}

func TestFeedbackStopsAndTheNextQueryContinues(t *testing.T) {
	confirm := newTool("confirm", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "Delete the branch?", Feedback: true}, nil
	})
	a := newAgent(t, agenttest.NewScript(ask(call("confirm", `{"branch":"old"}`)), say("deleted")), agent.Options{Tools: []agent.Tool{confirm}})
	result := query(t, a, "clean up")
	want := agent.Result{
		Reason: agent.NeedsFeedback, Tool: "confirm", Arguments: json.RawMessage(`{"branch":"old"}`), Output: "Delete the branch?",
		Usage: agent.Usage{Requests: 1},
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	query(t, a, "yes, please")
	wantHistory := []string{
		"user: clean up", `assistant -> confirm{"branch":"old"}`, "tool confirm: Delete the branch?",
		"user: yes, please", "assistant: deleted",
	}
	if diff := cmp.Diff(wantHistory, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestResultsAreCutAtTheEndOfACharacter(t *testing.T) {
	for _, test := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"short", "abc", 3, "abc"},
		{"long", "abcd", 3, "abc\n[cut: the first 3 of 4 bytes]"},
		{"inside a character", "ab€d", 4, "ab\n[cut: the first 2 of 6 bytes]"},
		{"behind a character", "ab€d", 5, "ab€\n[cut: the first 5 of 6 bytes]"},
		{"not UTF-8", "a\xff\xfeb", 100, "a\uFFFDb"},
		{"no limit", strings.Repeat("x", 100_000), -1, strings.Repeat("x", 100_000)},
		{"default", strings.Repeat("x", 65_537), 0, strings.Repeat("x", 65_536) + "\n[cut: the first 65536 of 65537 bytes]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool := newTool("read", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
				return agent.ToolOutput{Text: test.text}, nil
			})
			fails := newTool("fail", func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
				return agent.ToolOutput{}, errors.New(test.text)
			})
			a := newAgent(t, agenttest.NewScript(ask(call("read", ""), call("fail", "")), say("done")),
				agent.Options{Tools: []agent.Tool{tool, fails}, Limits: agent.Limits{ResultBytes: test.limit}})
			query(t, a, "go")
			for _, got := range results(a) {
				if got != test.want || !utf8.ValidString(got) {
					t.Errorf("got %.80q, want %.80q", got, test.want)
				}
			}
		})
	}
}

func TestCallsWithoutAnIDOfTheirOwnGetOne(t *testing.T) {
	same := agent.ToolCall{ID: "x", Name: "a"}
	a := newAgent(t, agenttest.NewScript(ask(same, same, agent.ToolCall{Name: "a"}, agent.ToolCall{ID: "call_1_2", Name: "a"}), say("done")),
		agent.Options{Tools: []agent.Tool{echoTool("a")}})
	query(t, a, "go")
	history := a.History()
	seen := map[string]bool{}
	for i, c := range history[1].ToolCalls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("call %d has the id %q", i, c.ID)
		}
		seen[c.ID] = true
		if got := history[2+i].ToolCall.ID; got != c.ID {
			t.Errorf("result %d answers %q, not %q", i, got, c.ID)
		}
	}
}
