package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
	"release-notes-agent/prompts"
)

// githubOf is a GitHub server that has started and offers one tool.
func githubOf(call func(ctx context.Context, number int) (string, error)) *github {
	spec := agent.ToolSpec{
		Name: "github-mcp-server_get_pull_request", Description: "Get a pull request.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"pull_number": {}, "issue_number": {}}}`),
	}
	tool := agent.NewTool(spec, func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		var asked struct {
			PullNumber int `json:"pull_number"`
		}
		if err := json.Unmarshal(arguments, &asked); err != nil {
			return agent.ToolOutput{}, err
		}
		text, err := call(ctx, asked.PullNumber)
		return agent.ToolOutput{Text: text}, err
	})
	o := offer{reader: mcpServers[0].reader("get_pull_request"), tool: tool}
	g := &github{started: make(chan struct{}), offers: []offer{o}, pull: &o}
	close(g.started)
	return g
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

func TestPullRequestsAreReadUpToALimit(t *testing.T) {
	var calls atomic.Int64
	g := githubOf(func(_ context.Context, number int) (string, error) {
		calls.Add(1)
		return fmt.Sprintf(`{"number": %d, "title": "t", "body": %q, "user": {"login": "ann"}, "labels": [{"name": "bug"}]}`, number, strings.Repeat("é", maxPullBody)), nil
	})
	pulls, warnings := g.pullRequests(t.Context(), numbers(412), 300)
	if len(pulls) != 300 || calls.Load() != 300 {
		t.Errorf("%d pull requests by %d calls, want 300", len(pulls), calls.Load())
	}
	if len(warnings) != 1 || warnings[0].Code != notes.PullRequestsSkipped || warnings[0].Message != "112 of 412 pull requests were not read on GitHub" {
		t.Errorf("warnings %+v", warnings)
	}
	if body := pulls[7].Body; len(body) > maxPullBody || strings.Contains(body, "\ufffd") {
		t.Errorf("a body of %d bytes was kept", len(body))
	}
}

func TestPullRequestsAreGivenUp(t *testing.T) {
	var calls atomic.Int64
	g := githubOf(func(_ context.Context, number int) (string, error) {
		if calls.Add(1) <= 20 {
			return fmt.Sprintf(`{"number": %d, "title": "t"}`, number), nil
		}
		return "", errors.New("the server is not running")
	})
	pulls, warnings := g.pullRequests(t.Context(), numbers(300), 300)
	if len(pulls) != 20 || calls.Load() > 20+maxPullFailures+pullReaders {
		t.Errorf("%d pull requests by %d calls", len(pulls), calls.Load())
	}
	if len(warnings) != 1 || warnings[0].Code != notes.GitHubUnavailable || !strings.HasPrefix(warnings[0].Message, "280 of 300 pull requests could not be read") {
		t.Errorf("warnings %+v", warnings)
	}
}

// TestSlowAnswers holds that each answer has its time, and that a server that answers
// nothing is given up.
func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := githubOf(func(ctx context.Context, number int) (string, error) {
			if number%2 == 0 {
				<-ctx.Done()
				return "", context.Cause(ctx)
			}
			time.Sleep(pullTimeout / 2)
			return fmt.Sprintf(`{"number": %d, "title": "t"}`, number), nil
		})
		begin := time.Now()
		pulls, warnings := g.pullRequests(t.Context(), numbers(300), 300)
		if took := time.Since(begin); took > 4*pullTimeout {
			t.Errorf("it took %v", took)
		}
		if len(pulls) == 0 || len(warnings) != 1 || !strings.HasSuffix(warnings[0].Message, "#2: no answer within 20s") {
			t.Errorf("%d pull requests, %+v", len(pulls), warnings)
		}
		tool := modelTools(g.offers, changes.Manifest{Changes: []changes.Change{{PullRequest: 2}}})[0]
		if _, err := tool.Call(t.Context(), json.RawMessage(`{"pull_number": 2}`)); err == nil || !strings.Contains(err.Error(), "no answer within 20s") {
			t.Errorf("a model's call: %v", err)
		}
	})
}

func TestAnswersThatAreNoPullRequest(t *testing.T) {
	for _, answer := range []string{"", "[]", "null", `{"number": 2}`, "not json", `{"number": "1"}`} {
		g := githubOf(func(context.Context, int) (string, error) { return answer, nil })
		if pulls, warnings := g.pullRequests(t.Context(), []int{1}, 300); len(pulls) != 0 || len(warnings) != 1 {
			t.Errorf("%q: %v, %+v", answer, pulls, warnings)
		}
	}
}

func TestOnlyNumbersOfTheRelease(t *testing.T) {
	g := githubOf(func(_ context.Context, number int) (string, error) { return fmt.Sprint(number), nil })
	m := changes.Manifest{Changes: []changes.Change{
		{ID: "c1", PullRequest: 12, References: []changes.Reference{{Number: 5}, {Repository: "acme/other", Number: 6}}},
	}}
	tool := modelTools(g.offers, m)[0]
	for arguments, allowed := range map[string]bool{
		`{"pull_number": 12}`: true, `{"issue_number": 5, "other": 1}`: true, `{"issue_number": 5, "pull_number": 0}`: false, `{"pull_number": 5}`: true,
		`{"pull_number": 6}`: false, `{"pull_number": 99}`: false, `{}`: false, `{"pull_number": -1}`: false, `{"pull_number": "12"}`: false,
		`{"pull_number": 13, "issue_number": -1}`: false, `{"pull_number": 99, "PULL_NUMBER": 12}`: false, `{"PULL_NUMBER": 12}`: false,
	} {
		if _, err := tool.Call(t.Context(), json.RawMessage(arguments)); (err == nil) != allowed {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// BenchmarkRequest measures what a model is sent for 200 pull requests with ordinary
// descriptions. A token is taken for four bytes, as OpenAI's rule of thumb has it.
func BenchmarkRequest(b *testing.B) {
	const pulls = 200
	var m changes.Manifest
	for i := range pulls {
		body := strings.Repeat("What it does and why it was needed, said at some length. ", i%40)
		m.Changes = append(m.Changes, changes.Change{
			ID: fmt.Sprintf("c%d", i+1), Kind: changes.Feature, Type: "feat", Scope: "api", Title: fmt.Sprintf("list widgets by property number %d of many", i),
			Body: body, PullRequest: 1000 + i, References: []changes.Reference{{Number: 9000 + i, Closes: true, Title: "widgets are in no order that anybody asked for"}}, Labels: []string{"enhancement"}, Authors: []string{"Ann Author"},
		})
	}
	size := 0
	for b.Loop() {
		text, err := prompts.Draft(m, "")
		if err != nil {
			b.Fatal(err)
		}
		size = len(text)
	}
	b.ReportMetric(float64(size)/4/pulls, "tokens/pull")
}
