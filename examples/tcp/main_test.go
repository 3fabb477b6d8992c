package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/agenttest"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

// serve serves one client on loopback with serveOne, and returns the address.
func serve(t *testing.T, serveOne func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if conn, err := listener.Accept(); err == nil {
			serveOne(conn)
		}
	}()
	t.Cleanup(func() { // waits until the client has left
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// calculator is an MCP server over a connection.
func calculator(conn net.Conn) {
	server := mcp.NewServer(&mcp.Implementation{Name: "calc"}, nil)
	type sum struct{ A, B int }
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds."},
		func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in.A + in.B)}}}, nil, nil
		})
	session, err := server.Connect(context.Background(), &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
	if err == nil {
		_ = session.Wait()
	}
}

func TestRun(t *testing.T) {
	api := openaiserver.Start(t,
		openaiserver.Answer{
			Expect:    openaiserver.Expectations{Contains: []string{"20 plus 22"}, Tools: []string{"calc_add"}},
			ToolCalls: []openaiserver.ToolCall{{Name: "calc_add", Arguments: json.RawMessage(`{"A":20,"B":22}`)}},
		},
		openaiserver.Answer{Expect: openaiserver.Expectations{Last: []string{"42"}}, Text: "It is 42."},
	)
	model, err := openaimodel.New(openaimodel.Options{BaseURL: api.URL(), Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), model, []string{serve(t, calculator), "What is 20 plus 22?"}, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "It is 42.\n" {
		t.Errorf("output %q", out.String())
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	hangsUp := serve(t, func(conn net.Conn) { _ = conn.Close() })
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "give an address and a question"},
		{[]string{"127.0.0.1:1", "?"}, "start an MCP server that listens there"},
		{[]string{hangsUp, "?"}, hangsUp + ": connecting to the MCP server"},
	} {
		err := run(t.Context(), agenttest.NewScript(), test.args, new(strings.Builder))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want an error with %q", test.args, err, test.want)
		}
	}
}
