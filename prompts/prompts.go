// Package prompts holds every text that this program sends to a model, as
// templates in the files beside it. What comes from a repository goes into them as
// JSON, in which "<" is escaped, so that no text can close the block it stands in.
package prompts

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

//go:embed *.tmpl
var files embed.FS

// Caps of what a request holds of the text of people, in bytes.
const (
	maxTitleBytes  = 400
	maxBodyBytes   = 4 << 10  // of one change
	maxBodiesBytes = 96 << 10 // of all changes together
	maxIssueTitles = 5        // of one change

	maxEntriesBytes = 96 << 10 // of all entries that are to be arranged
	maxEntryBytes   = 300
	entryOverhead   = 40 // what an entry takes beside its text
)

// A Background is what a model is told beside the changes. The first three are the words
// of the person who runs the program, the others text of the repository.
type Background struct {
	Language     string // to write in; that of the changes when empty
	Audience     string // who reads the notes
	Instructions string // of the maintainers
	About        string // what the project says of itself
	Style        string // earlier notes of the project
}

// System returns the system prompt. It is the same for every request of a release.
func System(b Background) (string, error) { return execute("system.tmpl", b) }

// Draft returns the prompt that asks for a draft of the notes of m; part names it when it
// is one of several manifests of a release, as in "part 2 of 7". It lists every
// change that the notes must account for; bodies share a fixed amount of room, and
// a change says so when its text was cut.
func Draft(m changes.Manifest, part string) (string, error) {
	visible := m.Visible()
	request := draftRequest{Release: m.Release, Part: part}
	room := min(maxBodyBytes, maxBodiesBytes/max(len(visible), 1))
	for _, c := range visible {
		told := tell(c, room)
		if told.Cut {
			request.Cut++
		}
		request.Changes = append(request.Changes, told)
	}
	return execute("draft.tmpl", request)
}

// Revise returns the answer to a draft with findings. After the last draft allowed
// it asks for no other.
func Revise(findings []notes.Finding, last bool) (string, error) {
	revision := revision{Last: last}
	for _, f := range findings {
		next := placedFinding{Finding: f, Where: place(f)}
		if n := len(revision.Findings); n > 0 && revision.Findings[n-1].says(next) {
			revision.Findings[n-1].More = append(revision.Findings[n-1].More, f.Found)
			continue
		}
		revision.Findings = append(revision.Findings, next)
	}
	return execute("revise.tmpl", revision)
}

// Remind returns the prompt for a model that stopped without calling the tool that takes
// its answer.
func Remind(tool string) (string, error) { return execute("remind.tmpl", tool) }

// Arrange returns the prompt for the last look at a draft that was made in batches. Its
// entries are numbered e1, e2 and so on; the weightiest sections come first, and what
// does not fit is counted alone.
func Arrange(m changes.Manifest, d notes.Draft) (string, error) {
	request := arrangeRequest{Release: m.Release}
	room, number := maxEntriesBytes, 0
	for _, section := range d.Sections {
		for _, e := range section.Entries {
			number++
			told := toldEntry{ID: fmt.Sprintf("e%d", number), Section: section.Kind, Text: strings.Join(append([]string{e.Text}, e.Details...), "; ")}
			if short := cut(told.Text, maxEntryBytes); short != told.Text {
				told.Text = short + "…"
			}
			if room -= len(told.Text) + entryOverhead; room < 0 {
				request.Cut++
				continue
			}
			request.Entries = append(request.Entries, told)
		}
	}
	return execute("arrange.tmpl", request)
}

type arrangeRequest struct {
	Release changes.Release
	Entries []toldEntry
	Cut     int // entries that are not told
}

type toldEntry struct {
	ID      string            `json:"id"`
	Section notes.SectionKind `json:"section"`
	Text    string            `json:"text"`
}

type draftRequest struct {
	Release changes.Release
	Part    string // empty for the whole
	Changes []toldChange
	Cut     int // changes whose text was cut
}

// A toldChange is what the model is told of one change.
type toldChange struct {
	ID           string            `json:"id"`
	Section      notes.SectionKind `json:"section"`
	Breaking     bool              `json:"breaking,omitempty"`
	Scope        string            `json:"scope,omitempty"`
	Title        string            `json:"title"`
	BreakingNote string            `json:"breaking_note,omitempty"`
	Details      []string          `json:"details,omitempty"`
	Body         string            `json:"body,omitempty"`
	Closes       []string          `json:"closes,omitempty"` // titles of issues
	Cut          bool              `json:"cut,omitempty"`
}

func tell(c changes.Change, room int) toldChange {
	told := toldChange{
		ID: c.ID, Section: notes.SectionOf(c), Breaking: c.Breaking, Scope: c.Scope,
		Title:        cut(c.Title, maxTitleBytes),
		BreakingNote: cut(c.BreakingNote, maxBodyBytes),
		Body:         cut(c.Body, room),
	}
	for left, i := room, 0; i < len(c.Details) && left >= len(c.Details[i]); i++ {
		left -= len(c.Details[i])
		told.Details = append(told.Details, c.Details[i])
	}
	for _, r := range c.References {
		if r.Title != "" && len(told.Closes) < maxIssueTitles {
			told.Closes = append(told.Closes, cut(r.Title, maxTitleBytes))
		}
	}
	told.Cut = told.Title != c.Title || told.BreakingNote != c.BreakingNote ||
		told.Body != c.Body || len(told.Details) < len(c.Details)
	return told
}

// cut returns the first bytes of s, ending between two characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

type revision struct {
	Findings []placedFinding
	Last     bool
}

type placedFinding struct {
	notes.Finding
	Where string
	More  []string // found in the same place for the same reason
}

// says reports whether two findings differ in nothing but what was found.
func (f placedFinding) says(g placedFinding) bool {
	return f.Code == g.Code && f.Where == g.Where && f.Expected == g.Expected && slices.Equal(f.Changes, g.Changes) && f.Found != "" && g.Found != ""
}

// aboutSummary are the findings that are about the summary where they are about no section.
var aboutSummary = map[notes.FindingCode]bool{
	notes.Uncited: true, notes.Unsupported: true, notes.BeforeAfter: true, notes.Unsafe: true, notes.Style: true,
}

// place says in words where a finding stands.
func place(f notes.Finding) string {
	switch {
	case f.Section == "" && aboutSummary[f.Code]:
		return "the summary"
	case f.Section == "":
		return ""
	case f.Entry < 0:
		return fmt.Sprintf("section %q", f.Section)
	default:
		return fmt.Sprintf("entry %d of section %q", f.Entry+1, f.Section)
	}
}

func execute(name string, data any) (string, error) {
	funcs := template.FuncMap{"json": marshal, "join": strings.Join, "counted": counted}
	t, err := template.New(name).Funcs(funcs).ParseFS(files, name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, data)
	return strings.TrimSpace(text.String()), err
}

// counted is a number and what it counts, in the plural where there are more.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// marshal writes a value as JSON with "<", ">" and "&" escaped.
func marshal(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
