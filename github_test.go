package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A githubStandIn is a part of GitHub's REST API on loopback: for each path the
// JSON that it answers with.
type githubStandIn struct {
	mu     sync.Mutex
	bodies map[string]json.RawMessage
	asked  []string // "METHOD path"
	token  string
}

func (g *githubStandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+g.token {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message": "Bad credentials"}`)
		return
	}
	body, ok := g.bodies[r.URL.Path]
	if !ok || r.Method != http.MethodGet {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message": "Not Found"}`)
		return
	}
	if g.special(w, r, body) {
		return
	}
	if strings.Contains(r.URL.Path, "/pulls/") && strings.HasPrefix(string(body), "{") {
		body = wholePull(body)
	}
	w.Write(body)
}

// special answers what is no pull request: {"status": 403, "message": "…"}, and
// {"redirect": "/repositories/1/…"} as GitHub has it for repositories that were renamed.
func (g *githubStandIn) special(w http.ResponseWriter, r *http.Request, body json.RawMessage) bool {
	var answer struct {
		Status            int
		Message, Redirect string
	}
	_ = json.Unmarshal(body, &answer)
	switch {
	case answer.Redirect != "":
		w.Header().Set("Location", "http://"+r.Host+answer.Redirect)
		w.WriteHeader(http.StatusMovedPermanently)
	case answer.Status != 0:
		w.WriteHeader(answer.Status)
		fmt.Fprintf(w, `{"message": %q}`, answer.Message)
	}
	return answer.Redirect != "" || answer.Status != 0
}

// wholePull adds what GitHub says of every pull request and the server insists on.
func wholePull(short json.RawMessage) json.RawMessage {
	user := map[string]any{"login": "ann", "id": 1, "avatar_url": "a", "url": "u", "html_url": "h"}
	owner := map[string]any{"login": "acme", "id": 1, "node_id": "n", "avatar_url": "a", "url": "u", "html_url": "h", "type": "User"}
	repo := map[string]any{
		"id": 1, "node_id": "n", "name": "widget", "full_name": "acme/widget", "private": false, "owner": owner, "html_url": "h", "description": nil,
		"fork": false, "url": "u", "created_at": "2023-11-15T00:00:00Z", "updated_at": "2023-11-15T00:00:00Z", "pushed_at": "2023-11-15T00:00:00Z",
		"git_url": "g", "ssh_url": "s", "clone_url": "c", "default_branch": "main",
	}
	ref := map[string]any{"label": "l", "ref": "r", "sha": "s", "user": user, "repo": repo}
	whole := map[string]any{
		"state": "closed", "body": nil, "url": "u", "id": 1, "node_id": "n", "html_url": "h", "diff_url": "d", "patch_url": "p", "issue_url": "i", "locked": false,
		"user": user, "created_at": "2023-11-15T00:00:00Z", "updated_at": "2023-11-15T00:00:00Z", "closed_at": nil, "merged_at": nil, "merge_commit_sha": nil,
		"assignee": nil, "assignees": []any{}, "requested_reviewers": []any{}, "labels": []any{}, "head": ref, "base": ref,
	}
	var own struct {
		Login  string
		Labels []string
	}
	if json.Unmarshal(short, &whole) != nil || json.Unmarshal(short, &own) != nil {
		return short
	}
	if own.Login != "" {
		user = map[string]any{"login": own.Login, "id": 2, "avatar_url": "a", "url": "u", "html_url": "h"}
		whole["user"] = user
	}
	labels := []any{}
	for i, name := range own.Labels {
		labels = append(labels, map[string]any{"id": i, "node_id": "n", "url": "u", "name": name, "color": "c", "default": false, "description": "d"})
	}
	whole["labels"] = labels
	text, err := json.Marshal(whole)
	if err != nil {
		return short
	}
	return text
}

// redirect is a module for Node that sends requests for GitHub's API elsewhere, and notes
// what a server sees as runStandIn does.
const redirect = `const seen = Object.entries(process.env).map(([name, value]) => 'env: ' + name + '=' + value);
require('fs').appendFileSync(%q, ['args: ' + process.argv.join(' '), ...seen, ''].join('\n'));
const real = globalThis.fetch;
globalThis.fetch = (url, options) => real(String(url).replace('https://api.github.com', %q), options);
`

type githubKey struct{}

// startStandIn starts GitHub's stand-in, with a token in the environment, and
// makes the servers that Node runs ask it, and keep npm.log.
func startStandIn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: github FILE")
	}
	stand := ts.Value(githubKey{}).(*githubStandIn)
	stand.token = "ghp_test0123456789"
	stand.bodies, stand.asked = nil, nil
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &stand.bodies))
	server := httptest.NewServer(stand)
	ts.Defer(server.Close)

	module := ts.MkAbs("redirect.cjs")
	ts.Check(os.WriteFile(module, fmt.Appendf(nil, redirect, ts.MkAbs("npm.log"), server.URL), 0o666))
	ts.Setenv("NODE_OPTIONS", "--require="+module)
	ts.Setenv("GITHUB_TOKEN", stand.token)
}

// githubAsked checks what the stand-in was asked: all of the arguments, and
// nothing but them.
func githubAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: asked [METHOD PATH]…")
	}
	stand := ts.Value(githubKey{}).(*githubStandIn)
	stand.mu.Lock()
	defer stand.mu.Unlock()
	slices.Sort(stand.asked)
	if got := slices.Compact(stand.asked); !slices.Equal(got, args) {
		ts.Fatalf("GitHub was asked %q, want %q", got, args)
	}
}

// noProcess checks that no process is left that was started with this script's
// directory in its environment. It looks into /proc.
func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: noprocess")
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	ts.Check(err)
	if len(environments) == 0 {
		ts.Fatalf("there is no /proc to look into")
	}
	for _, name := range environments {
		environ, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended, or is somebody else's
		}
		if bytes.Contains(environ, []byte("HOME="+ts.Getenv("HOME")+"\x00")) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			ts.Fatalf("still running: %s", strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
}

// npmCache returns where npm keeps what it has fetched, so that scripts with a
// home of their own need not fetch it again.
func npmCache() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".npm"), err
}
