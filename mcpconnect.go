package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/changes"
)

// transportOf is the way to the server that cfg asks for. The server sees a token of
// GitHub's and nothing else that is secret.
func transportOf(cfg config, repo changes.Forge) (mcp.Transport, error) {
	host := hostOf(repo.URL)
	switch {
	case !onGitHub(repo, cfg.githubHost):
		return nil, &missingError{"the remote origin is not on GitHub", notOnGitHubHint(repo)}
	case cfg.githubToken == "":
		return nil, &missingError{"there is no GitHub token", "export GITHUB_PERSONAL_ACCESS_TOKEN=…, or GITHUB_TOKEN"}
	case host != githubDotCom && !isPrivate(withScheme(cfg.githubHost)):
		return nil, &missingError{"GITHUB_HOST is plain http, over which no token is sent", "export GITHUB_HOST=https://" + host}
	case cfg.mcpURL != "":
		return endpointTransport(cfg.mcpURL, cfg.githubToken)
	case cfg.mcpCommand != "":
		words, err := splitWords(cfg.mcpCommand)
		if err != nil {
			return nil, err
		}
		return commandTransport(cfg, host, readOnly(words), "see https://github.com/github/github-mcp-server for how to install GitHub's own")
	}
	if err := reachable(mcpServers[0], host); err != nil { // npm's
		return nil, err
	}
	return commandTransport(cfg, host, []string{"npx", "-y", npmServer}, "install Node.js, which brings npx: https://nodejs.org")
}

// reachable refuses a server that would look for the repository on another host, where
// one of the same name may be somebody else's.
func reachable(server mcpServer, host string) error {
	if server.dotComOnly && host != githubDotCom {
		return &missingError{fmt.Sprintf("%s reads github.com alone, and not %s", server.name, host), `--mcp-command "github-mcp-server stdio"`}
	}
	return nil
}

func notOnGitHubHint(repo changes.Forge) string {
	if repo.Kind == changes.GitHub {
		return fmt.Sprintf("export GITHUB_HOST=%s, if that is GitHub Enterprise", hostOf(repo.URL))
	}
	return "git remote get-url origin"
}

// commandTransport starts a server as a child process, without a shell.
func commandTransport(cfg config, host string, words []string, install string) (mcp.Transport, error) {
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, &missingError{words[0] + " is not on PATH", install}
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Env = append(serverEnvironment(cfg.environ), "GITHUB_PERSONAL_ACCESS_TOKEN="+cfg.githubToken, "GITHUB_READ_ONLY=1")
	if host != githubDotCom {
		cmd.Env = append(cmd.Env, "GITHUB_HOST="+withScheme(cfg.githubHost))
	}
	return mcptoolbox.Command(cmd, nil), nil
}

// readOnly adds the option by which GitHub's own server offers no tool that writes.
func readOnly(words []string) []string {
	program := strings.TrimSuffix(strings.ToLower(filepath.Base(words[0])), ".exe")
	if program != officialServer || slices.Contains(words, "--read-only") || slices.Contains(words, "--read-only=true") {
		return words
	}
	return append(slices.Clone(words), "--read-only")
}

// splitWords splits a command line at spaces, as a shell does with words and quotes.
// Nothing in it is expanded, and a backslash is a character like any other.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r != ' ' && r != '\t' && r != '\n':
			word.WriteRune(r)
			inWord = true
		case inWord:
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	if quote != 0 {
		return nil, usagef("--mcp-command has a quote %c without its end", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, usagef("--mcp-command names no program")
	}
	return words, nil
}

// maxEndpointAnswer bounds what is read of one response of an endpoint, in bytes.
const maxEndpointAnswer = 32 << 20

// endpointTransport speaks streamable HTTP to an endpoint.
func endpointTransport(endpoint, token string) (mcp.Transport, error) {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &bearer{base: http.DefaultTransport, endpoint: u, token: token}}
	return &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: client, DisableStandaloneSSE: true, MaxRetries: 1}, nil
}

// parseEndpoint refuses addresses over which a token would be seen.
func parseEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, usagef("--mcp-url is not an address such as https://api.githubcopilot.com/mcp/")
	case u.User != nil:
		return nil, usagef("--mcp-url holds a user or a password; the token goes into GITHUB_PERSONAL_ACCESS_TOKEN")
	case !isPrivate(endpoint):
		return nil, usagef("--mcp-url %s is plain http, over which no token is sent; use https", endpoint)
	}
	return u, nil
}

// isPrivate reports whether nobody on the way reads what is sent to an address.
func isPrivate(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// A bearer adds the token to requests, and the header by which GitHub's own server offers
// no tool that writes. It speaks to no host but that of the endpoint, wherever a
// redirect leads.
type bearer struct {
	base     http.RoundTripper
	endpoint *url.URL
	token    string
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != b.endpoint.Scheme || !strings.EqualFold(r.URL.Host, b.endpoint.Host) {
		return nil, fmt.Errorf("%s leads to %s, which is not told the token", b.endpoint.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("X-MCP-Readonly", "true")
	resp, err := b.base.RoundTrip(r)
	if err == nil {
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxEndpointAnswer), resp.Body}
	}
	return resp, err
}

type limitedBody struct {
	io.Reader
	io.Closer
}
