package main

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
)

// named is a toolbox of tools that do nothing, under the given names.
func named(names ...string) agent.Tools {
	var tools agent.Tools
	for _, name := range names {
		tools = append(tools, agent.NewTool(agent.ToolSpec{Name: name}, func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
			return agent.ToolOutput{}, nil
		}))
	}
	return tools
}

func TestOpenAIToolNames(t *testing.T) {
	long := "server:" + strings.Repeat("x", 70) + "_end"
	tools, err := openAIToolNames(named("github-mcp-server:get_pull_request", "sérver name:a.b/c", long)).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range tools {
		name := tool.Spec().Name
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name) {
			t.Errorf("OpenAI does not take the name %q", name)
		}
		got = append(got, name)
	}
	want := []string{"github-mcp-server_get_pull_request", "s_rver_name_a_b_c", strings.Repeat("x", 60) + "_end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestOpenAIToolNamesRefusesTwoUnderOneName(t *testing.T) {
	if _, err := openAIToolNames(named("a:b", "a.b")).Tools(t.Context()); err == nil {
		t.Error("two tools got one name")
	}
}

// TestServerEnvironment holds that a server is told where things are, and no secret.
func TestServerEnvironment(t *testing.T) {
	got := serverEnvironment([]string{
		"PATH=/bin", "HOME=/home/ann", "https_proxy=http://proxy", "npm_config_cache=/c", "NODE_OPTIONS=--x",
		"OPENAI_API_KEY=sk-1", "GITHUB_TOKEN=ghp_1", "AWS_SECRET_ACCESS_KEY=s", "npm_config__authToken=t", "NPM_CONFIG__AUTH=t", "SSH_AUTH_SOCK=/s",
	})
	want := []string{"PATH=/bin", "HOME=/home/ann", "https_proxy=http://proxy", "npm_config_cache=/c", "NODE_OPTIONS=--x"}
	if !slices.Equal(got, want) {
		t.Errorf("environment is %q, want %q", got, want)
	}
}

func TestServersAreTold(t *testing.T) {
	tool := func(name, argument string) map[string]agent.Tool {
		spec := agent.ToolSpec{Name: "s:" + name, Parameters: json.RawMessage(`{"type": "object", "properties": {"` + argument + `": {}}}`)}
		return map[string]agent.Tool{name: agent.NewTool(spec, nil)}
	}
	for _, test := range []struct{ tool, argument, want string }{
		{"get_pull_request", "pull_number", npmServer},
		{"pull_request_read", "pullNumber", officialServer},
		{"get_pull_request", "pullNumber", ""}, // an early version of GitHub's own
		{"pull_request_read", "number", ""},
		{"PULL_REQUEST_READ", "pullNumber", ""},
	} {
		if got, known := serverOf(tool(test.tool, test.argument)); got.name != test.want || known != (test.want != "") {
			t.Errorf("%+v: %q", test, got.name)
		}
	}
}

// TestTableOfServers holds that each server has its tools for pull requests and issues.
func TestTableOfServers(t *testing.T) {
	for _, server := range mcpServers {
		for _, name := range []string{server.pull, server.issue} {
			if r := server.reader(name); !slices.Contains(numberArguments, r.number) || r.methods != nil && r.methods[0] != "get" {
				t.Errorf("%s: %+v", server.name, r)
			}
		}
	}
}

func TestMethodsOfTheModel(t *testing.T) {
	schema := json.RawMessage(officialIssue)
	var called string
	tool := agent.NewTool(agent.ToolSpec{Name: "s_issue_read", Parameters: schema}, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		called = string(arguments)
		return agent.ToolOutput{}, nil
	})
	m := changes.Manifest{Changes: []changes.Change{{References: []changes.Reference{{Number: 5}}}}}
	limited := modelTools([]offer{{reader: mcpServers[1].reader("issue_read"), tool: tool}}, m)[0]
	if text := string(limited.Spec().Parameters); strings.Contains(text, "get_parent") || !strings.Contains(text, "get_comments") {
		t.Errorf("schema %s", text)
	}
	for arguments, want := range map[string]string{
		`{"method": "get", "issue_number": 5}`:                                          `{"issue_number":5,"method":"get"}`,
		`{"method": "get_comments", "issue_number": 5, "page": 2, "x": 1, "METHOD": 1}`: `{"issue_number":5,"method":"get_comments","page":2}`,
		`{"method": "get_parent", "issue_number": 5}`:                                   "",
		`{"method": "GET", "issue_number": 5}`:                                          "",
		`{"method": ["get"], "issue_number": 5}`:                                        "",
		`{"Method": "get", "issue_number": 5}`:                                          "",
		`{"issue_number": 5}`:                                                           "",
		`{"method": "get", "issue_number": 6}`:                                          "",
		`{"method": "get", "issue_number": 5.0}`:                                        "",
		`{"method": "get", "issue_number": null}`:                                       "",
		`{"method": "get"}`:                                                             "",
		`[]`:                                                                            "",
		`null`:                                                                          "",
	} {
		called = ""
		if _, err := limited.Call(t.Context(), json.RawMessage(arguments)); called != want || (err == nil) != (want != "") {
			t.Errorf("%s: called with %q, %v", arguments, called, err)
		}
	}
}
