package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// How a long release is drafted: in batches, each a conversation of its own about some
// of the changes, side by side.
const (
	maxTogether = 30 // changes that are drafted in one conversation
	batchSize   = 12 // changes in a batch at most
	maxParallel = 6  // conversations at the same time
)

// draftBatches drafts a long release. A batch that fails costs its own entries alone,
// and what the batches say is not written anew when they are put together. Dependencies
// are told by the history: their versions are all there is to say.
func (d *drafting) draftBatches(ctx context.Context) drafted {
	m := d.release.manifest
	parts := batches(m)
	attempts := make([]attempt, len(parts))
	var done atomic.Int32
	sideBySide(maxParallel, len(parts), func(i int) {
		d.ui.doing("drafting: %d of %d batches are done", done.Load(), len(parts))
		part := fmt.Sprintf("part %d of %d", i+1, len(parts))
		attempts[i] = d.write(ctx, part, part, parts[i])
		done.Add(1)
	})
	out := drafted{draft: merge(attempts, told(m)), warnings: warningsOf(attempts)}
	if slices.ContainsFunc(attempts, func(a attempt) bool { return !a.empty }) {
		var warnings []notes.Warning
		out.draft, warnings = d.arrange(ctx, out.draft)
		out.warnings = append(out.warnings, warnings...)
	}
	return out
}

// sideBySide calls do for the numbers below n, limit of them at the same time.
func sideBySide(limit, n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(limit, n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// batches splits what a model is to draft into manifests of one size, by and large.
// Changes of one section and scope stay side by side, so that what belongs together has
// a chance to become one entry.
func batches(m changes.Manifest) []changes.Manifest {
	list := slices.DeleteFunc(m.Visible(), isTold)
	slices.SortStableFunc(list, func(a, b changes.Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(notes.SectionKinds(), notes.SectionOf(a)), slices.Index(notes.SectionKinds(), notes.SectionOf(b))),
			cmp.Compare(a.Scope, b.Scope),
		)
	})
	count := (len(list) + batchSize - 1) / batchSize
	parts := make([]changes.Manifest, count)
	for i := range parts {
		parts[i] = about(m, list[i*len(list)/count:(i+1)*len(list)/count])
	}
	return parts
}

// isTold reports whether the history alone tells of a change, in a release that is
// drafted in batches.
func isTold(c changes.Change) bool { return notes.SectionOf(c) == notes.Dependency }

// about is a manifest of some of the changes.
func about(m changes.Manifest, list []changes.Change) changes.Manifest {
	m.Changes = list
	ids := map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	m.Dependencies = slices.Clone(m.Dependencies)
	m.Dependencies = slices.DeleteFunc(m.Dependencies, func(d changes.Dependency) bool {
		return slices.ContainsFunc(d.Changes, func(id string) bool { return !ids[id] })
	})
	return m
}

// told is the draft of what the history alone tells.
func told(m changes.Manifest) notes.Draft {
	list := slices.DeleteFunc(m.Visible(), func(c changes.Change) bool { return !isTold(c) })
	return notes.Offline(about(m, list))
}

// merge puts the drafts of the batches together, section by section.
func merge(attempts []attempt, rest notes.Draft) notes.Draft {
	entries := map[notes.SectionKind][]notes.Entry{}
	merged := notes.Draft{Sections: []notes.Section{}, LeftOut: []notes.LeftOut{}}
	add := func(d notes.Draft) {
		merged.LeftOut = append(merged.LeftOut, d.LeftOut...)
		for _, section := range d.Sections {
			entries[section.Kind] = append(entries[section.Kind], section.Entries...)
		}
	}
	for _, a := range attempts {
		add(a.draft)
	}
	add(rest)
	for _, kind := range notes.SectionKinds() {
		if len(entries[kind]) > 0 {
			merged.Sections = append(merged.Sections, notes.Section{Kind: kind, Title: kind.Title(), Entries: entries[kind]})
		}
	}
	return merged
}
