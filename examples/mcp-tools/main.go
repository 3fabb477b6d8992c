// Mcp-tools has a model add two numbers with a tool of an MCP server.
//
//	export OPENAI_API_KEY=…
//	go run ./examples/mcp-tools
//
// It starts the server with npx, under a client info of its own, lets the model see
// nothing but the tool that adds, and prints each new message.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/agent/openaimodel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model, err := openaimodel.New(openaimodel.Options{
		APIKey:  os.Getenv("OPENAI_API_KEY"),
		BaseURL: os.Getenv("OPENAI_BASE_URL"),
		Model:   cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-5.4-mini"),
	})
	if err == nil {
		err = run(ctx, model, mcptoolbox.Command(serverCommand(), nil), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// serverCommand does not hand the model's key on to the server.
func serverCommand() *exec.Cmd {
	cmd := exec.Command("npx", "-y", "@modelcontextprotocol/server-everything")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "OPENAI_API_KEY=") })
	return cmd
}

func run(ctx context.Context, model agent.Model, server mcp.Transport, out io.Writer) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "adder", Version: "1.0.0"}, nil)
	// Every server knows this version's handshake; some hang when asked for a newer one.
	session, err := client.Connect(ctx, server, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return fmt.Errorf("connecting to the MCP server, which needs npx of Node.js: %w", err)
	}
	box := mcptoolbox.FromSession(session)
	defer box.Cancel(context.Background()) // also when ctx has ended

	adding, err := pick(ctx, box, "get-sum", "add") // older servers call it "add"
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Options{
		Model:     model,
		Toolboxes: []agent.Toolbox{agent.Rename(box.WithWhitelist(adding), openAIName)},
		Hooks:     agent.Hooks{OnNewMessage: printTo(out)},
	})
	if err != nil {
		return err
	}
	_, err = a.Query(ctx, "What is 1234567 plus 7654321?")
	return err
}

// pick returns the first of some names that the server offers. A whitelist skips names
// that the server lacks, so that a tool which was renamed would be missed in silence.
func pick(ctx context.Context, box *mcptoolbox.Toolbox, names ...string) (string, error) {
	tools, err := box.Tools(ctx)
	if err != nil {
		return "", err
	}
	var offered []string
	for _, tool := range tools {
		offered = append(offered, strings.TrimPrefix(tool.Spec().Name, box.Name()+":"))
	}
	for _, name := range names {
		if slices.Contains(offered, name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("server %q has no tool named %s: use one that it offers: %s", box.Name(), strings.Join(names, " or "), strings.Join(offered, ", "))
}

// openAIName makes a name of characters that OpenAI takes: "server:tool" has others.
func openAIName(name string) string {
	return regexp.MustCompile(`[^a-zA-Z0-9_-]`).ReplaceAllString(name, "_")
}

func printTo(out io.Writer) func(context.Context, agent.Message) error {
	return func(_ context.Context, msg agent.Message) error {
		if msg.Text != "" {
			fmt.Fprintf(out, "%s: %s\n", msg.Role, msg.Text)
		}
		for _, call := range msg.ToolCalls {
			fmt.Fprintf(out, "%s calls %s %s\n", msg.Role, call.Name, call.Arguments)
		}
		return nil
	}
}
