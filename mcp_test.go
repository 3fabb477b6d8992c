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
