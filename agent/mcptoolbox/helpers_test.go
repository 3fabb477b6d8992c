package mcptoolbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
)

// connectFake connects to a fake server in this process.
func connectFake(t testing.TB, f *fake) *mcptoolbox.Toolbox {
	t.Helper()
	box, err := mcptoolbox.Connect(t.Context(), fakeStream(t, f), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	return box
}

func fakeStream(t testing.TB, f *fake) mcp.Transport {
	client, server := net.Pipe()
	f.in, f.out = server, server
	if f.tools == "" {
		f.tools = plainTools
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.serve()
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return mcptoolbox.Stream(client)
}

func cancelAtEnd(t testing.TB, box *mcptoolbox.Toolbox) {
	t.Cleanup(func() {
		if err := box.Cancel(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func list(t testing.TB, box agent.Toolbox) []agent.Tool {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func names(tools []agent.Tool) []string {
	out := []string{}
	for _, tool := range tools {
		out = append(out, tool.Spec().Name)
	}
	return out
}

func call(ctx context.Context, tool agent.Tool, arguments string) (string, error) {
	out, err := tool.Call(ctx, json.RawMessage(arguments))
	return out.Text, err
}

func find(t testing.TB, box agent.Toolbox, name string) agent.Tool {
	t.Helper()
	for _, tool := range list(t, box) {
		if tool.Spec().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %q", name)
	return nil
}

// newServer is a server of the SDK with one tool, "add".
func newServer(name string, initialized func(*mcp.InitializeParams)) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: name}, &mcp.ServerOptions{
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			if initialized != nil {
				initialized(r.Session.InitializeParams())
			}
		},
	})
	type sum struct{ A, B int }
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds."},
		func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in.A + in.B)}}}, nil, nil
		})
	return server
}

// sdkServer is a server of the SDK, connected in memory.
func sdkServer(t testing.TB, name string, initialized func(*mcp.InitializeParams)) mcp.Transport {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := newServer(name, initialized).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Wait() })
	return ours
}
