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
	bumps := bumpsOf(m)
	for _, c := range m.Visible() {
		section := SectionOf(c)
		switch bump, ok := bumps[c.ID]; {
		case !ok:
			entries[section] = append(entries[section], entryOf(c))
		case bump.Changes[0] == c.ID:
			entries[section] = append(entries[section], bumpEntry(bump))
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

// bumpEntry tells what became of a dependency over the release.
func bumpEntry(d changes.Dependency) Entry {
	text := d.Name
	if d.From != "" {
		text += " from " + d.From
	}
	return Entry{Text: text + " to " + d.To, Changes: slices.Clone(d.Changes), Source: FromHistory}
}

// bumpsOf finds, for each change that does nothing but raise one dependency, that
// dependency. A change of several dependencies, or one that breaks, keeps an entry
// of its own, and so do all that raise the same.
func bumpsOf(m changes.Manifest) map[string]changes.Dependency {
	plain := map[string]bool{}
	for _, c := range m.Visible() {
		plain[c.ID] = SectionOf(c) == Dependency
	}
	raises := map[string]int{}
	for _, d := range m.Dependencies {
		for _, id := range d.Changes {
			raises[id]++
		}
	}
	bumps := map[string]changes.Dependency{}
	for _, d := range m.Dependencies {
		mixed := func(id string) bool { return !plain[id] || raises[id] > 1 }
		if d.To == "" || slices.ContainsFunc(d.Changes, mixed) {
			continue
		}
		for _, id := range d.Changes {
			bumps[id] = d
		}
	}
	return bumps
}
