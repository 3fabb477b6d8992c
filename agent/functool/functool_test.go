package functool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
	"release-notes-agent/agent/functool"
)

type inner struct {
	Name string `json:"name" jsonschema:"what it is called"`
}

type input struct {
	Text  string   `json:"text" jsonschema:"what to do"`
	Count int      `json:"count,omitempty"`
	Ratio float64  `json:"ratio,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Inner *inner   `json:"inner,omitempty"`
	Quiet bool     `json:"-"`
}

func TestSchemaComesFromTheStruct(t *testing.T) {
	tool, err := functool.New("do", "does it", func(context.Context, input) (agent.ToolOutput, error) {
		return agent.ToolOutput{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	spec := tool.Spec()
	if spec.Name != "do" || spec.Description != "does it" {
		t.Errorf("name %q, description %q", spec.Name, spec.Description)
	}
	const want = `{
		"type": "object",
		"properties": {
			"text":  {"type": "string", "description": "what to do"},
			"count": {"type": "integer"},
			"ratio": {"type": "number"},
			"tags":  {"type": ["null", "array"], "items": {"type": "string"}},
			"inner": {
				"type": ["null", "object"],
				"properties": {"name": {"type": "string", "description": "what it is called"}},
				"required": ["name"],
				"additionalProperties": false
			}
		},
		"required": ["text"],
		"additionalProperties": false
	}`
	if diff := cmp.Diff(parse(t, want), parse(t, string(spec.Parameters))); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestToolWithoutArgumentsHasAnObjectSchema(t *testing.T) {
	tool, err := functool.New("now", "tells the time", func(context.Context, struct{}) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "late"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, `{"type": "object", "properties": {}, "additionalProperties": false}`)
	if diff := cmp.Diff(want, parse(t, string(tool.Spec().Parameters))); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if out, err := tool.Call(t.Context(), nil); err != nil || out.Text != "late" {
		t.Errorf("called without arguments: %q, error %v", out.Text, err)
	}
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestArgumentsAreDecoded(t *testing.T) {
	var got input
	tool, err := functool.New("do", "does it", func(_ context.Context, in input) (agent.ToolOutput, error) {
		got = in
		return agent.ToolOutput{Text: "did " + in.Text}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const arguments = ` {"text":"café\n","count":9007199254740993,"ratio":1e2,"tags":["a"],"inner":{"name":"x"}} `
	out, err := tool.Call(t.Context(), json.RawMessage(arguments))
	if err != nil || out.Text != "did café\n" {
		t.Errorf("result %q, error %v", out.Text, err)
	}
	want := input{Text: "café\n", Count: 9007199254740993, Ratio: 100, Tags: []string{"a"}, Inner: &inner{Name: "x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestWrongArgumentsDoNotReachTheFunction(t *testing.T) {
	tool, err := functool.New("do", "does it", func(_ context.Context, in input) (agent.ToolOutput, error) {
		t.Errorf("called with %+v", in)
		return agent.ToolOutput{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, arguments, want string }{
		{"missing", `{}`, "text"},
		{"nothing", ``, "text"},
		{"of another type", `{"text":1}`, "string"},
		{"null", `{"text":null}`, "string"},
		{"unknown", `{"text":"a","txt":"b"}`, "txt"},
		{"in capitals", `{"TEXT":"a"}`, "TEXT"},
		{"hidden field", `{"text":"a","Quiet":true}`, "Quiet"},
		{"deep", `{"text":"a","inner":{"name":[]}}`, "string"},
		{"fraction", `{"text":"a","count":1.5}`, "integer"},
		{"number too large for the field", `{"text":"a","count":1e30}`, "count"},
		{"number too large for Go", `{"text":"a","ratio":1e999}`, "1e999"},
		{"not an object", `["a"]`, "array"},
		{"null as a whole", `null`, "not a JSON object"},
		{"broken", `{"text":`, "JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := tool.Call(t.Context(), json.RawMessage(test.arguments))
			if err == nil || !strings.HasPrefix(err.Error(), "wrong arguments: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want wrong arguments and %q", err, test.want)
			}
		})
	}
}

func TestErrorOfTheFunctionIsTheTools(t *testing.T) {
	broken := errors.New("broken")
	tool, err := functool.New("do", "does it", func(context.Context, struct{}) (agent.ToolOutput, error) {
		return agent.ToolOutput{}, broken
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Call(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestTypesWithoutAnObjectSchemaAreRefused(t *testing.T) {
	for name, err := range map[string]error{
		"string":  newOf[string](),
		"slice":   newOf[[]string](),
		"pointer": newOf[*input](),
		"any":     newOf[any](),
		"channel": newOf[struct{ C chan int }](),
		"cycle":   newOf[list](),
	} {
		if err == nil || !strings.Contains(err.Error(), `tool "do"`) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := newOf[struct{ At time.Time }](); err != nil {
		t.Errorf("time: %v", err)
	}
}

type list struct{ Next *list }

func newOf[In any]() error {
	_, err := functool.New("do", "does it", func(context.Context, In) (agent.ToolOutput, error) {
		return agent.ToolOutput{}, nil
	})
	return err
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"text":"a","count":1}`)
	f.Add(`{"text":"a","text":null}`)
	f.Add(`{"text":"a","tags":null,"inner":null}`)
	f.Add(``)
	tool, err := functool.New("do", "does it", func(_ context.Context, in input) (agent.ToolOutput, error) {
		text, err := json.Marshal(in)
		return agent.ToolOutput{Text: string(text)}, err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		out, err := tool.Call(t.Context(), json.RawMessage(arguments))
		if err != nil {
			return
		}
		again, err := tool.Call(t.Context(), json.RawMessage(out.Text))
		if err != nil || again.Text != out.Text {
			t.Errorf("%q was decoded as %s, and that as %s (error %v)", arguments, out.Text, again.Text, err)
		}
	})
}

func ExampleNew() {
	type question struct {
		City string `json:"city" jsonschema:"name of the city in English"`
		Days int    `json:"days,omitempty" jsonschema:"how far to look ahead, today when left out"`
	}
	weather, err := functool.New("weather", "Tells the weather.", func(_ context.Context, q question) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: fmt.Sprintf("rain in %s in %d days", q.City, q.Days)}, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	model := agenttest.NewScript(
		agenttest.Ask(agenttest.Call("weather", `{"town":"Bath"}`), agenttest.Call("weather", `{"city":"Bath","days":2}`)),
		agenttest.Say("Take an umbrella."),
	)
	a, err := agent.New(agent.Options{Model: model, Tools: []agent.Tool{weather}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Query(context.Background(), "What shall I pack?"); err != nil {
		log.Fatal(err)
	}
	for _, message := range a.History() {
		if message.Role == agent.RoleTool {
			fmt.Println(message.Text)
		}
	}
	// Output:
	// wrong arguments: validating root: unexpected additional properties ["town"]
	// rain in Bath in 2 days
}
