package mcptoolbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent/mcptoolbox"
)

func TestFilterToJSONAndBack(t *testing.T) {
	for _, test := range []struct {
		filter mcptoolbox.ToolFilter
		want   string
	}{
		{mcptoolbox.ToolFilter{}, `{}`},
		{mcptoolbox.ToolFilter{Whitelist: []string{"add"}}, `{"Whitelist":["add"]}`},
		{mcptoolbox.ToolFilter{Whitelist: []string{}}, `{"Whitelist":[]}`}, // nothing passes: not the same as no filter
		{mcptoolbox.ToolFilter{Blacklist: []string{"rm", "Rm "}}, `{"Blacklist":["rm","Rm "]}`},
		{mcptoolbox.ToolFilter{Blacklist: []string{}}, `{"Blacklist":[]}`},
	} {
		data, err := json.Marshal(test.filter)
		if err != nil || string(data) != test.want {
			t.Errorf("%+v: got %s, %v, want %s", test.filter, data, err, test.want)
		}
		back := mcptoolbox.ToolFilter{Whitelist: []string{"old"}, Blacklist: []string{"old"}}
		if err := json.Unmarshal(data, &back); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if diff := cmp.Diff(test.filter, back); diff != "" {
			t.Errorf("%s came back changed:\n%s", data, diff)
		}
	}
}

// A filter that was misspelt must not let everything pass.
func TestFilterThatCannotBeRead(t *testing.T) {
	for _, test := range []struct{ data, want string }{
		{`{"Whitelst":["add"]}`, `unknown field "Whitelst"`},
		{`{"Whitelist":["add"],"Blacklist":["rm"]}`, "both a Whitelist and a Blacklist"},
		{`{"Whitelist":[],"Blacklist":[]}`, "both a Whitelist and a Blacklist"},
		{`{"Whitelist":null}`, "null"},
		{`{"Blacklist":null}`, "null"},
		{`{"Whitelist":["add",null]}`, "null"},
		{`{"Whitelist":"add"}`, "reading a tool filter"},
		{`{"Blacklist":[1]}`, "reading a tool filter"},
		{`null`, "write {} to let every tool pass"},
		{`["add"]`, "reading a tool filter"},
	} {
		filter := mcptoolbox.ToolFilter{Whitelist: []string{"kept"}}
		err := json.Unmarshal([]byte(test.data), &filter)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.data, err, test.want)
		}
		if diff := cmp.Diff(mcptoolbox.ToolFilter{Whitelist: []string{"kept"}}, filter); diff != "" {
			t.Errorf("%s changed the filter:\n%s", test.data, diff)
		}
	}
}

func TestFilterFromJSONInAToolbox(t *testing.T) {
	for _, test := range []struct {
		data string
		want []string
	}{
		{`{"Whitelist":["add","nothing"]}`, []string{"fake:add"}},
		{`{"Whitelist":["fake:add"]}`, []string{}},
		{`{"Whitelist":["Add"]}`, []string{}},
		{`{"Blacklist":["add"]}`, []string{"fake:echo"}},
		{`{}`, []string{"fake:add", "fake:echo"}},
	} {
		var filter mcptoolbox.ToolFilter
		if err := json.Unmarshal([]byte(test.data), &filter); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, names(list(t, connectFake(t, &fake{}).WithFilter(filter)))); diff != "" {
			t.Errorf("%s:\n%s", test.data, diff)
		}
	}
}
