package mcptoolbox_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
)

func TestFilters(t *testing.T) {
	box := connectFake(t, &fake{})
	for _, test := range []struct {
		what string
		box  *mcptoolbox.Toolbox
		want []string
	}{
		{"no filter", box, []string{"fake:add", "fake:echo"}},
		{"whitelist", box.WithWhitelist("add"), []string{"fake:add"}},
		{"a whitelisted name that the server lacks is skipped", box.WithWhitelist("echo", "nothing"), []string{"fake:echo"}},
		{"an empty whitelist lets nothing pass", box.WithWhitelist(), []string{}},
		{"blacklist", box.WithBlacklist("add"), []string{"fake:echo"}},
		{"an empty blacklist lets everything pass", box.WithBlacklist(), []string{"fake:add", "fake:echo"}},
		{"names have no prefix", box.WithWhitelist("fake:add"), []string{}},
		{"names are exact", box.WithWhitelist("Add", " add", "ad"), []string{}},
		{"filter", box.WithFilter(mcptoolbox.ToolFilter{Blacklist: []string{"echo"}}), []string{"fake:add"}},
		{"each call replaces the filter", box.WithWhitelist("add").WithBlacklist("echo").WithWhitelist("echo"), []string{"fake:echo"}},
		{"a zero filter takes it away", box.WithWhitelist().WithFilter(mcptoolbox.ToolFilter{}), []string{"fake:add", "fake:echo"}},
	} {
		if diff := cmp.Diff(test.want, names(list(t, test.box))); diff != "" {
			t.Errorf("%s:\n%s", test.what, diff)
		}
	}
}

func TestFiltersKeepCopies(t *testing.T) {
	box := connectFake(t, &fake{})
	allowed := []string{"add"}
	filtered := box.WithFilter(mcptoolbox.ToolFilter{Whitelist: allowed})
	white := box.WithWhitelist(allowed...)
	allowed[0] = "echo"
	for _, box := range []*mcptoolbox.Toolbox{filtered, white} {
		if diff := cmp.Diff([]string{"fake:add"}, names(list(t, box))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWithNameIsForLogsOnly(t *testing.T) {
	var logs bytes.Buffer
	box := connectFake(t, &fake{})
	named := box.WithName("calculator").WithLogger(slog.New(slog.NewTextHandler(&logs, nil)))
	if named.Name() != "calculator" || box.Name() != "fake" {
		t.Errorf("names %q and %q", named.Name(), box.Name())
	}
	if got := names(list(t, named)); got[0] != "fake:add" {
		t.Errorf("the name changed the tools: %q", got)
	}
	for range 2 {
		if err := named.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(logs.String(), "toolbox=calculator") {
		t.Errorf("the logs do not name it: %s", logs.String())
	}
}

func TestToolNames(t *testing.T) {
	for _, test := range []struct{ info, want string }{
		{`{"name":"calc","version":"1"}`, "calc:add"},
		{`{"name":"  calc\n","version":"1"}`, "calc:add"},
		{`{"name":"a b/c","version":"1"}`, "a b/c:add"},
		{`{"name":"","version":"1"}`, "mcp:add"},
		{`{"name":" \t ","version":"1"}`, "mcp:add"},
		{`{"version":"1"}`, "mcp:add"},
		{`null`, "mcp:add"},
	} {
		var called string
		box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
			switch r.Method {
			case "initialize":
				f.result(r, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":`+test.info+`}`)
				return true
			case "tools/call":
				called = r.Params.Name
			}
			return false
		}})
		tool := list(t, box.WithWhitelist("add"))[0]
		if tool.Spec().Name != test.want {
			t.Errorf("server info %s: the tool is called %q, want %q", test.info, tool.Spec().Name, test.want)
		}
		if _, err := call(t.Context(), tool, `{"a":1,"b":1}`); err != nil || called != "add" {
			t.Errorf("server info %s: the server was asked for %q, err %v", test.info, called, err)
		}
	}
}

func TestServerInfoMissing(t *testing.T) {
	box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
		if r.Method == "initialize" {
			f.result(r, `{"protocolVersion":"2024-11-05","capabilities":{}}`)
			return true
		}
		return false
	}})
	if diff := cmp.Diff([]string{"mcp:add", "mcp:echo"}, names(list(t, box))); diff != "" {
		t.Error(diff)
	}
}

func TestToolboxInAnAgent(t *testing.T) {
	box := connectFake(t, &fake{})
	tools, err := agent.Filter(box, func(spec agent.ToolSpec) bool { return strings.HasSuffix(spec.Name, ":add") }).Tools(t.Context())
	if err != nil || !slices.Equal(names(tools), []string{"fake:add"}) {
		t.Errorf("got %q, %v", names(tools), err)
	}
}
