// Blacklist has a model use every tool of an MCP server but those that a file names.
//
//	export OPENAI_API_KEY=…
//	go run ./examples/blacklist examples/blacklist/tools.json
//
// The file holds a filter, {"Blacklist": ["get-env"]} or {"Whitelist": ["echo"]}.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
		err = run(ctx, model, os.Args[1:], everything(), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// everything is a server with tools of many kinds. One of them, get-env, tells its
// environment: the model's key is not in there.
func everything() mcp.Transport {
	cmd := exec.Command("npx", "-y", "@modelcontextprotocol/server-everything")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "OPENAI_API_KEY=") })
	return mcptoolbox.Command(cmd, nil)
}

func run(ctx context.Context, model agent.Model, args []string, server mcp.Transport, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name one file with a filter, such as examples/blacklist/tools.json")
	}
	filter, err := readFilter(args[0])
	if err != nil {
		return err
	}
	box, err := mcptoolbox.Connect(ctx, server, nil)
	if err != nil {
		return err
	}
	defer box.Cancel(context.Background()) // also when ctx has ended
	if err := checkFilter(ctx, box, filter); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	a, err := agent.New(agent.Options{
		Model:     model,
		Toolboxes: []agent.Toolbox{agent.Rename(box.WithFilter(filter), openAIName)},
	})
	if err != nil {
		return err
	}
	result, err := a.Query(ctx, "Which tools do you have? Try the one that echoes.")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, result.Text)
	return err
}

func readFilter(file string) (filter mcptoolbox.ToolFilter, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return filter, err
	}
	if err := json.Unmarshal(data, &filter); err != nil {
		return filter, fmt.Errorf("%s: %w", file, err)
	}
	return filter, nil
}

// checkFilter refuses names that the server lacks. In a blacklist such a name keeps
// nothing away: the tool that was meant may be there under another name.
func checkFilter(ctx context.Context, box *mcptoolbox.Toolbox, filter mcptoolbox.ToolFilter) error {
	tools, err := box.Tools(ctx)
	if err != nil {
		return err
	}
	var offered []string
	for _, tool := range tools {
		offered = append(offered, strings.TrimPrefix(tool.Spec().Name, box.Name()+":"))
	}
	for _, name := range slices.Concat(filter.Whitelist, filter.Blacklist) {
		if !slices.Contains(offered, name) {
			return fmt.Errorf("server %q has no tool %q: take the name out, or use one that it offers: %s", box.Name(), name, strings.Join(offered, ", "))
		}
	}
	return nil
}

// openAIName makes a name of characters that OpenAI takes: "server:tool" has others.
func openAIName(name string) string {
	return regexp.MustCompile(`[^a-zA-Z0-9_-]`).ReplaceAllString(name, "_")
}
