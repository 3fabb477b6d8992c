package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/agent/functool"
	"release-notes-agent/changes"
	"release-notes-agent/grounding"
	"release-notes-agent/notes"
	"release-notes-agent/prompts"
)

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
	return w.attempt(d.converse(ctx, conversation, prompt, d.tools, submit, w.submitted))
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
