package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/agent/functool"
	"release-notes-agent/changes"
	"release-notes-agent/grounding"
	"release-notes-agent/notes"
	"release-notes-agent/prompts"
)

// arrange lets the model look at the entries of all batches once. It may write the
// summary and say which entries come first in their sections; it can neither change an
// entry nor lose one. A failure costs the summary and the order alone.
func (d *drafting) arrange(ctx context.Context, draft notes.Draft) (notes.Draft, []notes.Warning) {
	d.ui.doing("putting the batches together")
	a := arranger{draft: draft, manifest: d.release.manifest, evidence: d.release.evidence(ctx), entries: numbered(draft)}
	prompt, err := prompts.Arrange(a.manifest, draft)
	if err == nil {
		var submit agent.Tool
		submit, err = functool.New(arrangeTool, "Submit the summary and the order. The answer says what is to be mended, if anything.", a.submit)
		if err == nil {
			err = d.converse(ctx, "arrange", prompt, nil, submit, a.submitted)
		}
	}
	if err != nil && !a.submitted() {
		return draft, []notes.Warning{modelWarning(err, "the notes have no summary, and their entries stand in the order of the history")}
	}
	return a.arranged, nil
}

// An arranger holds what the model says of the entries. Its tool may be called side by side.
type arranger struct {
	draft    notes.Draft
	manifest changes.Manifest
	evidence grounding.Evidence
	entries  map[string]notes.Entry // by the id that the model knows them by

	mu          sync.Mutex
	submissions int
	arranged    notes.Draft
}

// arrangement is what the model passes to arrange_release_notes.
type arrangement struct {
	Summary struct {
		Text    string   `json:"text" jsonschema:"two to four sentences of plain text; empty when there is nothing to say beyond the entries"`
		Entries []string `json:"entries" jsonschema:"ids of the entries that it speaks of"`
	} `json:"summary,omitzero" jsonschema:"opening paragraph"`
	First []string `json:"first,omitempty" jsonschema:"ids of the entries that matter most, in that order; each comes first in its own section"`
}

// numbered gives the entries of a draft ids: e1, e2 and so on, as prompts.Arrange does.
func numbered(d notes.Draft) map[string]notes.Entry {
	entries := map[string]notes.Entry{}
	for _, section := range d.Sections {
		for _, e := range section.Entries {
			entries[fmt.Sprintf("e%d", len(entries)+1)] = e
		}
	}
	return entries
}

// submit is the tool that takes an arrangement. One that holds stops the agent; so does
// the last one allowed, without its summary.
func (a *arranger) submit(_ context.Context, s arrangement) (agent.ToolOutput, error) {
	for _, id := range append(slices.Clone(s.First), s.Summary.Entries...) {
		if _, ok := a.entries[id]; !ok {
			return agent.ToolOutput{}, fmt.Errorf("no entry %q: the ids are those of the list, such as e1", id)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.submissions++
	a.arranged = a.ordered(s.First)
	a.arranged.Summary = a.summary(s)
	findings := grounding.CheckSummary(a.arranged.Summary, a.manifest, a.evidence)
	last := a.submissions > maxRevisions
	if len(findings) == 0 {
		return agent.ToolOutput{Text: "The notes are done.", Stop: true}, nil
	}
	text, err := prompts.Revise(findings, last)
	if last {
		a.arranged.Summary = notes.Summary{}
	}
	return agent.ToolOutput{Text: text, Stop: last}, err
}

func (a *arranger) submitted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.submissions > 0
}

// summary cites the changes of the entries that the model's speaks of.
func (a *arranger) summary(s arrangement) notes.Summary {
	summary := notes.Summary{Text: s.Summary.Text, Changes: []string{}}
	for _, id := range s.Summary.Entries {
		summary.Changes = append(summary.Changes, a.entries[id].Changes...)
	}
	return summary
}

// ordered moves the first entries to the front of their sections.
func (a *arranger) ordered(first []string) notes.Draft {
	rank := map[string]int{} // by the first change of an entry, which no other has
	for i, id := range first {
		if changes := a.entries[id].Changes; len(changes) > 0 {
			rank[changes[0]] = i - len(first)
		}
	}
	draft := a.draft
	draft.Sections = slices.Clone(a.draft.Sections)
	for i := range draft.Sections {
		draft.Sections[i].Entries = slices.Clone(draft.Sections[i].Entries)
		slices.SortStableFunc(draft.Sections[i].Entries, func(x, y notes.Entry) int {
			return cmp.Compare(rank[x.Changes[0]], rank[y.Changes[0]])
		})
	}
	return draft
}
