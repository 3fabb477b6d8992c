package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/agenttest"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/agent/openaimodel"
	"release-notes-agent/internal/gittest"
)

func TestRunOverTheServerOfNpm(t *testing.T) {
	gittest.NeedNpx(t)
	const tool = "mcp-servers_everything_get-sum"
	server := openaiserver.Start(t,
		openaiserver.Answer{
			Expect:    openaiserver.Expectations{Tools: []string{tool, "stop"}, LacksBody: []string{"get-env"}},
			ToolCalls: []openaiserver.ToolCall{{Name: tool, Arguments: json.RawMessage(`{"a":1234567,"b":7654321}`)}},
		},
		openaiserver.Answer{
			Expect: openaiserver.Expectations{Last: []string{"8888888"}},
			Text:   "It is 8888888.",
		},
	)
	model, err := openaimodel.New(openaimodel.Options{BaseURL: server.URL(), Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), model, mcptoolbox.Command(serverCommand(), nil), &out); err != nil {
		t.Fatal(err)
	}
	want := `user: What is 1234567 plus 7654321?
assistant calls mcp-servers_everything_get-sum {"a":1234567,"b":7654321}
tool: The sum of 1234567 and 7654321 is 8888888.
assistant: It is 8888888.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// withTool is a server with one tool that adds, in this process. It says who asks.
func withTool(t *testing.T, name string) mcp.Transport {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "calc"}, nil)
	type sum struct{ A, B int }
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Adds."},
		func(_ context.Context, r *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, any, error) {
			text := fmt.Sprintf("%d for %s", in.A+in.B, r.Session.InitializeParams().ClientInfo.Name)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return ours
}

func TestRunOverAnOlderServer(t *testing.T) {
	model := agenttest.NewScript(agenttest.Ask(agenttest.Call("calc_add", `{"A":20,"B":22}`)), agenttest.Say("42."))
	var out strings.Builder
	if err := run(t.Context(), model, withTool(t, "add"), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "tool: 42 for adder\n") {
		t.Errorf("output:\n%s", out.String())
	}
}

func TestMissingToolIsExplained(t *testing.T) {
	err := run(t.Context(), agenttest.NewScript(), withTool(t, "sum-up"), new(strings.Builder))
	const want = `server "calc" has no tool named get-sum or add: use one that it offers: sum-up`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	missing := mcptoolbox.Command(exec.Command("there-is-no-such-program"), nil)
	err := run(t.Context(), agenttest.NewScript(), missing, new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "there-is-no-such-program") || !strings.Contains(err.Error(), "needs npx") {
		t.Errorf("got %v", err)
	}
}

func TestServerDoesNotSeeTheKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	if env := strings.Join(serverCommand().Env, "\n"); strings.Contains(env, "sk-secret") || !strings.Contains(env, "PATH=") {
		t.Errorf("environment: %s", env)
	}
}
