package mcptoolbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
	"release-notes-agent/agent/mcptoolbox"
)

// The server of these examples is this test program itself: it offers the tools "add"
// and "echo". A program has "npx", "docker" or a path in its place.
func serverCommand() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeVariable+"=plain")
	return cmd
}

// A server as a child process, and an agent that uses one of its tools.
func Example() {
	ctx := context.Background()
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(serverCommand(), nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Cancel(ctx)

	a, err := agent.New(agent.Options{
		Model: agenttest.NewScript( // in a program, a real one
			agenttest.Ask(agenttest.Call("fake:add", `{"a": 20, "b": 22}`)),
			agenttest.Say("It is 42."),
		),
		Toolboxes: []agent.Toolbox{box.WithWhitelist("add")},
		Hooks: agent.Hooks{OnNewMessage: func(_ context.Context, msg agent.Message) error {
			fmt.Printf("%s %q\n", msg.Role, msg.Text)
			return nil
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Query(ctx, "What is 20 plus 22?"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// user "What is 20 plus 22?"
	// assistant ""
	// tool "42"
	// assistant "It is 42."
}

// A server behind a TCP port. A Unix socket goes the same way.
func ExampleStream() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go func() { // the server
		if conn, err := listener.Accept(); err == nil {
			(&fake{in: conn, out: conn, tools: plainTools}).serve()
		}
	}()

	ctx := context.Background()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Stream(conn), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Cancel(ctx)
	printNames(box)
	// Output: [fake:add fake:echo]
}

func printNames(box agent.Toolbox) {
	tools, err := box.Tools(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names(tools))
}

// A remote server that wants a token: an HTTP client that adds it to every request.
func ExampleConnect_streamableHTTP() {
	remote := newServer("calc", nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return remote }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer server.CloseClientConnections()

	ctx := context.Background()
	box, err := mcptoolbox.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   server.URL,
		HTTPClient: &http.Client{Transport: bearer{"sesame"}}, // a RoundTripper that sets the header
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Cancel(ctx)
	printNames(box)
	// Output: [calc:add]
}

// A session that runs already, with a client info of your own.
func ExampleFromSession() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "my-program", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, mcptoolbox.Command(serverCommand(), nil), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		log.Fatal(err)
	}
	box := mcptoolbox.FromSession(session)
	defer box.Cancel(ctx) // closes the session, which ends the server
	printNames(box)
	// Output: [fake:add fake:echo]
}

// Each filter replaces the one before. All copies share the connection.
func ExampleToolbox_WithWhitelist() {
	ctx := context.Background()
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(serverCommand(), nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Cancel(ctx)

	printNames(box)
	printNames(box.WithWhitelist("add", "no such tool"))
	printNames(box.WithWhitelist("add").WithBlacklist("echo", "no such tool"))
	printNames(box.WithWhitelist("fake:add")) // the server's names have no prefix
	// Output:
	// [fake:add fake:echo]
	// [fake:add]
	// [fake:add]
	// []
}

// A filter goes to JSON and back, for a configuration file.
func ExampleToolFilter() {
	data, err := json.Marshal(mcptoolbox.ToolFilter{Blacklist: []string{"delete_repository"}})
	fmt.Println(string(data), err)

	var filter mcptoolbox.ToolFilter
	err = json.Unmarshal([]byte(`{"Whitelist": ["add"]}`), &filter)
	fmt.Println(filter.Allows("add"), filter.Allows("delete_repository"), err)

	err = json.Unmarshal([]byte(`{"Blocklist": ["delete_repository"]}`), &filter)
	fmt.Println(err)
	// Output:
	// {"Blacklist":["delete_repository"]} <nil>
	// true false <nil>
	// reading a tool filter: json: unknown field "Blocklist"
}

// After Cancel, tools fail in a way that a program can tell apart.
func ExampleToolbox_Cancel() {
	ctx := context.Background()
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(serverCommand(), nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := box.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(box.Cancel(ctx))

	_, err = tools[0].Call(ctx, json.RawMessage(`{"a": 1, "b": 2}`))
	fmt.Println(err)
	// Output:
	// <nil>
	// calling "fake:add": the server is not running
}
