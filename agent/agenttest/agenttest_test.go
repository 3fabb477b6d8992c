package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

func request(text string) agent.Request {
	return agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: text}}}
}

func TestScriptPlaysItsTurnsAndKeepsTheRequests(t *testing.T) {
	broken := errors.New("broken")
	script := agenttest.NewScript(
		agenttest.Cost(agenttest.Say("one"), 3, 1),
		agenttest.Ask(agenttest.Call("add", `{"a":1}`)),
		agenttest.Fail(broken),
		func(_ context.Context, req agent.Request) (agent.Response, error) {
			return agent.Response{Message: agent.Message{Text: "you said " + req.Messages[0].Text}}, nil
		},
	)
	for i, check := range []func(agent.Response, error) bool{
		func(r agent.Response, err error) bool {
			return err == nil && r.Message.Text == "one" && r.Usage == agent.Usage{Requests: 1, InputTokens: 3, OutputTokens: 1}
		},
		func(r agent.Response, err error) bool {
			return err == nil && r.Message.Role == agent.RoleAssistant && r.Message.ToolCalls[0].Name == "add"
		},
		func(_ agent.Response, err error) bool { return errors.Is(err, broken) },
		func(r agent.Response, err error) bool { return err == nil && r.Message.Text == "you said 3" },
	} {
		if r, err := script.Complete(t.Context(), request(fmt.Sprint(i))); !check(r, err) {
			t.Errorf("turn %d: %+v, error %v", i, r, err)
		}
	}
	var got []string
	for _, req := range script.Requests() {
		got = append(got, req.Messages[0].Text)
	}
	if diff := cmp.Diff([]string{"0", "1", "2", "3"}, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestScriptThatIsUsedUpSaysWhatWasAsked(t *testing.T) {
	script := agenttest.NewScript(agenttest.Say("one"))
	if _, err := script.Complete(t.Context(), request("first")); err != nil {
		t.Fatal(err)
	}
	_, err := script.Complete(t.Context(), request("second"))
	if want := "request 2 to a script of 1 turns:\n[user]\nsecond\n"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if n := len(script.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestAlwaysAnswersSideBySide(t *testing.T) {
	const n = 50
	var all, arrived sync.WaitGroup
	arrived.Add(n)
	model := agenttest.Always(func(_ context.Context, req agent.Request) (agent.Response, error) {
		arrived.Done()
		arrived.Wait() // every request is here before the first is answered
		return agent.Response{Message: req.Messages[0]}, nil
	})
	for i := range n {
		all.Go(func() {
			want := fmt.Sprint(i)
			if r, err := model.Complete(t.Context(), request(want)); err != nil || r.Message.Text != want {
				t.Errorf("request %d: %q, error %v", i, r.Message.Text, err)
			}
		})
	}
	all.Wait()
	if got := len(model.Requests()); got != n {
		t.Errorf("%d requests, want %d", got, n)
	}
}

func TestTextIsStreamedWordByWord(t *testing.T) {
	for name, model := range map[string]agent.Model{
		"script": agenttest.NewScript(agenttest.Say("[user]\nword by word\n")),
		"echo":   agenttest.Echo{},
	} {
		var pieces []string
		req := request("word by word")
		req.OnDelta = func(text string) { pieces = append(pieces, text) }
		resp, err := model.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(pieces, ""); got != resp.Message.Text || len(pieces) != 3 {
			t.Errorf("%s: pieces %q of %q", name, pieces, resp.Message.Text)
		}
	}
}

// An echo shows the exact prompt that a program sends.
func ExampleEcho() {
	call := agenttest.Call("read", `{"path":"README"}`)
	a, err := agent.New(agent.Options{
		Model:  agenttest.Echo{},
		System: "Be brief.",
		History: []agent.Message{
			{Role: agent.RoleUser, Text: "What is in the README?"},
			{Role: agent.RoleAssistant, Text: "I look.", ToolCalls: []agent.ToolCall{call}},
			{Role: agent.RoleTool, Text: "no such file", ToolCall: &call, IsError: true},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Query(context.Background(), "And now?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Text)
	// Output:
	// [tool stop] Call this when the task is done and nothing is left to do.
	// {"type":"object","properties":{},"additionalProperties":false}
	// [system]
	// Be brief.
	// [user]
	// What is in the README?
	// [assistant]
	// I look.
	// -> read {"path":"README"}
	// [error of read]
	// no such file
	// [user]
	// And now?
}
