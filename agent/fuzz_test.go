package agent_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// FuzzAnswerOfAModel lets a model say anything. Whatever it is, the tool sees a JSON
// object, the history stays one that a model accepts, and goes to JSON and back.
func FuzzAnswerOfAModel(f *testing.F) {
	f.Add("text", "id", "add", `{"a":1}`)
	f.Add("", "", "add", "")
	f.Add("\xff", "\xff", "\xff", "\xff")
	f.Add("", "call_1_2", "nothing", `{"a":`)
	f.Add("", "1", "add", `{"n":[1,1.0,1e999,-0,{"a":null,"a":2}]}`)
	f.Add("", "1", "add", "[]")
	f.Add("", "1", "fixed", `{"Owner":"eve","x":"\ud800"}`)
	f.Fuzz(func(t *testing.T, text, id, name, arguments string) {
		add := newTool("add", func(_ context.Context, got json.RawMessage) (agent.ToolOutput, error) {
			if !json.Valid(got) || got[0] != '{' {
				t.Errorf("tool called with %q", got)
			}
			return agent.ToolOutput{Text: string(got)}, nil
		})
		fixed := agent.FixArguments(agent.Tools{agent.NewTool(agent.ToolSpec{
			Name: "fixed", Parameters: json.RawMessage(`{"type":"object","properties":{"owner":{}}}`),
		}, add.Call)}, map[string]any{"owner": "ann"})
		c := agent.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
		turn := agenttest.Answer(agent.Message{Text: text, ToolCalls: []agent.ToolCall{c, c}})
		a := newAgent(t, agenttest.Always(turn), agent.Options{
			Tools: []agent.Tool{add}, Toolboxes: []agent.Toolbox{fixed},
			Limits: agent.Limits{Steps: 3, ToolRetries: 2, ResultBytes: 50},
		})
		query(t, a, "go")
		history := a.History()
		checkEveryCallIsAnswered(t, history)
		for _, m := range history {
			if !utf8.ValidString(m.Text) {
				t.Errorf("text %q is not UTF-8", m.Text)
			}
		}
		data, err := json.Marshal(history)
		if err != nil {
			t.Fatal(err)
		}
		var back []agent.Message
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(history, back); diff != "" {
			t.Errorf("history through JSON (-want +got):\n%s", diff)
		}
		if _, err := agent.New(agent.Options{Model: agenttest.Echo{}, History: back}); err != nil {
			t.Error(err)
		}
	})
}

// FuzzToolRetries holds the comparison of arguments against that of encoding/json:
// an object and its indented copy are the same call.
func FuzzToolRetries(f *testing.F) {
	f.Add(`{"a":1,"b":[true,null,"x"]}`)
	f.Add(`{"n":1.50,"m":1e2}`)
	f.Add(`{"é":"é"}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		if !utf8.ValidString(arguments) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
			return
		}
		spaced, err := json.MarshalIndent(object, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		a := newAgent(t, agenttest.NewScript(ask(call("saw", arguments), call("saw", string(spaced)))), agent.Options{
			Tools: []agent.Tool{failingTool("saw")}, Limits: agent.Limits{ToolRetries: 1},
		})
		if got := query(t, a, "go").Reason; got != agent.ToolRetryLimit {
			t.Errorf("%s and %s are taken for different calls", arguments, spaced)
		}
	})
}
