package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Bounds of one conversation with the model.
const (
	maxRevisions = 2 // times a draft with findings goes back to the model
	maxReminders = 2 // times a model that stops without a draft is asked again
	maxToolCalls = 200
)

// The tools by which a model answers.
const (
	submitTool  = "submit_release_notes"
	arrangeTool = "arrange_release_notes"
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
func draftRelease(ctx context.Context, cfg config, r *release, github *github, records records, ui *ui) drafted {
	offline := notes.Offline(r.manifest)
	if !cfg.wantsModel() {
		if !cfg.offline {
			ui.hint("set OPENAI_API_KEY to let a model draft the notes, or pass --offline")
		}
		return drafted{draft: offline}
	}
	if len(r.manifest.Visible()) == 0 {
		return drafted{draft: offline} // there is nothing to put into words
	}
	started := time.Now()
	d, err := newDrafting(ctx, cfg, r, github, records, ui)
	if err != nil {
		return drafted{draft: offline, warnings: []notes.Warning{modelWarning(err, "all entries come from the history")}}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.timeout, errTimeUp)
	defer cancel()
	out := d.draft(ctx)
	out.usage = d.meter.usage(d.name)
	out.warnings = append(out.warnings, d.replay.warnings()...)
	ui.spent(out.usage, time.Since(started))
	return out
}

// A drafting is what the conversations with the model about one release share.
type drafting struct {
	records
	cfg     config
	release *release
	name    string      // of the model
	model   agent.Model // nil in a replay
	meter   *meter
	system  string       // the same for all, byte for byte, so that servers can keep what they made of it
	tools   []agent.Tool // the same for all, but for the one that takes the draft
	ui      *ui
}

func newDrafting(ctx context.Context, cfg config, r *release, github *github, records records, ui *ui) (*drafting, error) {
	d := &drafting{records: records, cfg: cfg, release: r, name: cfg.model, meter: &meter{limit: cfg.maxTokens}, ui: ui}
	var err error
	if d.system, err = prompts.System(r.background(ctx, cfg)); err != nil {
		return nil, err
	}
	if d.tools, err = historyTools(r); err != nil {
		return nil, err
	}
	if d.replay != nil {
		d.name = d.replay.run.Model
		d.tools = append(d.tools, d.replay.tools(d.tools)...)
		return d, nil
	}
	d.tools = append(d.tools, github.tools(ctx, r.manifest)...) // reading the pull requests has said what is wrong
	d.model, err = openaimodel.New(openaimodel.Options{APIKey: cfg.apiKey, BaseURL: cfg.baseURL, Model: cfg.model, API: openaimodel.API(cfg.api)})
	return d, err
}

// modelOf is the model of one conversation.
func (d *drafting) modelOf(conversation string) agent.Model {
	if d.replay != nil {
		return d.meter.over(d.replay.model(conversation))
	}
	return d.transcript.over(conversation, d.meter.over(d.model))
}

// draft lets the model draft the whole at once, or in batches when it is long.
func (d *drafting) draft(ctx context.Context) drafted {
	m := d.release.manifest
	if len(m.Visible()) > maxTogether {
		return d.draftBatches(ctx)
	}
	d.ui.doing("waiting for the model")
	one := d.write(ctx, "draft", "", m)
	return drafted{draft: one.draft, warnings: warningsOf([]attempt{one})}
}

// converse asks the model in a conversation of that name, and again when it stops before
// done says that it has answered by its tool.
func (d *drafting) converse(ctx context.Context, name, prompt string, answer agent.Tool, done func() bool) error {
	a, err := agent.New(agent.Options{
		Model:       d.modelOf(name),
		Name:        "release-notes",
		System:      d.system,
		Tools:       append(slices.Clone(d.tools), answer),
		WithoutStop: true, // the way to stop is to answer
		Limits:      agent.Limits{Steps: d.cfg.maxSteps, ToolCalls: maxToolCalls},
		Hooks: agent.Hooks{
			OnNewMessage: func(_ context.Context, m agent.Message) error {
				d.ui.message(m)
				d.transcript.message(name, m)
				return nil
			},
		},
	})
	if err != nil {
		return err
	}
	for range 1 + maxReminders {
		result, err := a.Query(ctx, prompt)
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errTimeUp):
			return &budgetError{reason: agent.TimeLimit}
		case err != nil:
			return err
		case result.Reason == agent.StopByTool:
			return nil
		case result.Reason != agent.Done:
			return &budgetError{reason: result.Reason}
		case done():
			return nil // findings were left, and the model gave up on them
		}
		if prompt, err = prompts.Remind(answer.Spec().Name); err != nil {
			return err
		}
	}
	return errNothingSubmitted
}

// errTimeUp ends the conversations when --timeout is over.
var errTimeUp = errors.New("the time for drafting is over")

// errNothingSubmitted is how a conversation ends in which the model never called the
// tool that takes its answer.
var errNothingSubmitted = errors.New("the model ended without submitting a draft")

// budgetError says that a bound of the run was reached.
type budgetError struct{ reason agent.StopReason }

func (e *budgetError) Error() string { return "the agent reached its " + string(e.reason) }

// Hint is the option that sets the bound.
func (e *budgetError) Hint() string {
	switch e.reason {
	case agent.TokenLimit:
		return "--max-tokens N allows more"
	case agent.StepLimit:
		return "--max-steps N allows more"
	case agent.TimeLimit:
		return "--timeout DURATION allows more"
	}
	return ""
}

// A writer drafts the notes of a manifest: it asks the model for a draft, checks what is
// submitted and sends findings back. Its tool may be called side by side.
type writer struct {
	manifest changes.Manifest
	evidence grounding.Evidence

	mu          sync.Mutex
	submissions int
	draft       notes.Draft // the last one submitted
	findings    []notes.Finding
}

// write lets the model work on a manifest, the whole one or a part, until a draft is accepted, the findings have
// gone back often enough, or a bound is reached.
func (d *drafting) write(ctx context.Context, conversation, part string, m changes.Manifest) attempt {
	w := &writer{manifest: m, evidence: d.release.evidence(ctx)}
	prompt, err := prompts.Draft(m, part)
	if err != nil {
		return w.attempt(err)
	}
	submit, err := functool.New(submitTool, "Submit the whole draft. The answer says what is to be mended, if anything.", w.submit)
	if err != nil {
		return w.attempt(err)
	}
	return w.attempt(d.converse(ctx, conversation, prompt, submit, w.submitted))
}

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

// An attempt is what came of one conversation.
type attempt struct {
	draft    notes.Draft     // what can be published
	empty    bool            // nothing was submitted, and all of draft comes from the history
	replaced int             // entries of draft that come from the history
	findings []notes.Finding // that were left in what was submitted
	err      error           // how it ended, if not with a draft
}

// attempt is what the model's last draft says rightly, with the rest from the history.
func (w *writer) attempt(err error) attempt {
	offline := notes.Offline(w.manifest)
	if !w.submitted() {
		return attempt{draft: offline, empty: true, err: err}
	}
	draft, replaced := grounding.Repair(w.draft, offline, w.manifest, w.evidence)
	return attempt{draft: draft, replaced: replaced, findings: w.findings, err: err}
}

// warningsOf tells what was replaced in the drafts of some conversations, and why.
func warningsOf(attempts []attempt) []notes.Warning {
	var warnings []notes.Warning
	var findings []notes.Finding
	failed, replaced, entries := []attempt{}, 0, 0
	for _, a := range attempts {
		if a.err != nil {
			failed = append(failed, a)
		}
		replaced += a.replaced
		for _, section := range a.draft.Sections {
			entries += len(section.Entries)
		}
		findings = append(findings, a.findings...)
	}
	switch {
	case len(failed) > 0 && len(attempts) > 1:
		warnings = append(warnings, modelWarning(failed[0].err, fmt.Sprintf("in %d of %d batches the history takes the place of what the model did not draft", len(failed), len(attempts))))
	case len(failed) > 0 && failed[0].empty:
		warnings = append(warnings, modelWarning(failed[0].err, "all entries come from the history"))
	case len(failed) > 0:
		warnings = append(warnings, modelWarning(failed[0].err, "the last draft is used as far as it holds"))
	}
	if replaced > 0 {
		warnings = append(warnings, notes.Warning{
			Code:    notes.EntriesFromHistory,
			Message: fmt.Sprintf("%d of %d entries come from the history, because the model's draft of them did not hold: %s", replaced, entries, codesOf(findings)),
		})
	}
	return warnings
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
