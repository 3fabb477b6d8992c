package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// handshakeTimeout is what a server may take to start, answer the handshake and list its
// tools.
const handshakeTimeout = time.Minute

// Bounds of one answer of the server, in bytes, and of what a model gets of it. The
// JSON of a pull request with an ordinary description takes some 20,000.
const (
	maxAnswer     = 1 << 20
	maxToolResult = 32 << 10
)

// github is the GitHub MCP server as it starts beside the reading of the history.
type github struct {
	started  chan struct{} // closed when all of the below is set
	cancel   context.CancelFunc
	box      *mcptoolbox.Toolbox
	offers   []offer         // for the model
	pull     *offer          // reads a pull request; nil when no tool is known to
	issue    *offer          // reads an issue
	warnings []notes.Warning // about tools that were left out
	err      error

	unknown  string // name of a server that the table does not have
	hopeless bool   // reading pull requests has been given up
}

// startGitHub starts the server when cfg asks for it. The caller must close what
// it returns.
func startGitHub(ctx context.Context, cfg config, repo changes.Forge) *github {
	ctx, cancel := context.WithCancel(ctx)
	g := &github{started: make(chan struct{}), cancel: cancel}
	if !cfg.mcp || cfg.replay != "" { // a transcript holds what GitHub said
		close(g.started)
		return g
	}
	go func() {
		defer close(g.started)
		if err := g.start(ctx, cfg, repo); err != nil {
			g.err = withoutToken(err, cfg.githubToken)
		}
	}()
	return g
}

func (g *github) start(ctx context.Context, cfg config, repo changes.Forge) error {
	transport, err := transportOf(cfg, repo)
	if err != nil {
		return err
	}
	g.box, err = mcptoolbox.Connect(ctx, transport, &mcptoolbox.Options{HandshakeTimeout: handshakeTimeout})
	if err != nil {
		return err
	}
	return g.list(ctx, cfg, repo)
}

// list asks the server for its tools, once, and keeps those that may be called: the
// ones that the table of servers has for it, or that --mcp-tool names of a server that
// the table does not know. All are pinned to one repository.
func (g *github) list(ctx context.Context, cfg config, repo changes.Forge) error {
	name := g.box.Name()
	offered, err := g.box.WithName("github").WithWhitelist(everyReader(cfg.mcpTools)...).Tools(ctx)
	if err != nil {
		return err
	}
	own := map[string]agent.Tool{} // by the server's name
	for _, tool := range offered {
		own[strings.TrimPrefix(tool.Spec().Name, name+":")] = tool
	}
	server, known := serverOf(own)
	switch {
	case known && len(cfg.mcpTools) > 0:
		g.warn(fmt.Sprintf("--mcp-tool does nothing: %s is known, and so are its tools that only read", server.name), "")
	case !known && len(cfg.mcpTools) == 0:
		return &missingError{fmt.Sprintf("the MCP server %q is not known, and so none of its tools is used", name), "--mcp-tool NAME, for each tool that the model may call"}
	case !known:
		server, g.unknown = namedServer(name, cfg.mcpTools), name
	}
	if err := reachable(server, hostOf(repo.URL)); err != nil {
		return err
	}
	return g.offer(ctx, server, own, cfg.githubToken, repo)
}

// offer makes offers of the tools of a server. A server that lacks one is refused, and so
// is a tool that declares that it writes.
func (g *github) offer(ctx context.Context, server mcpServer, own map[string]agent.Tool, token string, repo changes.Forge) error {
	var tools agent.Tools
	var missing, refused []string
	for _, r := range server.readers {
		switch tool := own[r.tool]; {
		case tool == nil:
			missing = append(missing, r.tool)
		case mcptoolbox.Writes(tool):
			refused = append(refused, r.tool)
		default:
			g.offers = append(g.offers, offer{reader: r})
			tools = append(tools, tool)
		}
	}
	g.refuse(refused)
	if len(missing) > 0 {
		return &missingError{
			fmt.Sprintf("%s does not offer %s", server.name, strings.Join(missing, ", ")),
			"look for a newer or older version of it, and at the options that choose its tools",
		}
	}
	pinned, err := pin(tools, token, repo).Tools(ctx)
	if err != nil {
		return err
	}
	for i := range g.offers {
		o := &g.offers[i]
		o.tool = pinned[i]
		switch o.reader.tool {
		case server.pull:
			g.pull = o
		case server.issue:
			g.issue = o
		}
	}
	return nil
}

// pin gives tools names that OpenAI accepts and ties them to one repository: a model can
// neither choose nor see owner and repo. What they answer is cut, and never holds the
// token.
func pin(tools agent.Tools, token string, repo changes.Forge) agent.Toolbox {
	trimmed := agent.TrimResults(hideToken(tools, token), maxAnswer)
	return openAIToolNames(agent.FixArguments(trimmed, map[string]any{"owner": repo.Owner, "repo": repo.Name}))
}

// refuse says which tools are not used because of what the server declares of them.
func (g *github) refuse(tools []string) {
	if len(tools) > 0 {
		g.warn(fmt.Sprintf("not used, because the server declares that they do not only read: %s", strings.Join(tools, ", ")), "")
	}
}

func (g *github) warn(message, hint string) {
	g.warnings = append(g.warnings, notes.Warning{Code: notes.GitHubUnavailable, Message: message, Hint: hint})
}

// wait waits for the server and returns a warning that says why there is none, or what
// was left out of its tools.
func (g *github) wait(ctx context.Context) []notes.Warning {
	select {
	case <-g.started:
	case <-ctx.Done():
		return nil
	}
	if g.err == nil {
		return g.warnings
	}
	return []notes.Warning{{
		Code:    notes.GitHubUnavailable,
		Message: fmt.Sprintf("going on without GitHub: %v", g.err),
		Hint:    githubHint(g.err),
	}}
}

// tools are the tools for a model, once the server has started.
func (g *github) tools(ctx context.Context, m changes.Manifest) []agent.Tool {
	if g.wait(ctx); ctx.Err() != nil || g.err != nil {
		return nil
	}
	return modelTools(g.offers, m)
}

// close ends the server and every process that it started.
func (g *github) close() {
	g.cancel()
	<-g.started
	if g.box != nil {
		g.box.Cancel(context.Background())
	}
}

// missingError says what the GitHub toolbox lacks, and how to come by it.
type missingError struct{ message, hint string }

func (e *missingError) Error() string { return e.message }

// Hint is what to do next.
func (e *missingError) Hint() string { return e.hint }

// githubHint says what to do about an error of the server, which has often passed on
// words of GitHub's.
func githubHint(err error) string {
	if hint := hintOf(err); hint != "" {
		return hint
	}
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "rate limit"), strings.Contains(text, "too many requests"):
		return "GitHub counts requests by the hour; run it again later"
	case strings.Contains(text, "bad credentials"), strings.Contains(text, "unauthorized"):
		return "export a GITHUB_PERSONAL_ACCESS_TOKEN that has not expired"
	case strings.Contains(text, "not accessible"), strings.Contains(text, "forbidden"):
		return "the token needs to read pull requests and issues of the repository"
	}
	return ""
}
