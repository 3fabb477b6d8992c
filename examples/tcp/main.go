// Tcp has a model use the tools of an MCP server that listens on a TCP port.
//
//	socat TCP-LISTEN:7000,fork,reuseaddr EXEC:"npx -y @modelcontextprotocol/server-everything" &
//	export OPENAI_API_KEY=…
//	go run ./examples/tcp localhost:7000 "What is 20 plus 22?"
//
// A Unix socket goes the same way, with "unix" in the place of "tcp".
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"regexp"

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
		err = run(ctx, model, os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model agent.Model, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New(`give an address and a question: localhost:7000 "What is 20 plus 22?"`)
	}
	box, err := dial(ctx, args[0])
	if err != nil {
		return err
	}
	defer box.Cancel(context.Background()) // also when ctx has ended
	a, err := agent.New(agent.Options{Model: model, Toolboxes: []agent.Toolbox{agent.Rename(box, openAIName)}})
	if err != nil {
		return err
	}
	result, err := a.Query(ctx, args[1])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, result.Text)
	return err
}

// dial connects to a server. The toolbox owns the connection, and closes it when it is
// cancelled or does not come to life.
func dial(ctx context.Context, address string) (*mcptoolbox.Toolbox, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: start an MCP server that listens there", err)
	}
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Stream(conn), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return box, nil
}

// openAIName makes a name of characters that OpenAI takes: "server:tool" has others.
func openAIName(name string) string {
	return regexp.MustCompile(`[^a-zA-Z0-9_-]`).ReplaceAllString(name, "_")
}
