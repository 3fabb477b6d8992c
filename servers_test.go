package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// A standIn is an MCP server for GitHub in the place of a real one. It answers from the
// same JSON as the stand-in of GitHub's API, and notes what it sees.
type standIn struct {
	answers     map[string]json.RawMessage // by path of the REST API
	issuesWrite bool                       // the tool that reads issues declares that it writes
	diesAt      int                        // the number of the call that is the last; 0 for none

	mu    sync.Mutex
	log   *os.File
	calls int
}

// The tools of GitHub's own server that the tests are about, with its descriptions cut
// short: first those that read.
const (
	officialPull  = `{"type":"object","properties":{"method":{"type":"string","enum":["get","get_diff","get_status","get_files","get_review_comments","get_reviews","get_comments","get_check_runs"]},"owner":{"type":"string"},"repo":{"type":"string"},"pullNumber":{"type":"number"},"page":{"type":"number"},"perPage":{"type":"number"}},"required":["method","owner","repo","pullNumber"]}`
	officialIssue = `{"type":"object","properties":{"method":{"type":"string","enum":["get","get_comments","get_sub_issues","get_parent","get_labels"]},"owner":{"type":"string"},"repo":{"type":"string"},"issue_number":{"type":"number"},"page":{"type":"number"},"perPage":{"type":"number"}},"required":["method","owner","repo","issue_number"]}`
	officialQuery = `{"type":"object","properties":{"query":{"type":"string"},"owner":{"type":"string"},"repo":{"type":"string"}},"required":["query"]}`
	officialMerge = `{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},"pullNumber":{"type":"number"}},"required":["owner","repo","pullNumber"]}`
)

// official is GitHub's own server, with its tools that write unless readOnly.
func (s *standIn) official(readOnly bool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "github-mcp-server", Version: "v1.0.0"}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, Title: "Reads"}
	issue := *reads
	issue.ReadOnlyHint = !s.issuesWrite
	s.add(server, "pull_request_read", officialPull, reads)
	s.add(server, "issue_read", officialIssue, &issue)
	s.add(server, "search_issues", officialQuery, reads)
	if !readOnly {
		s.add(server, "merge_pull_request", officialMerge, &mcp.ToolAnnotations{Title: "Merge"})
	}
	return server
}

// hub is a server that this program does not know.
func (s *standIn) hub() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "acme hub", Version: "v1.0.0"}, nil)
	s.add(server, "look_at_pull", officialMerge, nil)
	s.add(server, "look_around", officialQuery, &mcp.ToolAnnotations{ReadOnlyHint: true})
	s.add(server, "merge", officialMerge, &mcp.ToolAnnotations{Title: "Merge"})
	return server
}

func (s *standIn) add(server *mcp.Server, name, schema string, annotations *mcp.ToolAnnotations) {
	tool := &mcp.Tool{Name: name, Description: "Does what its name says.", InputSchema: json.RawMessage(schema), Annotations: annotations}
	server.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.note("call: %s %s", name, r.Params.Arguments)
		s.count()
		return s.answer(r.Params.Arguments), nil
	})
}

// count counts a call, and may be the end.
func (s *standIn) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.calls == s.diesAt {
		fmt.Fprintln(os.Stderr, "out of memory, with", os.Getenv("GITHUB_PERSONAL_ACCESS_TOKEN"))
		os.Exit(1)
	}
}

// answer answers as GitHub's own server does: with JSON that it has made shorter.
func (s *standIn) answer(arguments json.RawMessage) *mcp.CallToolResult {
	var asked struct {
		Owner, Repo, Method string
		PullNumber          int `json:"pullNumber"`
		IssueNumber         int `json:"issue_number"`
	}
	_ = json.Unmarshal(arguments, &asked)
	path := fmt.Sprintf("/repos/%s/%s/pulls/%d", asked.Owner, asked.Repo, asked.PullNumber)
	if asked.IssueNumber != 0 {
		path = fmt.Sprintf("/repos/%s/%s/issues/%d", asked.Owner, asked.Repo, asked.IssueNumber)
	}
	if asked.Method != "" && asked.Method != "get" {
		path += "/" + asked.Method
	}
	var known struct {
		Login, Message string
		Status         int
	}
	answer, ok := s.answers[path]
	_ = json.Unmarshal(answer, &known)
	if !ok {
		known.Status, known.Message = http.StatusNotFound, "Not Found"
	}
	if known.Status != 0 {
		text := fmt.Sprintf("failed to get it: GET https://api.github.com%s: %d %s []", path, known.Status, known.Message)
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: withUser(answer, known.Login)}}}
}

func withUser(short json.RawMessage, login string) string {
	var answer map[string]any
	if login == "" || json.Unmarshal(short, &answer) != nil {
		return string(short)
	}
	delete(answer, "login")
	answer["user"] = map[string]any{"login": login, "id": 1}
	text, _ := json.Marshal(answer)
	return string(text)
}

func (s *standIn) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log != nil {
		fmt.Fprintf(s.log, format+"\n", args...)
	}
}

func newStandIn(answers, log string) (*standIn, error) {
	s := new(standIn)
	text, err := os.ReadFile(answers)
	if err == nil {
		err = json.Unmarshal(text, &s.answers)
	}
	if err == nil && log != "" {
		s.log, err = os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	}
	return s, err
}

// runStandIn is the program of a stand-in: what scripts start as github-mcp-server and as
// acme-hub. It notes its arguments and its environment.
func runStandIn() {
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	readOnly := flags.Bool("read-only", false, "")
	answers := flags.String("answers", "", "")
	log := flags.String("log", "", "")
	diesAt := flags.Int("dies-at", 0, "")
	issuesWrite := flags.Bool("issues-write", false, "")
	_ = flags.Parse(os.Args[2:])
	s, err := newStandIn(*answers, *log)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv("GITHUB_PERSONAL_ACCESS_TOKEN") == "" {
		fmt.Fprintln(os.Stderr, "GITHUB_PERSONAL_ACCESS_TOKEN not set")
		os.Exit(1)
	}
	s.issuesWrite, s.diesAt = *issuesWrite, *diesAt
	s.note("args: %s", strings.Join(os.Args[1:], " "))
	for _, kv := range os.Environ() {
		s.note("env: %s", kv)
	}
	server := s.official(*readOnly)
	if strings.HasPrefix(filepath.Base(os.Args[0]), "acme-hub") {
		server = s.hub()
	}
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}

// startEndpoint starts GitHub's own server behind streamable HTTP, and names it in the
// environment. It wants the token and the header that forbids writing.
func startEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: endpoint ANSWERS LOG")
	}
	s, err := newStandIn(ts.MkAbs(args[0]), ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Defer(func() { _ = s.log.Close() })
	const token = "ghp_endpoint0123456789"
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return s.official(r.Header.Get("X-MCP-Readonly") == "true") }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note("request: %s, read-only %s", r.Method, r.Header.Get("X-MCP-Readonly"))
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "no such token: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Defer(server.CloseClientConnections)
	ts.Setenv("MCP_URL", server.URL+"/mcp/")
	ts.Setenv("GITHUB_TOKEN", token)
}

// manyPulls writes a history of so many pull requests, and what GitHub knows of them.
func manyPulls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: manypulls N HISTORY ANSWERS")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	history := "commit feat: zero\ntag v1.0.0\n"
	answers := map[string]any{}
	for i := 1; i <= n; i++ {
		history += fmt.Sprintf("commit Something (#%d)\n", i)
		answers[fmt.Sprintf("/repos/acme/widget/pulls/%d", i)] = map[string]any{"number": i, "title": fmt.Sprintf("feat: number %d", i), "login": "ann"}
	}
	text, err := json.Marshal(answers)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(history+"tag v1.1.0\n"), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), text, 0o666))
}

// variables checks which variables a server has seen, by the log of a stand-in: all of
// the arguments, and nothing but them.
func variables(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: variables LOG NAME…")
	}
	names := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if kv, ok := strings.CutPrefix(line, "env: "); ok {
			name, _, _ := strings.Cut(kv, "=")
			names[name] = true
		}
	}
	if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, args[1:]) {
		ts.Fatalf("the server has seen %q, want %q", got, args[1:])
	}
}
