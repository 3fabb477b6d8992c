// Package notes holds the release notes themselves: the draft that a person, a
// model or the history proposes, the document that joins a draft with the facts
// of the release, and the renderers. Call [Offline] for a draft from the history
// alone, then [NewDocument], then [Markdown] or [JSON].
package notes

import "release-notes-agent/changes"

// A Draft is proposed text, keyed by the ids of the changes behind it. It holds
// no fact of its own: links, authors, dates and versions come from the manifest.
type Draft struct {
	Summary  Summary   `json:"summary"`
	Sections []Section `json:"sections"`
	LeftOut  []LeftOut `json:"left_out"`
}

// A Summary is the opening paragraph. Its zero value means there is none.
type Summary struct {
	Text    string   `json:"text"`
	Changes []string `json:"changes"`
}

// A Section is a heading and its entries.
type Section struct {
	Kind    SectionKind `json:"kind"`
	Title   string      `json:"title"`
	Entries []Entry     `json:"entries"`
}

// An Entry is one item of the notes.
type Entry struct {
	Text      string   `json:"text"`      // plain text with `code spans`; no other markup
	Changes   []string `json:"changes"`   // ids, at least one
	Details   []string `json:"details"`   // sub-items
	Migration string   `json:"migration"` // what users must do, for breaking changes; may span lines and hold fenced code
	Source    Source   `json:"source"`
}

// Source says who wrote an entry.
type Source string

// The sources.
const (
	FromModel   Source = "model"
	FromHistory Source = "history"
)

// A LeftOut is a visible change that the draft does not mention, and why.
type LeftOut struct {
	Change string `json:"change"`
	Reason string `json:"reason"`
}

// SectionKind is the heading an entry stands under. The set is closed.
type SectionKind string

// The sections, in the order of the notes.
const (
	Breaking      SectionKind = "breaking"
	Security      SectionKind = "security"
	Feature       SectionKind = "feature"
	Fix           SectionKind = "fix"
	Performance   SectionKind = "performance"
	Deprecation   SectionKind = "deprecation"
	Removal       SectionKind = "removal"
	Revert        SectionKind = "revert"
	Documentation SectionKind = "documentation"
	Dependency    SectionKind = "dependency"
	Other         SectionKind = "other"
)

// SectionKinds lists every section in the order of the notes.
func SectionKinds() []SectionKind {
	return []SectionKind{Breaking, Security, Feature, Fix, Performance, Deprecation, Removal, Revert, Documentation, Dependency, Other}
}

// SectionOf returns the section that a change belongs in.
func SectionOf(c changes.Change) SectionKind {
	switch {
	case c.Breaking:
		return Breaking
	case c.Kind == changes.Internal:
		return Other
	default:
		return SectionKind(c.Kind)
	}
}

// Title returns the heading of a section.
func (k SectionKind) Title() string {
	switch k {
	case Breaking:
		return "Breaking changes"
	case Security:
		return "Security"
	case Feature:
		return "Features"
	case Fix:
		return "Bug fixes"
	case Performance:
		return "Performance"
	case Deprecation:
		return "Deprecations"
	case Removal:
		return "Removals"
	case Revert:
		return "Reverts"
	case Documentation:
		return "Documentation"
	case Dependency:
		return "Dependencies"
	case Other:
		return "Other changes"
	}
	panic("unknown section " + string(k))
}
