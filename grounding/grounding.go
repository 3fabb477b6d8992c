// Package grounding checks release notes against the history they describe. Call
// [Check]; when findings are left, [Repair] replaces what failed by text from the
// history. Both are pure functions.
//
// Text is held to the rules where a model wrote it. Entries from the history quote
// people, letter for letter, and a renderer shows them so; they are held to the
// rules of citing alone.
package grounding

import (
	"slices"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// Check holds every rule against a draft and reports what fails, in the order of
// the draft, then what the draft lacks. A draft without findings says nothing that
// m and the evidence do not bear out, and leaves out nothing that m demands.
func Check(d notes.Draft, m changes.Manifest, evidence Evidence) notes.Verification {
	s := newScene(d, m, evidence)
	v := notes.Verification{Findings: append([]notes.Finding{}, s.findings()...)}
	for i := range v.Findings {
		v.Findings[i].Changes = append([]string{}, v.Findings[i].Changes...) // [] in JSON, never null
	}
	for _, e := range s.entries {
		v.Entries++
		if slices.ContainsFunc(e.Changes, s.knows) {
			v.Cited++
		}
	}
	for _, c := range m.Visible() {
		v.Visible++
		if s.told[c.ID] != nil || s.leftOut[c.ID] {
			v.Covered++
		}
		if c.Breaking {
			v.Breaking++
			if s.toldAsBreaking(c.ID) {
				v.BreakingCovered++
			}
		}
	}
	return v
}

// CheckSummary holds the rules for summaries against one, whatever else the draft says.
func CheckSummary(summary notes.Summary, m changes.Manifest, evidence Evidence) []notes.Finding {
	return newScene(notes.Draft{Summary: summary}, m, evidence).summaryFindings()
}

// A scene is a draft and its manifest, made ready for the rules.
type scene struct {
	draft   notes.Draft
	changes map[string]changes.Change
	visible []changes.Change
	entries []placed
	told    map[string][]int // by id: the entries that cite it, as indices of entries
	leftOut map[string]bool  // by id: left out with a reason
	said    map[string]int   // by what a model says: the first entry that says it

	evidence     Evidence
	names        []string // of the release
	dependencies []changes.Dependency
}

// placed is an entry and where it stands.
type placed struct {
	notes.Entry
	section notes.SectionKind
	index   int
}

func newScene(d notes.Draft, m changes.Manifest, evidence Evidence) *scene {
	s := &scene{
		draft: d, visible: m.Visible(), evidence: evidence, names: namesOf(m), dependencies: m.Dependencies,
		changes: map[string]changes.Change{}, told: map[string][]int{}, leftOut: map[string]bool{}, said: map[string]int{},
	}
	for _, c := range m.Changes {
		s.changes[c.ID] = c
	}
	for _, section := range d.Sections {
		for i, e := range section.Entries {
			for _, id := range e.Changes {
				s.told[id] = append(s.told[id], len(s.entries))
			}
			if _, again := s.said[normal(e.Text)]; !again && e.Source != notes.FromHistory {
				s.said[normal(e.Text)] = len(s.entries)
			}
			s.entries = append(s.entries, placed{e, section.Kind, i})
		}
	}
	for _, l := range d.LeftOut {
		s.leftOut[l.Change] = l.Reason != ""
	}
	return s
}

func (s *scene) knows(id string) bool {
	_, ok := s.changes[id]
	return ok
}

func (s *scene) toldAsBreaking(id string) bool {
	return slices.ContainsFunc(s.told[id], func(i int) bool { return s.entries[i].section == notes.Breaking })
}

// findings holds every rule against the draft.
func (s *scene) findings() []notes.Finding {
	findings := s.summaryFindings()
	for i := range s.entries {
		findings = append(findings, s.entryFindings(i)...)
	}
	return append(findings, s.draftFindings()...)
}

// A rule looks at one entry, by its index among the entries of the draft.
type rule func(s *scene, i int) []notes.Finding

// entryFindings is what the rules find in one entry.
func (s *scene) entryFindings(i int) []notes.Finding {
	var findings []notes.Finding
	for _, rule := range []rule{uncited, unknownChange, reverted, duplicate, sameText, wrongSection, notBreaking, unsafe, unsupported, style} {
		for _, f := range rule(s, i) {
			f.Section, f.Entry = s.entries[i].section, s.entries[i].index
			findings = append(findings, f)
		}
	}
	return findings
}
