package notes

import (
	"slices"
	"strings"
	"unicode/utf8"

	"release-notes-agent/changes"
)

// Offline drafts the notes from the history alone: one entry for every visible
// change, in the order of the manifest, with the bumps of one dependency in one
// entry. The same manifest always gives the same draft.
func Offline(m changes.Manifest) Draft {
	entries := map[SectionKind][]Entry{}
	raises := raisesOf(m)
	for _, c := range m.Visible() {
		section := SectionOf(c)
		switch r := raises[c.ID]; {
		case r == nil:
			entries[section] = append(entries[section], entryOf(c))
		case r.changes[0].ID == c.ID:
			entries[section] = append(entries[section], r.entry())
		}
	}
	draft := Draft{Sections: []Section{}, LeftOut: []LeftOut{}}
	for _, kind := range SectionKinds() {
		if len(entries[kind]) > 0 {
			draft.Sections = append(draft.Sections, Section{Kind: kind, Title: kind.Title(), Entries: entries[kind]})
		}
	}
	return draft
}

func entryOf(c changes.Change) Entry {
	text := c.Title
	if c.Scope != "" {
		text = c.Scope + ": " + text
	}
	return Entry{
		Text:      shortened(text),
		Changes:   []string{c.ID},
		Details:   slices.Clone(c.Details),
		Migration: c.BreakingNote,
		Source:    FromHistory,
	}
}

// maxEntry is the length, in characters, above which a text is no line of notes but a
// message whose first paragraph never ends.
const maxEntry = 500

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= maxEntry {
		return text
	}
	cut := string([]rune(text)[:maxEntry])
	if i := strings.LastIndexByte(cut, ' '); i > maxEntry/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// A raise is dependencies and the changes that raise them and do nothing else. Changes
// that raise one dependency after the other belong together, and so do the
// dependencies that one change raises: every dependency and every change has one entry.
type raise struct {
	dependencies []changes.Dependency
	changes      []changes.Change
}

// raisesOf finds the raise of each change. One that breaks, or closes a hole, keeps an
// entry of its own.
func raisesOf(m changes.Manifest) map[string]*raise {
	found := map[string]*raise{}
	for _, c := range m.Visible() {
		if SectionOf(c) == Dependency {
			found[c.ID] = &raise{changes: []changes.Change{c}}
		}
	}
	for _, d := range m.Dependencies {
		var first *raise
		for _, id := range d.Changes {
			switch r := found[id]; {
			case r == nil || r == first:
			case first == nil:
				first = r
			default:
				first.join(r, found)
			}
		}
		if first != nil {
			first.dependencies = append(first.dependencies, d)
		}
	}
	return found
}

// join takes over the changes and dependencies of other.
func (r *raise) join(other *raise, found map[string]*raise) {
	for _, c := range other.changes {
		found[c.ID] = r
	}
	r.changes = append(r.changes, other.changes...)
	r.dependencies = append(r.dependencies, other.dependencies...)
}

func (r *raise) entry() Entry {
	switch {
	case len(r.dependencies) == 1:
		return Entry{Text: raisedText(r.dependencies[0]), Changes: r.ids(), Source: FromHistory}
	case len(r.changes) == 1:
		return entryOf(r.changes[0])
	}
	e := Entry{Text: "several dependencies", Changes: r.ids(), Source: FromHistory}
	for _, d := range r.dependencies {
		e.Details = append(e.Details, raisedText(d))
	}
	return e
}

func (r *raise) ids() []string {
	ids := make([]string, len(r.changes))
	for i, c := range r.changes {
		ids[i] = c.ID
	}
	return ids
}

// raisedText tells what became of a dependency over the release.
func raisedText(d changes.Dependency) string {
	if d.From == "" {
		return d.Name + " to " + d.To
	}
	return d.Name + " from " + d.From + " to " + d.To
}
