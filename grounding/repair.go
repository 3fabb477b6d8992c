package grounding

import (
	"slices"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// Repair returns the draft that can be published: what holds of d, and for every
// change that this no longer covers the entry of offline, which tells nothing but
// the history. The result has no findings as long as offline has none. Repair also
// returns how many entries it took from offline.
func Repair(d notes.Draft, offline notes.Draft, m changes.Manifest, evidence Evidence) (notes.Draft, int) {
	s := newScene(d, m, evidence)
	out := notes.Draft{Summary: d.Summary}
	if len(s.summaryFindings()) > 0 {
		out.Summary = notes.Summary{}
	}
	entries := map[notes.SectionKind][]notes.Entry{}
	covered := map[string]bool{}
	for i, e := range s.entries {
		if len(s.entryFindings(i)) == 0 {
			entries[e.section] = append(entries[e.section], e.Entry)
			cover(covered, e.Changes)
		}
	}
	for _, l := range d.LeftOut {
		if c := s.changes[l.Change]; s.knows(l.Change) && l.Reason != "" && !covered[l.Change] && !(c.Breaking && !c.Reverted) {
			out.LeftOut = append(out.LeftOut, l)
			cover(covered, []string{l.Change})
		}
	}
	taken := 0
	for _, section := range offline.Sections {
		for _, e := range section.Entries {
			e.Changes = slices.DeleteFunc(slices.Clone(e.Changes), func(id string) bool { return covered[id] })
			if len(e.Changes) > 0 {
				e.Source = notes.FromHistory
				entries[section.Kind] = append(entries[section.Kind], e)
				taken++
			}
		}
	}
	for _, kind := range notes.SectionKinds() {
		if len(entries[kind]) > 0 {
			out.Sections = append(out.Sections, notes.Section{Kind: kind, Title: kind.Title(), Entries: entries[kind]})
		}
	}
	return out, taken
}

func cover(covered map[string]bool, ids []string) {
	for _, id := range ids {
		covered[id] = true
	}
}
