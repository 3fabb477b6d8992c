package mcptoolbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent/mcptoolbox"
)

func TestDescriptionAndSchema(t *testing.T) {
	const good = `{"name":"good","description":"Does.","inputSchema":{"type":"object"}}`
	for _, test := range []struct {
		what, tool string
		want       string // in the error; none when empty
	}{
		{"as it should be", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":["string","null"]}}}}`, ""},
		{"no description", `{"name":"x","inputSchema":{"type":"object"}}`, "no description"},
		{"null description", `{"name":"x","description":null,"inputSchema":{"type":"object"}}`, "no description"},
		{"empty description", `{"name":"x","description":"","inputSchema":{"type":"object"}}`, "no description"},
		{"blank description", `{"name":"x","description":" \n","inputSchema":{"type":"object"}}`, "no description"},
		{"description that is no text", `{"name":"x","description":5,"inputSchema":{"type":"object"}}`, "tools/list"},
		{"no schema", `{"name":"x","description":"Does."}`, "no input schema"},
		{"null schema", `{"name":"x","description":"Does.","inputSchema":null}`, "no input schema"},
		{"schema that is text", `{"name":"x","description":"Does.","inputSchema":"{\"type\":\"object\"}"}`, "not a JSON object"},
		{"schema that is a list", `{"name":"x","description":"Does.","inputSchema":[]}`, "not a JSON object"},
		{"schema that is true", `{"name":"x","description":"Does.","inputSchema":true}`, "not a JSON object"},
		{"schema of another type", `{"name":"x","description":"Does.","inputSchema":{"type":"string"}}`, "of type string"},
		{"schema of several types", `{"name":"x","description":"Does.","inputSchema":{"type":["object","null"]}}`, "of type [object null]"},
		{"schema without a type", `{"name":"x","description":"Does.","inputSchema":{"properties":{}}}`, ""},
		{"empty schema", `{"name":"x","description":"Does.","inputSchema":{}}`, ""},
		{"schema with broken properties", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":"none"}}`, "does not parse"},
		{"schema with a broken property", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":7}}}}`, "does not parse"},
		{"schema with a broken list", `{"name":"x","description":"Does.","inputSchema":{"type":"object","required":"a"}}`, "does not parse"},
		{"no name", `{"description":"Does.","inputSchema":{"type":"object"}}`, "no name"},
	} {
		t.Run(test.what, func(t *testing.T) {
			box := connectFake(t, &fake{tools: "[" + good + "," + test.tool + "]"})
			tools, err := box.Tools(t.Context())
			if test.want == "" {
				if err != nil || len(tools) != 2 {
					t.Fatalf("got %d tools, %v", len(tools), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || len(tools) != 0 {
				t.Errorf("got %d tools and the error %v, want one with %q", len(tools), err, test.want)
			}
		})
	}
}

func TestOnlyToolsThatPassTheFilterNeedASchema(t *testing.T) {
	box := connectFake(t, &fake{tools: `[
		{"name":"bad","inputSchema":null},
		{"name":"good","description":"Does.","inputSchema":{"type":"object"}}]`})
	if _, err := box.Tools(t.Context()); err == nil {
		t.Error("the bad tool passes")
	}
	if diff := cmp.Diff([]string{"fake:good"}, names(list(t, box.WithBlacklist("bad")))); diff != "" {
		t.Error(diff)
	}
}

func TestParameters(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"string","description":"a < b & c"}},"additionalProperties":false}`, ""},
		{`{"type":"object","properties":{"n":{"const":9007199254740993}}}`, ""},
		{`{"properties":{"a":true}}`, `{"type":"object","properties":{"a":true}}`},
		{`{"type":null}`, `{"type":"object"}`},
	} {
		box := connectFake(t, &fake{tools: `[{"name":"x","description":"Does.","inputSchema":` + test.schema + `}]`})
		spec := list(t, box)[0].Spec()
		if test.want == "" {
			test.want = test.schema
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(spec.Parameters, &got), json.Unmarshal([]byte(test.want), &want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", test.schema, diff)
		}
		if strings.Contains(string(spec.Parameters), `\u00`) {
			t.Errorf("escaped: %s", spec.Parameters)
		}
	}
}

func TestListingThatIsNotAnsweredEnds(t *testing.T) {
	f := &fake{handle: func(_ *fake, r request) bool { return r.Method == "tools/list" }}
	box, err := mcptoolbox.Connect(t.Context(), fakeStream(t, f), &mcptoolbox.Options{HandshakeTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	if _, err := box.Tools(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("got %v", err)
	}
}
