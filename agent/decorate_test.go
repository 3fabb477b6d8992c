package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// withSchema is echoTool with a schema.
func withSchema(name, schema string) agent.Tool {
	spec := agent.ToolSpec{Name: name, Description: "for a test", Parameters: json.RawMessage(schema)}
	return agent.NewTool(spec, echoTool(name).Call)
}

func specsOf(t *testing.T, box agent.Toolbox) []agent.ToolSpec {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var specs []agent.ToolSpec
	for _, tool := range tools {
		specs = append(specs, tool.Spec())
	}
	return specs
}

func namesOf(t *testing.T, box agent.Toolbox) []string {
	t.Helper()
	return offered(agent.Request{Tools: specsOf(t, box)})
}

// callIn calls the first tool of a toolbox.
func callIn(t *testing.T, box agent.Toolbox, arguments string) (agent.ToolOutput, error) {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tools[0].Call(t.Context(), json.RawMessage(arguments))
}

func TestFilterKeepsWhatIsWanted(t *testing.T) {
	box := agent.Tools{echoTool("read"), echoTool("write"), echoTool("list")}
	got := namesOf(t, agent.Filter(box, func(spec agent.ToolSpec) bool { return spec.Name != "write" }))
	if diff := cmp.Diff([]string{"read", "list"}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"read", "write", "list"}, namesOf(t, box)); diff != "" {
		t.Errorf("tools of the filtered toolbox (-want +got):\n%s", diff)
	}
}

func TestRenameChangesTheNameAlone(t *testing.T) {
	box := agent.Rename(agent.Tools{withSchema("git:log", `{"type":"object"}`)}, func(name string) string {
		return strings.ReplaceAll(name, ":", "_")
	})
	want := []agent.ToolSpec{{Name: "git_log", Description: "for a test", Parameters: json.RawMessage(`{"type":"object"}`)}}
	if diff := cmp.Diff(want, specsOf(t, box)); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	out, err := callIn(t, box, "{}")
	if err != nil || out.Text != "git:log{}" {
		t.Errorf("called %q, error %v", out.Text, err)
	}
}

func TestRenameRefusesTwoToolsUnderOneName(t *testing.T) {
	for _, test := range []struct {
		name   string
		rename func(string) string
		want   string
	}{
		{"same", func(string) string { return "x" }, `renaming tool "b": "x" would be the name of "a" too`},
		{"empty", func(string) string { return "" }, `renaming tool "a": the new name is empty`},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := agent.Rename(agent.Tools{echoTool("a"), echoTool("b")}, test.rename)
			if _, err := box.Tools(t.Context()); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestFixArgumentsTakesThemOutOfTheSchema(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{
			"declared and required",
			`{"type":"object","properties":{"owner":{"type":"string"},"number":{"type":"integer","maximum":9007199254740993}},"required":["owner","number"],"$schema":"x"}`,
			`{"$schema":"x","properties":{"number":{"type":"integer","maximum":9007199254740993}},"required":["number"],"type":"object"}`,
		},
		{
			"the only ones",
			`{"type":"object","properties":{"owner":{"type":"string"}},"required":["owner"]}`,
			`{"properties":{},"type":"object"}`,
		},
		{"not declared", `{"type":"object", "properties":{"q":{}}, "required":["q"]}`, `{"type":"object", "properties":{"q":{}}, "required":["q"]}`},
		{"no properties", `{"type":"object"}`, `{"type":"object"}`},
		{"null properties", `{"type":"object","properties":null,"required":null}`, `{"type":"object","properties":null,"required":null}`},
		{"no schema", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := agent.FixArguments(agent.Tools{withSchema("get", test.schema)}, map[string]any{"owner": "ann", "unused": 1})
			if got := string(specsOf(t, box)[0].Parameters); got != test.want {
				t.Errorf("schema\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestFixArgumentsSetsThemWhateverTheModelSays(t *testing.T) {
	const schema = `{"type":"object","properties":{"owner":{"type":"string"},"number":{"type":"integer"}},"required":["owner"]}`
	for _, test := range []struct{ name, schema, arguments, want string }{
		{"left out", schema, `{"number":12345678901234567890}`, `{"number":12345678901234567890,"owner":"ann"}`},
		{"given", schema, `{"owner":"eve"}`, `{"owner":"ann"}`},
		{"given twice", schema, `{"owner":"eve","owner":"mallory"}`, `{"owner":"ann"}`},
		{"given in capitals", schema, `{"OWNER":"eve","Owner":"eve"}`, `{"owner":"ann"}`},
		{"nothing given", schema, "", `{"owner":"ann"}`},
		{"kept away where not declared", `{"type":"object"}`, `{"owner":"eve","number":1}`, `{"number":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := agent.FixArguments(agent.Tools{withSchema("get", test.schema)}, map[string]any{"owner": "ann"})
			out, err := callIn(t, box, test.arguments)
			if err != nil || out.Text != "get"+test.want {
				t.Errorf("called %q, error %v, want get%s", out.Text, err, test.want)
			}
		})
	}
}

func TestFixArgumentsRefusesWhatIsNoObject(t *testing.T) {
	box := agent.FixArguments(agent.Tools{echoTool("get")}, map[string]any{"owner": "ann"})
	for _, arguments := range []string{"null", "[]", `"x"`, `{"a"`} {
		if out, err := callIn(t, box, arguments); err == nil {
			t.Errorf("%s: called %q", arguments, out.Text)
		}
	}
}

func TestFixArgumentsFailsTheListing(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		value        any
		want         string
	}{
		{"value that is no JSON", `{}`, func() {}, `fixing argument "owner"`},
		{"schema that is no object", `true`, "ann", `fixing arguments of tool "get": reading its schema`},
		{"properties that are none", `{"properties":[]}`, "ann", `fixing arguments of tool "get": reading its schema`},
		{"required that is none", `{"required":"owner"}`, "ann", `fixing arguments of tool "get": reading its schema`},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := agent.FixArguments(agent.Tools{withSchema("get", test.schema)}, map[string]any{"owner": test.value})
			if _, err := box.Tools(t.Context()); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestMapResults(t *testing.T) {
	upper := func(tool string, out agent.ToolOutput) (agent.ToolOutput, error) {
		if out.Text == "get{}" {
			return agent.ToolOutput{}, errors.New("nothing to map")
		}
		out.Text = tool + " said " + strings.ToUpper(out.Text)
		return out, nil
	}
	box := agent.MapResults(agent.Tools{echoTool("get")}, upper)
	if out, err := callIn(t, box, `{"a":1}`); err != nil || out.Text != `get said GET{"A":1}` {
		t.Errorf("result %q, error %v", out.Text, err)
	}
	if _, err := callIn(t, box, "{}"); err == nil || err.Error() != "nothing to map" {
		t.Errorf("error %v", err)
	}
	if _, err := callIn(t, agent.MapResults(agent.Tools{failingTool("saw")}, upper), "{}"); err == nil || err.Error() != "saw is out of order" {
		t.Errorf("error of the tool %v", err)
	}
}

func TestTrimResults(t *testing.T) {
	box := agent.TrimResults(agent.Tools{echoTool("gét")}, 2)
	if out, err := callIn(t, box, "{}"); err != nil || out.Text != "g\n[cut: the first 1 of 6 bytes]" {
		t.Errorf("result %q, error %v", out.Text, err)
	}
}

func TestDecoratorsPassOnAFailedListing(t *testing.T) {
	down := errors.New("down")
	box := agent.ToolboxFunc(func(context.Context) ([]agent.Tool, error) { return nil, down })
	for name, decorated := range map[string]agent.Toolbox{
		"Filter":       agent.Filter(box, func(agent.ToolSpec) bool { return true }),
		"Rename":       agent.Rename(box, strings.ToLower),
		"FixArguments": agent.FixArguments(box, nil),
		"TrimResults":  agent.TrimResults(box, 1),
	} {
		if _, err := decorated.Tools(t.Context()); !errors.Is(err, down) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestDecoratorsCompose builds a toolbox as a program would and uses it in an agent.
func TestDecoratorsCompose(t *testing.T) {
	const schema = `{"type":"object","properties":{"owner":{"type":"string"},"number":{"type":"integer"}}}`
	var box agent.Toolbox = agent.Tools{withSchema("hub:get", schema), withSchema("hub:delete", schema)}
	box = agent.Filter(box, func(spec agent.ToolSpec) bool { return spec.Name == "hub:get" })
	box = agent.FixArguments(box, map[string]any{"owner": "ann"})
	box = agent.TrimResults(box, 24)
	box = agent.Rename(box, func(name string) string { return strings.ReplaceAll(name, ":", "_") })

	model := agenttest.NewScript(ask(call("hub_get", `{"number":7,"owner":"eve"}`), call("hub_delete", "")), say("done"))
	a := newAgent(t, model, agent.Options{Toolboxes: []agent.Toolbox{box}, WithoutStop: true})
	query(t, a, "go")
	want := []string{"hub:get{\"number\":7,\"owne\n[cut: the first 24 of 33 bytes]", `there is no tool "hub_delete"; the tools are: hub_get`}
	if diff := cmp.Diff(want, results(a)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
