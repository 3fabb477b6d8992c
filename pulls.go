package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// Bounds of reading pull requests.
const (
	pullReaders     = 8
	pullTimeout     = 20 * time.Second // for one
	maxPullFailures = 10               // then the rest is not asked for
	maxPullBody     = 16 << 10         // bytes of a description that are kept
)

// pullRequests reads the pull requests with these numbers, side by side and limit of
// them at most. What can't be read is missing from the result, and a warning says
// so once.
func (g *github) pullRequests(ctx context.Context, numbers []int, limit int) (map[int]changes.PullRequest, []notes.Warning) {
	list, warnings := g.tools(ctx)
	tool := toolNamed(list, "get_pull_request")
	if tool == nil || len(numbers) == 0 {
		return nil, warnings
	}
	if skipped := len(numbers) - limit; skipped > 0 {
		warnings = append(warnings, notes.Warning{
			Code:    notes.PullRequestsSkipped,
			Message: fmt.Sprintf("%d of %d pull requests were not read on GitHub", skipped, len(numbers)),
			Hint:    fmt.Sprintf("release-notes-agent --mcp --mcp-max-pulls %d", len(numbers)),
		})
		numbers = numbers[:limit]
	}
	r := pullReader{tool: tool, found: map[int]changes.PullRequest{}}
	r.readAll(ctx, numbers)
	if missing := len(numbers) - len(r.found); missing > 0 && ctx.Err() == nil {
		warnings = append(warnings, notes.Warning{
			Code:    notes.GitHubUnavailable,
			Message: fmt.Sprintf("%d of %d pull requests could not be read on GitHub; the first of them: %v", missing, len(numbers), r.err),
			Hint:    hintOf(r.err),
		})
	}
	return r.found, warnings
}

func toolNamed(list []agent.Tool, name string) agent.Tool {
	i := slices.IndexFunc(list, func(t agent.Tool) bool { return strings.HasSuffix(t.Spec().Name, "_"+name) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// A pullReader reads pull requests through a tool of the GitHub server.
type pullReader struct {
	tool agent.Tool

	mu       sync.Mutex
	found    map[int]changes.PullRequest
	failures int
	err      error // the first
}

func (r *pullReader) readAll(ctx context.Context, numbers []int) {
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(pullReaders, len(numbers)) {
		readers.Go(func() {
			for number := range next {
				r.add(r.read(ctx, number))
			}
		})
	}
	for _, number := range numbers {
		if ctx.Err() != nil || r.hopeless() {
			break
		}
		next <- number
	}
	close(next)
	readers.Wait()
}

// hopeless reports whether so much has failed that the rest would too: the server has
// died, the token is not good, or GitHub wants no more questions.
func (r *pullReader) hopeless() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures >= maxPullFailures
}

func (r *pullReader) add(pull changes.PullRequest, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.found[pull.Number] = pull
		return
	}
	if r.failures++; r.err == nil {
		r.err = err
	}
}

func (r *pullReader) read(ctx context.Context, number int) (changes.PullRequest, error) {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	out, err := r.tool.Call(ctx, fmt.Appendf(nil, `{"pull_number": %d}`, number))
	if err != nil {
		return changes.PullRequest{}, fmt.Errorf("#%d: %w", number, err)
	}
	pull, err := parsePull(out.Text)
	if err == nil && pull.Number != number {
		err = fmt.Errorf("the answer is about #%d", pull.Number)
	}
	if err != nil {
		return changes.PullRequest{}, fmt.Errorf("#%d: %w", number, err)
	}
	return pull, nil
}

// parsePull takes from GitHub's JSON what notes need.
func parsePull(text string) (changes.PullRequest, error) {
	var answer struct {
		Number int
		Title  string
		Body   string
		User   struct{ Login string }
		Labels []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return changes.PullRequest{}, errors.New("the answer is not the JSON of a pull request")
	}
	pull := changes.PullRequest{Number: answer.Number, Title: answer.Title, Body: answer.Body, Author: answer.User.Login}
	if len(pull.Body) > maxPullBody {
		pull.Body = strings.ToValidUTF8(pull.Body[:maxPullBody], "")
	}
	for _, label := range answer.Labels {
		pull.Labels = append(pull.Labels, label.Name)
	}
	return pull, nil
}

// numbersOf lists the pull requests of a manifest, those that are shown first.
func numbersOf(m changes.Manifest) []int {
	var shown, others []int
	for _, c := range m.Changes {
		switch {
		case c.PullRequest == 0 || slices.Contains(shown, c.PullRequest) || slices.Contains(others, c.PullRequest):
		case c.Hidden || c.Reverted:
			others = append(others, c.PullRequest)
		default:
			shown = append(shown, c.PullRequest)
		}
	}
	return append(shown, others...)
}

// onlyNumbers makes tools refuse every pull request and issue that the release does
// not name, since nothing else is the model's business, and trims what they answer.
func onlyNumbers(list []agent.Tool, m changes.Manifest) []agent.Tool {
	known := map[int]bool{}
	for _, c := range m.Changes {
		known[c.PullRequest] = c.PullRequest != 0 || known[c.PullRequest]
		for _, r := range c.References {
			known[r.Number] = known[r.Number] || r.Repository == ""
		}
	}
	limited := make([]agent.Tool, len(list))
	for i, tool := range list {
		limited[i] = agent.NewTool(tool.Spec(), func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
			var asked struct {
				PullNumber  int `json:"pull_number"`
				IssueNumber int `json:"issue_number"`
			}
			if err := json.Unmarshal(arguments, &asked); err != nil {
				return agent.ToolOutput{}, fmt.Errorf("the number can't be read: %v", err)
			}
			for _, number := range []int{asked.PullNumber, asked.IssueNumber} {
				if number != 0 && !known[number] {
					return agent.ToolOutput{}, fmt.Errorf("#%d is not named by any change of this release", number)
				}
			}
			if asked.PullNumber == 0 && asked.IssueNumber == 0 {
				return agent.ToolOutput{}, errors.New("there is no pull_number or issue_number")
			}
			return tool.Call(ctx, arguments)
		})
	}
	trimmed, _ := agent.TrimResults(agent.Tools(limited), maxToolResult).Tools(context.Background()) // a list can't fail
	return trimmed
}
