package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/functool"
	"release-notes-agent/agent/openaimodel"
	"release-notes-agent/changes"
	"release-notes-agent/grounding"
	"release-notes-agent/notes"
	"release-notes-agent/prompts"
)

// Bounds of one run of the agent.
const (
	maxRevisions = 2 // times a draft with findings goes back to the model
	maxReminders = 2 // times a model that stops without a draft is asked again
	maxSteps     = 40
	maxToolCalls = 200
	maxRunTime   = 10 * time.Minute
)

// drafted is a draft that can be published, and how it came about.
type drafted struct {
	draft    notes.Draft
	warnings []notes.Warning
	usage    notes.Usage
}

// draftRelease drafts the notes with an agent when cfg asks for one, and from the
// history alone otherwise. It never fails: whatever goes wrong with the agent, the
// history takes its place, and a warning says so.
func draftRelease(ctx context.Context, cfg config, r *release, github *github, ui *ui) drafted {
	out := drafted{draft: notes.Offline(r.manifest)}
	if !cfg.wantsModel() {
		if !cfg.offline {
			ui.hint("set OPENAI_API_KEY to let a model draft the notes, or pass --offline")
		}
		return out
	}
	if len(r.manifest.Visible()) == 0 {
		return out // there is nothing to put into words
	}
	w := &writer{manifest: r.manifest, evidence: r.evidence(ctx)}
	usage, err := w.run(ctx, cfg, r, github.tools(ctx, r.manifest), ui) // reading the pull requests has said what is wrong
	out.usage = usage
	out.draft, out.warnings = w.publishable(out.draft, err)
	return out
}

// A writer is the release-notes agent: it asks a model for a draft, checks what is
// submitted and sends findings back. Its tool may be called side by side.
type writer struct {
	manifest changes.Manifest
	evidence grounding.Evidence

	mu          sync.Mutex
	submissions int
	draft       notes.Draft // the last one submitted
	findings    []notes.Finding
}

// errNothingSubmitted is how a run ends in which the model never called
// submit_release_notes.
var errNothingSubmitted = errors.New("the model ended without submitting a draft")

// run lets the agent work until a draft is accepted, the findings have gone back
// often enough, or a bound is reached. The last draft stays in w whatever happens.
func (w *writer) run(ctx context.Context, cfg config, r *release, github []agent.Tool, ui *ui) (notes.Usage, error) {
	model, err := openaimodel.New(openaimodel.Options{APIKey: cfg.apiKey, BaseURL: cfg.baseURL, Model: cfg.model, API: openaimodel.API(cfg.api)})
	if err != nil {
		return notes.Usage{}, err
	}
	a, err := w.newAgent(model, r, github, ui)
	if err != nil {
		return notes.Usage{}, err
	}
	err = w.converse(ctx, a)
	spent := a.Usage()
	return notes.Usage{
		Model: cfg.model, Requests: spent.Requests,
		InputTokens: spent.InputTokens, OutputTokens: spent.OutputTokens,
	}, err
}

func (w *writer) newAgent(model agent.Model, r *release, github []agent.Tool, ui *ui) (*agent.Agent, error) {
	system, err := prompts.System()
	if err != nil {
		return nil, err
	}
	submit, err := functool.New("submit_release_notes", "Submit the whole draft. The answer says what is to be mended, if anything.", w.submit)
	if err != nil {
		return nil, err
	}
	tools, err := historyTools(r)
	if err != nil {
		return nil, err
	}
	return agent.New(agent.Options{
		Model:       model,
		Name:        "release-notes",
		System:      system,
		Tools:       append(append(tools, submit), github...),
		WithoutStop: true, // the way to stop is to submit
		Limits:      agent.Limits{Steps: maxSteps, ToolCalls: maxToolCalls, Time: maxRunTime},
		Hooks: agent.Hooks{
			BeforeCompletion: func(context.Context, *agent.Request) error { ui.doing("waiting for the model"); return nil },
			OnNewMessage:     func(_ context.Context, m agent.Message) error { ui.message(m); return nil },
		},
	})
}

// converse asks for a draft, and again when the model stops without one.
func (w *writer) converse(ctx context.Context, a *agent.Agent) error {
	prompt, err := prompts.Draft(w.manifest)
	if err != nil {
		return err
	}
	for range 1 + maxReminders {
		result, err := a.Query(ctx, prompt)
		switch {
		case err != nil:
			return err
		case result.Reason == agent.StopByTool:
			return nil
		case result.Reason != agent.Done:
			return &budgetError{reason: result.Reason}
		case w.submitted():
			return nil // findings were left, and the model gave up on them
		}
		if prompt, err = prompts.Remind(); err != nil {
			return err
		}
	}
	return errNothingSubmitted
}

// budgetError says that a bound of the run was reached.
type budgetError struct{ reason agent.StopReason }

func (e *budgetError) Error() string { return "the agent reached its " + string(e.reason) }

// submission is what the model passes to submit_release_notes.
type submission struct {
	Summary  notes.Summary      `json:"summary,omitzero" jsonschema:"opening paragraph, only for a release that has something to say"`
	Sections []submittedSection `json:"sections" jsonschema:"sections in any order, without empty ones"`
	LeftOut  []notes.LeftOut    `json:"left_out,omitempty" jsonschema:"changes that no entry mentions, each with a reason"`
}

type submittedSection struct {
	Kind    notes.SectionKind `json:"kind" jsonschema:"breaking, security, feature, fix, performance, deprecation, removal, revert, documentation, dependency or other"`
	Entries []submittedEntry  `json:"entries"`
}

type submittedEntry struct {
	Text      string   `json:"text" jsonschema:"one sentence of plain text with code spans"`
	Changes   []string `json:"changes" jsonschema:"ids of the changes it describes"`
	Details   []string `json:"details,omitempty" jsonschema:"sub-items, only where one sentence can't say it"`
	Migration string   `json:"migration,omitempty" jsonschema:"for breaking changes: what users must do"`
}

func (s submission) toDraft() notes.Draft {
	d := notes.Draft{Summary: s.Summary, LeftOut: s.LeftOut}
	for _, section := range s.Sections {
		entries := make([]notes.Entry, len(section.Entries))
		for i, e := range section.Entries {
			entries[i] = notes.Entry{Text: e.Text, Changes: e.Changes, Details: e.Details, Migration: e.Migration, Source: notes.FromModel}
		}
		d.Sections = append(d.Sections, notes.Section{Kind: section.Kind, Entries: entries})
	}
	return d
}

// submit is the tool that takes a draft. A clean one stops the agent; so does the
// last one allowed.
func (w *writer) submit(_ context.Context, s submission) (agent.ToolOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.submissions++
	w.draft = s.toDraft()
	w.findings = grounding.Check(w.draft, w.manifest, w.evidence).Findings
	if len(w.findings) == 0 {
		return agent.ToolOutput{Text: "The draft holds.", Stop: true}, nil
	}
	last := w.submissions > maxRevisions
	text, err := prompts.Revise(w.findings, last)
	return agent.ToolOutput{Text: text, Stop: last}, err
}

func (w *writer) submitted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.submissions > 0
}

// publishable returns what the model's last draft says rightly, with the rest from
// the history, and warnings that tell what was replaced and why.
func (w *writer) publishable(offline notes.Draft, err error) (notes.Draft, []notes.Warning) {
	if !w.submitted() {
		return offline, []notes.Warning{modelWarning(err, "all entries come from the history")}
	}
	draft, replaced := grounding.Repair(w.draft, offline, w.manifest, w.evidence)
	var warnings []notes.Warning
	if err != nil {
		warnings = append(warnings, modelWarning(err, "the last draft is used as far as it holds"))
	}
	if replaced > 0 {
		warnings = append(warnings, notes.Warning{
			Code:    notes.EntriesFromHistory,
			Message: fmt.Sprintf("%d entries come from the history, because the model's draft of them did not hold: %s", replaced, codesOf(w.findings)),
		})
	}
	return draft, warnings
}

func modelWarning(err error, consequence string) notes.Warning {
	w := notes.Warning{Code: notes.ModelUnavailable, Message: fmt.Sprintf("%v: %s", err, consequence), Hint: hintOf(err)}
	var budget *budgetError
	if errors.As(err, &budget) {
		w.Code = notes.BudgetReached
	}
	return w
}

func codesOf(findings []notes.Finding) string {
	var codes []string
	seen := map[notes.FindingCode]bool{}
	for _, f := range findings {
		if !seen[f.Code] {
			seen[f.Code] = true
			codes = append(codes, string(f.Code))
		}
	}
	return strings.Join(codes, ", ")
}
