package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

func asked(id, name string) agent.ToolCall {
	return agent.ToolCall{ID: id, Name: name, Arguments: json.RawMessage("{}")}
}

func user(text string) agent.Message { return agent.Message{Role: agent.RoleUser, Text: text} }

func assistant(text string, calls ...agent.ToolCall) agent.Message {
	return agent.Message{Role: agent.RoleAssistant, Text: text, ToolCalls: calls}
}

func answer(c agent.ToolCall, text string) agent.Message {
	return agent.Message{Role: agent.RoleTool, Text: text, ToolCall: &c}
}

func TestSavedHistoryIsContinued(t *testing.T) {
	opts := agent.Options{System: "be brief", Tools: []agent.Tool{echoTool("add")}}
	first := newAgent(t, agenttest.NewScript(ask(call("add", `{"a": 1}`)), say("one")), opts)
	query(t, first, "what is one?")
	saved, err := json.Marshal(first.History())
	if err != nil {
		t.Fatal(err)
	}

	if err := json.Unmarshal(saved, &opts.History); err != nil {
		t.Fatal(err)
	}
	model := agenttest.NewScript(say("two"))
	second := newAgent(t, model, opts)
	if diff := cmp.Diff(first.History(), second.History()); diff != "" {
		t.Errorf("history after loading (-want +got):\n%s", diff)
	}
	query(t, second, "and two?")
	want := append(first.History(), user("and two?"))
	if diff := cmp.Diff(want, model.Requests()[0].Messages); diff != "" {
		t.Errorf("messages of the request (-want +got):\n%s", diff)
	}
}

func TestSystemPromptStandsOnceInAContinuedHistory(t *testing.T) {
	system := func(text string) agent.Message { return agent.Message{Role: agent.RoleSystem, Text: text} }
	for _, test := range []struct {
		name, system string
		history      []agent.Message
		want         string
	}{
		{"saved without one", "new", []agent.Message{user("hi")}, "system: new|user: hi|user: go|assistant: done"},
		{"the same", "old", []agent.Message{system("old"), user("hi")}, "system: old|user: hi|user: go|assistant: done"},
		{"another", "new", []agent.Message{system("old"), user("hi")}, "system: new|user: hi|user: go|assistant: done"},
		{"none now", "", []agent.Message{system("old"), user("hi")}, "system: old|user: hi|user: go|assistant: done"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t, agenttest.NewScript(say("done")), agent.Options{System: test.system, History: test.history})
			query(t, a, "go")
			if got := strings.Join(transcript(a.History()), "|"); got != test.want {
				t.Errorf("history %q, want %q", got, test.want)
			}
		})
	}
}

func TestOpenToolCallsOfAHistoryAreAnsweredAsInterrupted(t *testing.T) {
	a, b, c := asked("1", "a"), asked("2", "b"), asked("3", "c")
	const cut = "interrupted: the query ended before this call answered; it may or may not have taken effect"
	interrupted := func(name string) string { return "tool error " + name + ": " + cut }
	for _, test := range []struct {
		name    string
		history []agent.Message
		want    []string
	}{
		{"none answered", []agent.Message{user("hi"), assistant("", a, b)},
			[]string{"user: hi", "assistant -> a{} -> b{}", interrupted("a"), interrupted("b"), "user: go"}},
		{"some answered", []agent.Message{user("hi"), assistant("", a, b, c), answer(b, "B")},
			[]string{"user: hi", "assistant -> a{} -> b{} -> c{}", "tool b: B", interrupted("a"), interrupted("c"), "user: go"}},
		{"all answered", []agent.Message{user("hi"), assistant("", a, b), answer(a, "A"), answer(b, "B")},
			[]string{"user: hi", "assistant -> a{} -> b{}", "tool a: A", "tool b: B", "user: go"}},
		{"a hole further up", []agent.Message{user("hi"), assistant("", a, b), answer(a, "A"), user("still there?"), assistant("yes")},
			[]string{"user: hi", "assistant -> a{} -> b{}", "tool a: A", interrupted("b"), "user: still there?", "assistant: yes", "user: go"}},
		{"ids used again", []agent.Message{user("hi"), assistant("", a), answer(a, "A"), assistant("", a)},
			[]string{"user: hi", "assistant -> a{}", "tool a: A", "assistant -> a{}", interrupted("a"), "user: go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := agenttest.NewScript(say("done"))
			agent := newAgent(t, model, agent.Options{History: test.history})
			query(t, agent, "go")
			if diff := cmp.Diff(test.want, transcript(model.Requests()[0].Messages)); diff != "" {
				t.Errorf("messages of the request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunCutOffAnywhereIsContinued(t *testing.T) {
	tools := []agent.Tool{echoTool("add"), failingTool("saw")}
	first := newAgent(t, agenttest.NewScript(
		ask(call("add", ""), call("saw", ""), call("add", `{"a":1}`)), ask(call("hammer", "")), say("done"),
	), agent.Options{System: "be brief", Tools: tools})
	query(t, first, "go")
	history := first.History()
	for n := range len(history) + 1 {
		a := newAgent(t, agenttest.NewScript(say("done again")), agent.Options{Tools: tools, History: history[:n]})
		query(t, a, "on")
		continued := a.History()
		checkEveryCallIsAnswered(t, continued)
		if diff := cmp.Diff(transcript(history[:n]), transcript(continued[:n])); diff != "" {
			t.Errorf("the first %d messages (-want +got):\n%s", n, diff)
		}
	}
}

func TestHistoryThatNoRunLeavesIsRefused(t *testing.T) {
	a := asked("1", "a")
	for _, test := range []struct {
		name    string
		history []agent.Message
		want    string
	}{
		{"unknown role", []agent.Message{user("hi"), {Role: "critic", Text: "bad"}}, `message 2 of the history has the unknown role "critic"`},
		{"no role", []agent.Message{{Text: "hi"}}, `message 1 of the history has the unknown role ""`},
		{"result of nothing", []agent.Message{{Role: agent.RoleTool, Text: "A"}}, "message 1 of the history is a tool's, but names no tool call"},
		{"result without its call", []agent.Message{user("hi"), answer(a, "A")}, `message 2 of the history answers a tool call "1"`},
		{"second result", []agent.Message{user("hi"), assistant("", a), answer(a, "A"), answer(a, "A")}, `message 4 of the history answers a tool call "1"`},
		{"late result", []agent.Message{assistant("", a), user("hi"), answer(a, "A")}, `message 3 of the history answers a tool call "1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := agent.New(agent.Options{Model: agenttest.Echo{}, History: test.history})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestMessagesGoToJSONAndBack(t *testing.T) {
	broken := agent.ToolCall{ID: "1", Name: "a", Arguments: json.RawMessage(`{"a": <b> "`)}
	spaced := agent.ToolCall{ID: "2", Name: "b", Arguments: json.RawMessage(` { "a" : 1.0 } `)}
	messages := []agent.Message{
		{Role: agent.RoleSystem, Text: "<be> & brief\u2028"},
		assistant("two", broken, spaced, agent.ToolCall{ID: "3", Name: "c"}),
		{Role: agent.RoleTool, Text: "no", ToolCall: &broken, IsError: true},
		answer(spaced, "yes"),
	}
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	var back []agent.Message
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(messages, back); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestModelTextThatIsNotUTF8IsMadeSo(t *testing.T) {
	model := agenttest.NewScript(agenttest.Answer(assistant("a\xffb", agent.ToolCall{Name: "x\xff", Arguments: json.RawMessage("{\"\xff\":1}")})), say("done"))
	a := newAgent(t, model, agent.Options{})
	query(t, a, "go\xff")
	history := a.History()
	data, err := json.Marshal(history)
	if err != nil {
		t.Fatal(err)
	}
	var back []agent.Message
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(history, back); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestHistoryIsACopy(t *testing.T) {
	a := newAgent(t, agenttest.NewScript(ask(call("add", "{}")), say("done")), agent.Options{Tools: []agent.Tool{echoTool("add")}})
	query(t, a, "go")
	want := transcript(a.History())
	history := a.History()
	history[0].Text = "changed"
	history[1].ToolCalls[0].Arguments[0] = 'x'
	history[2].ToolCall.Name = "changed"
	if diff := cmp.Diff(want, transcript(a.History())); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
