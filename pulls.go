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

// githubFacts are what GitHub told of the pull requests of a release.
type githubFacts struct {
	Pulls    map[int]changes.PullRequest `json:"pull_requests"`
	Issues   map[int]string              `json:"issues"` // titles
	Warnings []notes.Warning             `json:"warnings"`
	Hints    []string                    `json:"hints"`
}

// read asks GitHub for the pull requests of a release, and, for a model, for the issues
// that they close.
func (g *github) read(ctx context.Context, cfg config, m changes.Manifest) githubFacts {
	var facts githubFacts
	numbers := numbersOf(m)
	facts.Pulls, facts.Warnings = g.pullRequests(ctx, numbers, cfg.maxPulls)
	if ctx.Err() == nil && g.unknown != "" {
		facts.Hints = append(facts.Hints, fmt.Sprintf("no pull request was read before drafting: how to ask %s for one is not known", g.unknown))
	}
	if cfg.wantsModel() {
		titles, hints := g.issues(ctx, closedBy(changes.WithPullRequests(m, facts.Pulls)), cfg.maxPulls-min(len(numbers), cfg.maxPulls))
		facts.Issues, facts.Hints = titles, append(facts.Hints, hints...)
	}
	return facts
}

// pullRequests reads the pull requests with these numbers, side by side and limit of
// them at most. What can't be read is missing from the result, and a warning says
// so once.
func (g *github) pullRequests(ctx context.Context, numbers []int, limit int) (map[int]changes.PullRequest, []notes.Warning) {
	warnings := g.wait(ctx)
	if ctx.Err() != nil || g.pull == nil || len(numbers) == 0 {
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
	r := pullReader{offer: g.pull, found: map[int]changes.PullRequest{}}
	r.readAll(ctx, numbers)
	if missing := len(numbers) - len(r.found); missing > 0 && ctx.Err() == nil {
		warnings = append(warnings, notes.Warning{
			Code:    notes.GitHubUnavailable,
			Message: fmt.Sprintf("%d of %d pull requests could not be read on GitHub; the first of them: %v", missing, len(numbers), r.err),
			Hint:    githubHint(r.err),
		})
	}
	g.hopeless = r.hopeless()
	return r.found, warnings
}

// issues reads the titles of the issues with these numbers, as pullRequests does. What is
// missing is told by a hint and not by a warning: the notes state nothing of issues.
func (g *github) issues(ctx context.Context, numbers []int, limit int) (titles map[int]string, hints []string) {
	if g.wait(ctx); ctx.Err() != nil || g.issue == nil || g.hopeless || len(numbers) == 0 {
		return nil, nil
	}
	if skipped := len(numbers) - limit; skipped > 0 {
		hints = append(hints, fmt.Sprintf("%d of %d issues that pull requests close were not read on GitHub; --mcp-max-pulls counts them as well", skipped, len(numbers)))
		numbers = numbers[:limit]
	}
	r := pullReader{offer: g.issue, found: map[int]changes.PullRequest{}}
	r.readAll(ctx, numbers)
	if missing := len(numbers) - len(r.found); missing > 0 && ctx.Err() == nil {
		hints = append(hints, fmt.Sprintf("%d of %d issues that pull requests close could not be read on GitHub; the first of them: %v", missing, len(numbers), r.err))
	}
	titles = map[int]string{}
	for number, issue := range r.found {
		titles[number] = issue.Title
	}
	return titles, hints
}

// A pullReader reads pull requests, or issues, through a tool of the GitHub server.
type pullReader struct {
	offer *offer

	mu       sync.Mutex
	found    map[int]changes.PullRequest
	failures int
	failed   int   // the lowest number of them
	err      error // about it
}

func (r *pullReader) readAll(ctx context.Context, numbers []int) {
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(pullReaders, len(numbers)) {
		readers.Go(func() {
			for number := range next {
				pull, err := r.read(ctx, number)
				r.add(number, pull, err)
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

func (r *pullReader) add(number int, pull changes.PullRequest, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.found[number] = pull
		return
	}
	if r.failures++; r.err == nil || number < r.failed {
		r.failed, r.err = number, err
	}
}

func (r *pullReader) read(ctx context.Context, number int) (changes.PullRequest, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pullTimeout, fmt.Errorf("no answer within %v", pullTimeout))
	defer cancel()
	out, err := r.offer.read(ctx, number)
	if err != nil {
		return changes.PullRequest{}, fmt.Errorf("#%d: %w", number, err)
	}
	answer, err := parsePull(out.Text)
	if err == nil && answer.Number != number {
		err = fmt.Errorf("the answer is about #%d", answer.Number)
	}
	if err != nil {
		return changes.PullRequest{}, fmt.Errorf("#%d: %w", number, err)
	}
	return changes.PullRequest{Number: number, Title: answer.Title, Body: answer.Body, Labels: answer.Labels, Author: answer.User.Login}, nil
}

// A pullAnswer is what notes need of the JSON of a pull request or an issue.
type pullAnswer struct {
	Number int        `json:"number"`
	Title  string     `json:"title"`
	State  string     `json:"state,omitempty"`
	Merged bool       `json:"merged,omitempty"`
	User   pullUser   `json:"user,omitzero"`
	Labels labelNames `json:"labels,omitempty"`
	Body   string     `json:"body,omitempty"`
}

type pullUser struct {
	Login string `json:"login"`
}

// labelNames are labels as GitHub has them, or as its own server shortens them.
type labelNames []string

func (l *labelNames) UnmarshalJSON(data []byte) error {
	var whole []struct{ Name string }
	if json.Unmarshal(data, (*[]string)(l)) == nil {
		return nil
	}
	*l = nil
	err := json.Unmarshal(data, &whole)
	for _, label := range whole {
		*l = append(*l, label.Name)
	}
	return err
}

// parsePull takes from GitHub's JSON what notes need.
func parsePull(text string) (pullAnswer, error) {
	var answer pullAnswer
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return pullAnswer{}, errors.New("the answer is not the JSON of a pull request or an issue")
	}
	if len(answer.Body) > maxPullBody {
		answer.Body = strings.ToValidUTF8(answer.Body[:maxPullBody], "")
	}
	return answer, nil
}

// closedBy lists the issues of the repository that the shown changes close, as far as
// they are no pull requests of the release.
func closedBy(m changes.Manifest) []int {
	pulls, issues := numbersOf(m), []int{}
	for _, c := range m.Visible() {
		for _, r := range c.References {
			if r.Closes && r.Repository == "" && r.Number != 0 && !slices.Contains(pulls, r.Number) && !slices.Contains(issues, r.Number) {
				issues = append(issues, r.Number)
			}
		}
	}
	return issues
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
