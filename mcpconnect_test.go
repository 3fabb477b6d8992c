package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"github-mcp-server stdio": {"github-mcp-server", "stdio"},
		"  a\tb\n":                {"a", "b"},
		`"/opt/my tools/server" --x='a "b" c'd ""`: {"/opt/my tools/server", `--x=a "b" cd`, ""},
		`C:\tools\server.exe $HOME;ls|*`:           {`C:\tools\server.exe`, "$HOME;ls|*"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "  ", `""`, `a "b`, "a 'b"} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestReadOnlyIsAdded(t *testing.T) {
	for line, want := range map[string]string{
		"github-mcp-server stdio":                        "github-mcp-server stdio --read-only",
		"/opt/GitHub-MCP-Server.exe stdio":               "/opt/GitHub-MCP-Server.exe stdio --read-only",
		"github-mcp-server --read-only stdio":            "github-mcp-server --read-only stdio",
		"github-mcp-server stdio --read-only=false":      "github-mcp-server stdio --read-only=false --read-only",
		"npx -y @modelcontextprotocol/server-github":     "npx -y @modelcontextprotocol/server-github",
		"docker run -i ghcr.io/github/github-mcp-server": "docker run -i ghcr.io/github/github-mcp-server",
	} {
		if got := strings.Join(readOnly(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func TestEndpointsThatWouldShowTheToken(t *testing.T) {
	for endpoint, good := range map[string]bool{
		"https://api.githubcopilot.com/mcp/": true, "http://localhost:8080/": true, "http://127.0.0.1/mcp": true, "http://[::1]:80/": true,
		"http://mcp.example/": false, "http://127.0.0.1.example/": false, "http://localhost.example/": false, "ftp://localhost/": false,
		"https://u:p@mcp.example/": false, "mcp.example": false, "": false, "https:///mcp": false, "http://10.0.0.1/": false,
	} {
		if _, err := parseEndpoint(endpoint); (err == nil) != good {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// TestTokenStaysAtItsEndpoint holds that a redirect takes the token nowhere.
func TestTokenStaysAtItsEndpoint(t *testing.T) {
	const token = "ghp_0123456789abcdef"
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, status)
		}))
		transport, err := endpointTransport(first.URL, token)
		if err != nil {
			t.Fatal(err)
		}
		_, err = mcptoolbox.Connect(t.Context(), transport, nil)
		if err == nil || !strings.Contains(err.Error(), "is not told the token") || strings.Contains(err.Error(), token) {
			t.Errorf("%d: %v", status, err)
		}
		first.Close()
	}
	if asked > 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
}

// TestHosts holds that the server is asked about the repository that is meant, and not
// about one of the same name on another host.
func TestHosts(t *testing.T) {
	for _, test := range []struct{ remote, githubHost, command, want string }{
		{"https://github.com/acme/widget", "", "", ""},
		{"git@github.com:acme/widget", "git.acme.example", "", ""},
		{"git@git.acme.example:acme/widget", "", "", "the remote origin is not on GitHub"},
		{"git@git.acme.example:acme/widget", "https://git.acme.example/", "", npmServer + " reads github.com alone, and not git.acme.example"},
		{"git@git.acme.example:acme/widget", "git.acme.example", "true stdio", ""},
		{"git@gitlab.acme.example:acme/widget", "gitlab.acme.example", "true stdio", ""},
		{"git@git.acme.example:acme/widget", "http://git.acme.example", "true stdio", "GITHUB_HOST is plain http, over which no token is sent"},
		{"https://gitlab.com/acme/widget", "git.acme.example", "", "the remote origin is not on GitHub"},
	} {
		cfg := config{githubHost: test.githubHost, githubToken: "ghp_0123456789", mcpCommand: test.command, environ: []string{"PATH=/usr/bin"}}
		repo := forgeOf(cfg, func(string) string { return test.remote })
		_, err := transportOf(cfg, repo)
		if test.want == "" && err != nil && !strings.Contains(err.Error(), "npx") || test.want != "" && (err == nil || err.Error() != test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestRepositoryByFlagIsOnTheHostOfOrigin(t *testing.T) {
	for _, test := range []struct{ origin, githubHost, want string }{
		{"git@github.com:ann/widget", "git.acme.example", "https://github.com/acme/widget"},
		{"git@git.acme.example:ann/widget", "git.acme.example", "https://git.acme.example/acme/widget"},
		{"/srv/widget", "git.acme.example", "https://git.acme.example/acme/widget"},
		{"git@git.other.example:ann/widget", "", "https://github.com/acme/widget"},
	} {
		cfg := config{githubHost: test.githubHost, githubRepo: "acme/widget"}
		got := forgeOf(cfg, func(string) string { return test.origin })
		if got.URL != test.want || got.Kind != changes.GitHub {
			t.Errorf("%+v: %+v", test, got)
		}
	}
}

// TestEndpointThatFailsHalfWay holds that what was read before is used, whatever the
// endpoint does then, and that its words hold no token.
func TestEndpointThatFailsHalfWay(t *testing.T) {
	const token = "ghp_0123456789abcdef"
	for name, fail := range map[string]http.HandlerFunc{
		"429":   func(w http.ResponseWriter, r *http.Request) { http.Error(w, token, http.StatusTooManyRequests) },
		"401":   func(w http.ResponseWriter, r *http.Request) { http.Error(w, token, http.StatusUnauthorized) },
		"500":   func(w http.ResponseWriter, r *http.Request) { http.Error(w, token, http.StatusInternalServerError) },
		"404":   func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
		"ends":  func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
		"noise": func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("<html>" + token)) },
		"error": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":99,"error":{"code":-32600,"message":"not with ` + token + `"}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &standIn{answers: map[string]json.RawMessage{}}
			for _, n := range numbers(40) {
				s.answers[fmt.Sprintf("/repos/acme/widget/pulls/%d", n)] = json.RawMessage(fmt.Sprintf(`{"number": %d, "title": "t"}`, n))
			}
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.official(true) }, nil)
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 20 {
					fail(w, r)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			defer server.Close()
			defer server.CloseClientConnections()
			g := startGitHub(t.Context(), config{mcp: true, mcpURL: server.URL, githubToken: token}, changes.ParseRemote("git@github.com:acme/widget"))
			defer g.close()
			pulls, warnings := g.pullRequests(t.Context(), numbers(40), 300)
			if len(pulls) == 0 || len(pulls) == 40 || len(warnings) != 1 || warnings[0].Code != notes.GitHubUnavailable {
				t.Errorf("%d pull requests, %+v", len(pulls), warnings)
			}
			if said := fmt.Sprint(warnings); strings.Contains(said, token) {
				t.Error(said)
			}
			t.Log(len(pulls), warnings)
		})
	}
}
