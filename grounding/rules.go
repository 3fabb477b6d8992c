package grounding

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// The rules of citing. Each says in Expected what the writer of the draft is to do.

func uncited(s *scene, i int) []notes.Finding {
	if e := s.entries[i]; len(e.Changes) == 0 {
		return []notes.Finding{{Code: notes.Uncited, Found: e.Text, Expected: "cite the ids of the changes that the entry describes, or drop the entry"}}
	}
	return nil
}

func unknownChange(s *scene, i int) []notes.Finding {
	return each(s.entries[i].Changes, func(id string) bool { return !s.knows(id) }, notes.Finding{
		Code: notes.UnknownChange, Expected: "cite only ids of the list of changes",
	})
}

func reverted(s *scene, i int) []notes.Finding {
	return each(s.entries[i].Changes, func(id string) bool { return s.changes[id].Reverted }, notes.Finding{
		Code: notes.Reverted, Expected: "the change was reverted in the same release: do not mention it",
	})
}

// duplicate finds ids that an earlier entry cites, or this one twice.
func duplicate(s *scene, i int) []notes.Finding {
	again := func(id string) bool { return s.told[id][0] != i || s.leftOut[id] }
	findings := each(s.entries[i].Changes, again, notes.Finding{
		Code: notes.Duplicate, Expected: "mention each change in one entry only, and not in left_out as well",
	})
	ids := slices.Sorted(slices.Values(s.entries[i].Changes))
	if len(slices.Compact(slices.Clone(ids))) < len(ids) {
		findings = append(findings, notes.Finding{
			Code: notes.Duplicate, Changes: s.entries[i].Changes, Expected: "cite each id once in an entry",
		})
	}
	return findings
}

// sameText finds an entry that says what an earlier one says.
func sameText(s *scene, i int) []notes.Finding {
	e := s.entries[i]
	if e.Source == notes.FromHistory {
		return nil
	}
	if s.said[normal(e.Text)] == i {
		return nil
	}
	return []notes.Finding{{
		Code: notes.Duplicate, Changes: e.Changes, Found: e.Text,
		Expected: "an earlier entry says the same: make them one entry that cites the ids of both, or tell them apart",
	}}
}

// normal is what two texts that say the same have in common.
func normal(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func wrongSection(s *scene, i int) []notes.Finding {
	e := s.entries[i]
	cites := func(is func(changes.Change) bool) bool {
		return slices.ContainsFunc(e.Changes, func(id string) bool { return s.knows(id) && is(s.changes[id]) })
	}
	expected := ""
	switch {
	case !slices.Contains(notes.SectionKinds(), e.section):
		expected = fmt.Sprintf("use one of the sections %v", notes.SectionKinds())
	case e.section == notes.Breaking && !cites(func(c changes.Change) bool { return c.Breaking }):
		expected = "none of the cited changes is breaking: move the entry to another section"
	case e.section == notes.Security && !cites(func(c changes.Change) bool { return c.Kind == changes.Security }):
		expected = "none of the cited changes is about security: move the entry to another section"
	default:
		return nil
	}
	return []notes.Finding{{Code: notes.WrongSection, Changes: e.Changes, Found: string(e.section), Expected: expected}}
}

// notBreaking finds breaking changes that are told outside the breaking section.
func notBreaking(s *scene, i int) []notes.Finding {
	if s.entries[i].section == notes.Breaking {
		return nil
	}
	return each(s.entries[i].Changes, func(id string) bool { return s.changes[id].Breaking && !s.changes[id].Reverted }, notes.Finding{
		Code: notes.MissingBreaking, Expected: "the change is breaking: its entry belongs in the section \"breaking\"",
	})
}

// each makes a finding for every id that fails.
func each(ids []string, fails func(id string) bool, f notes.Finding) []notes.Finding {
	var findings []notes.Finding
	for _, id := range ids {
		if fails(id) {
			f.Changes, f.Found = []string{id}, id
			findings = append(findings, f)
		}
	}
	return findings
}

// summaryFindings is what the rules find in the summary.
func (s *scene) summaryFindings() []notes.Finding {
	summary := s.draft.Summary
	if summary.Text == "" && len(summary.Changes) == 0 {
		return nil
	}
	findings := unsafeText(summary.Text)
	if len(findings) == 0 {
		findings = s.unsupportedText(summary.Text, summary.Changes)
	}
	if len(summary.Changes) == 0 {
		findings = append(findings, notes.Finding{Code: notes.Uncited, Expected: "cite the ids of the changes that the summary speaks of, or drop it"})
	}
	for _, id := range summary.Changes {
		switch c, ok := s.changes[id]; {
		case !ok:
			findings = append(findings, notes.Finding{Code: notes.UnknownChange, Changes: []string{id}, Expected: "cite only ids of the list of changes in the summary"})
		case c.Reverted:
			findings = append(findings, notes.Finding{Code: notes.Reverted, Changes: []string{id}, Expected: "the change was reverted in the same release: do not mention it in the summary"})
		}
	}
	for i := range findings {
		findings[i].Entry = -1
		if findings[i].Found == "" {
			findings[i].Found = summary.Text
		}
	}
	return findings
}

// draftFindings is what the draft lacks, and what is wrong with what it leaves out.
func (s *scene) draftFindings() []notes.Finding {
	var findings []notes.Finding
	add := func(code notes.FindingCode, id, expected string) {
		findings = append(findings, notes.Finding{Code: code, Entry: -1, Changes: []string{id}, Expected: expected})
	}
	for _, l := range s.draft.LeftOut {
		switch {
		case !s.knows(l.Change):
			add(notes.UnknownChange, l.Change, "leave out only ids of the list of changes")
		case l.Reason == "":
			add(notes.Missing, l.Change, "give a reason for leaving the change out, or an entry")
		}
	}
	for _, c := range s.visible {
		switch {
		case s.told[c.ID] != nil: // where it is told wrongly, the entry has a finding
		case c.Breaking:
			add(notes.MissingBreaking, c.ID, "the change is breaking: give it an entry in the section \"breaking\"")
		case !s.listed(c.ID):
			add(notes.Missing, c.ID, "give the change an entry, or leave it out with a reason")
		}
	}
	return findings
}

// listed reports whether the draft leaves a change out, with or without a reason.
func (s *scene) listed(id string) bool {
	_, ok := s.leftOut[id]
	return ok
}
