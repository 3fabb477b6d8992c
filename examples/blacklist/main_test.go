package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/agenttest"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
	"release-notes-agent/internal/gittest"
)

func TestRunOverTheServerOfNpm(t *testing.T) {
	gittest.NeedNpx(t)
	const prefix = "mcp-servers_everything_"
	server := openaiserver.Start(t,
		openaiserver.Answer{
			Expect: openaiserver.Expectations{
				Tools:      []string{prefix + "echo", prefix + "get-sum"},
				LacksTools: []string{prefix + "get-env", prefix + "gzip-file-as-resource"},
			},
			ToolCalls: []openaiserver.ToolCall{{Name: prefix + "echo", Arguments: json.RawMessage(`{"message":"hello"}`)}},
		},
		openaiserver.Answer{
			Expect: openaiserver.Expectations{Last: []string{"Echo: hello"}},
			Text:   "I can echo.",
		},
	)
	model, err := openaimodel.New(openaimodel.Options{BaseURL: server.URL(), Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), model, []string{"tools.json"}, everything(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "I can echo.\n" {
		t.Errorf("output %q", out.String())
	}
}

// twoTools is a server in this process.
func twoTools(t *testing.T) mcp.Transport {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "disk"}, nil)
	for _, name := range []string{"read", "erase"} {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does it.", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return ours
}

func TestFilters(t *testing.T) {
	for _, test := range []struct{ filter, want, wantErr string }{
		{`{"Blacklist": ["erase"]}`, "disk_read", ""},
		{`{"Whitelist": ["read"]}`, "disk_read", ""},
		{`{"Blacklist": ["delete"]}`, "", `has no tool "delete": take the name out, or use one that it offers: erase, read`},
		{`{"Blacklist": ["Erase"]}`, "", `has no tool "Erase"`},
		{`{"Blocklist": ["erase"]}`, "", `unknown field "Blocklist"`},
	} {
		file := filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(file, []byte(test.filter), 0o666); err != nil {
			t.Fatal(err)
		}
		model := agenttest.NewScript(agenttest.Say("Fine."))
		err := run(t.Context(), model, []string{file}, twoTools(t), new(strings.Builder))
		if test.wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), test.wantErr) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: got %v", test.filter, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.filter, err)
			continue
		}
		if tools := model.Requests()[0].Tools; len(tools) != 2 || tools[1].Name != test.want { // after "stop"
			t.Errorf("%s: the model sees %v", test.filter, tools)
		}
	}
}

func TestFileIsNeeded(t *testing.T) {
	for _, args := range [][]string{nil, {"missing.json"}, {"a", "b"}} {
		if err := run(t.Context(), agenttest.NewScript(), args, nil, new(strings.Builder)); err == nil || !strings.Contains(err.Error(), ".json") {
			t.Errorf("%q: got %v", args, err)
		}
	}
}
