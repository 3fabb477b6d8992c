package notes

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"release-notes-agent/changes"
)

// SchemaVersion is the version of the JSON form of a Document. It grows when a
// field is removed or changes its meaning, not when one is added.
const SchemaVersion = 1

// A Document is a draft joined with the facts of its release. Every renderer is
// a function of it, and its JSON form holds all there is to render.
type Document struct {
	SchemaVersion int                   `json:"schema_version"`
	Release       changes.Release       `json:"release"`
	NextVersion   string                `json:"next_version"`
	Summary       Summary               `json:"summary"`
	Sections      []Section             `json:"sections"`
	Changes       []changes.Change      `json:"changes"`
	Dependencies  []changes.Dependency  `json:"dependencies"`
	Contributors  []changes.Contributor `json:"contributors"`
	LeftOut       []LeftOut             `json:"left_out"`
	Hidden        map[changes.Kind]int  `json:"hidden"`
	Warnings      []Warning             `json:"warnings"`
	Verification  Verification          `json:"verification"`
	Usage         Usage                 `json:"usage"`

	// Omitted counts the entries that Shorten has left out.
	Omitted int `json:"-"`
}

// A Warning tells the reader of the notes, and the person who made them, what
// they can't rely on and what to do about it.
type Warning struct {
	Code    WarningCode `json:"code"`
	Message string      `json:"message"` // lower case, no full stop
	Hint    string      `json:"hint"`    // the next command to type, or ""
}

// WarningCode names a kind of warning for scripts. The set is closed.
type WarningCode string

// The warnings.
const (
	ShallowClone        WarningCode = "shallow-clone"
	TagNotReachable     WarningCode = "tag-not-reachable"
	GitHubUnavailable   WarningCode = "github-unavailable"
	PullRequestsSkipped WarningCode = "pull-requests-skipped"
	ModelUnavailable    WarningCode = "model-unavailable"
	EntriesFromHistory  WarningCode = "entries-from-history"
	BudgetReached       WarningCode = "budget-reached"
	ObjectsMissing      WarningCode = "objects-missing"
	NotesCut            WarningCode = "notes-cut"
	ReplayDiffers       WarningCode = "replay-differs"
)

// A Verification is the result of checking a draft against its manifest.
type Verification struct {
	Entries         int       `json:"entries"`          // entries of the draft
	Cited           int       `json:"cited"`            // of these, with at least one known change behind them
	Visible         int       `json:"visible"`          // changes that the notes must account for
	Covered         int       `json:"covered"`          // of these, in an entry or left out with a reason
	Breaking        int       `json:"breaking"`         // visible breaking changes
	BreakingCovered int       `json:"breaking_covered"` // of these, in the breaking section
	Findings        []Finding `json:"findings"`
}

// A Finding is one way in which a draft says what the history does not bear out.
type Finding struct {
	Code     FindingCode `json:"code"`
	Section  SectionKind `json:"section"`  // where it stands; "" for the summary and for the draft as a whole
	Entry    int         `json:"entry"`    // index in the section, -1 when it is not about one entry
	Changes  []string    `json:"changes"`  // ids it is about
	Found    string      `json:"found"`    // what the draft says
	Expected string      `json:"expected"` // what would be right, in words for the writer of the draft
}

// FindingCode names a rule of package grounding. The set is closed.
type FindingCode string

// The rules, each with the condition under which a draft fails it.
const (
	UnknownChange   FindingCode = "unknown-change"   // an entry cites an id that is not in the manifest
	Uncited         FindingCode = "uncited"          // an entry or the summary cites nothing
	Duplicate       FindingCode = "duplicate"        // an id is in two entries, or two entries say the same
	Missing         FindingCode = "missing"          // a visible change is neither in an entry nor left out with a reason
	MissingBreaking FindingCode = "missing-breaking" // a breaking change is not in the breaking section
	Reverted        FindingCode = "reverted"         // a cancelled change is announced
	WrongSection    FindingCode = "wrong-section"    // a breaking or security entry without such a change behind it
	Unsupported     FindingCode = "unsupported"      // a detail that the evidence of the entry does not hold
	BeforeAfter     FindingCode = "before-after"     // "from X to Y" without evidence of both
	Unsafe          FindingCode = "unsafe"           // markup, links, images, mentions, closing keywords, control characters
	Style           FindingCode = "style"            // an over-long entry, a heading of its own, padding
)

// Usage is what a draft cost. It is zero for a draft from the history alone.
type Usage struct {
	Model        string `json:"model"`
	Requests     int    `json:"requests"`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
}

// NewDocument joins a draft with the facts of its release. Sections stand in the
// order of the notes, under the titles of [SectionKind.Title]; sections of one kind
// are joined, and empty ones left out. A section of an unknown kind, which the check
// of a draft finds, becomes part of Other. Arrays are never nil.
func NewDocument(m changes.Manifest, d Draft) Document {
	doc := Document{
		SchemaVersion: SchemaVersion,
		Release:       m.Release,
		NextVersion:   m.NextVersion,
		Summary:       Summary{Text: d.Summary.Text, Changes: list(d.Summary.Changes)},
		Sections:      inOrder(d.Sections),
		Changes:       list(m.Changes),
		Dependencies:  list(m.Dependencies),
		Contributors:  list(m.Contributors),
		LeftOut:       list(d.LeftOut),
		Hidden:        m.Hidden(),
		Warnings:      []Warning{},
		Verification:  Verification{Findings: []Finding{}},
	}
	for i := range doc.Changes {
		c := &doc.Changes[i]
		c.Labels, c.Commits, c.Authors = list(c.Labels), list(c.Commits), list(c.Authors)
		c.References, c.Trailers = list(c.References), list(c.Trailers)
	}
	for i := range doc.Dependencies {
		doc.Dependencies[i].Changes = list(doc.Dependencies[i].Changes)
	}
	return doc
}

func inOrder(sections []Section) []Section {
	byKind := map[SectionKind][]Entry{}
	for _, s := range sections {
		kind := s.Kind
		if !slices.Contains(SectionKinds(), kind) {
			kind = Other
		}
		for _, e := range s.Entries {
			e.Changes, e.Details = list(e.Changes), list(e.Details)
			byKind[kind] = append(byKind[kind], e)
		}
	}
	ordered := []Section{}
	for _, kind := range SectionKinds() {
		if len(byKind[kind]) > 0 {
			ordered = append(ordered, Section{Kind: kind, Title: kind.Title(), Entries: byKind[kind]})
		}
	}
	return ordered
}

// list copies a slice; nil becomes empty, which JSON shows as [].
func list[T any](s []T) []T { return append([]T{}, s...) }

// JSON writes the document as indented JSON with a newline at the end. "<", ">" and
// "&" stay as they are.
func JSON(w io.Writer, doc Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// ReadJSON reads what JSON wrote. It refuses other schema versions.
func ReadJSON(r io.Reader) (Document, error) {
	var doc Document
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return Document{}, fmt.Errorf("reading document: %w", err)
	}
	if doc.SchemaVersion != SchemaVersion {
		return Document{}, fmt.Errorf("reading document: its schema version is %d; this program reads %d", doc.SchemaVersion, SchemaVersion)
	}
	return doc, nil
}
