package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// The GitHub MCP server, and the time it has to answer the handshake.
const (
	githubServer     = "@modelcontextprotocol/server-github"
	handshakeTimeout = time.Minute
)

// Bounds of one answer of the server, in bytes, and of what a model gets of it. The
// JSON of a pull request with an ordinary description takes some 20,000.
const (
	maxAnswer     = 1 << 20
	maxToolResult = 32 << 10
)

// githubTools is the whitelist: tools that only read, and only inside one
// repository. A tool whose query can leave the repository, such as a search, has
// no place here.
var githubTools = []string{
	"get_issue",
	"get_pull_request",
	"get_pull_request_comments",
	"get_pull_request_files",
	"get_pull_request_reviews",
}

// github is the GitHub MCP server as it starts beside the reading of the history.
type github struct {
	started chan struct{} // closed when box, list and err are set
	cancel  context.CancelFunc
	box     *mcptoolbox.Toolbox
	list    []agent.Tool
	err     error
}

// startGitHub starts the server when cfg asks for it. The caller must close what
// it returns.
func startGitHub(ctx context.Context, cfg config, origin changes.Forge) *github {
	ctx, cancel := context.WithCancel(ctx)
	g := &github{started: make(chan struct{}), cancel: cancel}
	if !cfg.mcp {
		close(g.started)
		return g
	}
	go func() {
		defer close(g.started)
		g.box, g.err = githubToolbox(ctx, cfg, origin)
		if g.err == nil {
			g.list, g.err = githubToolList(ctx, g.box, origin)
		}
	}()
	return g
}

// tools waits for the server and returns its tools, or a warning that says why
// there are none.
func (g *github) tools(ctx context.Context) ([]agent.Tool, []notes.Warning) {
	select {
	case <-g.started:
	case <-ctx.Done():
		return nil, nil
	}
	if g.err == nil {
		return g.list, nil
	}
	return nil, []notes.Warning{{
		Code:    notes.GitHubUnavailable,
		Message: fmt.Sprintf("going on without GitHub: %v", g.err),
		Hint:    hintOf(g.err),
	}}
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

// githubToolbox starts the GitHub MCP server through npx, with the whitelist of
// tools. The server sees a token of GitHub's and nothing else that is secret.
func githubToolbox(ctx context.Context, cfg config, origin changes.Forge) (*mcptoolbox.Toolbox, error) {
	if origin.Kind != changes.GitHub {
		return nil, &missingError{"the remote origin is not on GitHub", "git remote get-url origin"}
	}
	if cfg.githubToken == "" {
		return nil, &missingError{"there is no GitHub token", "export GITHUB_PERSONAL_ACCESS_TOKEN=…, or GITHUB_TOKEN"}
	}
	npx, err := exec.LookPath("npx")
	if err != nil {
		return nil, &missingError{"npx is not on PATH", "install Node.js, which brings npx: https://nodejs.org"}
	}
	cmd := exec.Command(npx, "-y", githubServer)
	cmd.Env = append(serverEnvironment(cfg.environ), "GITHUB_PERSONAL_ACCESS_TOKEN="+cfg.githubToken)
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(cmd, nil), &mcptoolbox.Options{
		HandshakeTimeout: handshakeTimeout,
	})
	if err != nil {
		return nil, err
	}
	return box.WithName("github").WithWhitelist(githubTools...), nil
}

// githubToolList lists the tools under names that OpenAI accepts, pinned to the
// repository of origin: a model can neither choose nor see owner and repo. A
// server that lacks a tool of the whitelist is refused.
func githubToolList(ctx context.Context, box *mcptoolbox.Toolbox, origin changes.Forge) ([]agent.Tool, error) {
	pinned := agent.FixArguments(openAIToolNames(agent.TrimResults(box, maxAnswer)), map[string]any{"owner": origin.Owner, "repo": origin.Name})
	list, err := pinned.Tools(ctx)
	if err != nil {
		return nil, err
	}
	if missing := missingTools(list); len(missing) > 0 {
		return nil, fmt.Errorf("%s does not offer %s: a newer or older version of it may", githubServer, strings.Join(missing, ", "))
	}
	return list, nil
}

func missingTools(list []agent.Tool) []string {
	var missing []string
	for _, name := range githubTools {
		if !slices.ContainsFunc(list, func(t agent.Tool) bool { return strings.HasSuffix(t.Spec().Name, "_"+name) }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// maxToolName is the longest tool name that OpenAI's API takes. The characters it
// takes are letters, digits, "_" and "-".
const maxToolName = 64

// openAIToolNames gives the tools of a toolbox names that OpenAI's API takes:
// every other character becomes "_", and a name that is too long keeps its end,
// which is the tool's own name. Listing fails when two tools get one name.
func openAIToolNames(box agent.Toolbox) agent.Toolbox {
	return agent.Rename(box, func(name string) string {
		name = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
				return r
			}
			return '_'
		}, name)
		return name[max(0, len(name)-maxToolName):]
	})
}

// serverEnvironment picks what a server of npm needs from an environment: where
// programs, caches and certificates are, and how to reach the network. It is an
// allow-list, so that no key gets through that nobody thought of.
func serverEnvironment(environ []string) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if slices.Contains(serverVariables, upper) || strings.HasPrefix(upper, "NPM_CONFIG_") && !strings.Contains(upper, "AUTH") {
			env = append(env, kv)
		}
	}
	return env
}

var serverVariables = []string{
	"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS",
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PROGRAMDATA", "PROGRAMFILES",
}
