package notes

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"release-notes-agent/changes"
)

// Markdown writes the document as GitHub Flavored Markdown. Text is shown letter
// for letter; only code spans, and fenced code in a migration note, keep their
// meaning. Numbers and links come from the changes behind an entry.
func Markdown(w io.Writer, doc Document) error {
	md := &markdown{changes: map[string]changes.Change{}}
	for _, c := range doc.Changes {
		md.changes[c.ID] = c
	}
	md.document(doc)
	_, err := io.WriteString(w, md.String())
	return err
}

// markdown collects the text of a document.
type markdown struct {
	strings.Builder
	changes map[string]changes.Change // by id
}

func (md *markdown) document(doc Document) {
	md.heading(doc.Release)
	if !doc.Release.Complete {
		md.paragraph("> **Incomplete:** the clone that these notes were made from lacks history, so changes may be missing.")
	}
	if doc.Summary.Text != "" {
		md.paragraph(escapeLine(doc.Summary.Text, true))
	}
	if len(doc.Sections) == 0 && doc.Omitted == 0 {
		md.paragraph("There are no changes to tell of.")
	}
	for _, s := range doc.Sections {
		md.paragraph("### " + escapeLine(s.Title, false))
		md.WriteByte('\n')
		for _, e := range s.Entries {
			md.entry(e)
		}
	}
	md.contributors(doc)
	md.footer(doc)
}

// paragraph writes a block after a blank line.
func (md *markdown) paragraph(text string) {
	if md.Len() > 0 && !strings.HasSuffix(md.String(), "\n\n") {
		md.WriteByte('\n')
	}
	md.WriteString(text + "\n")
}

func (md *markdown) heading(r changes.Release) {
	text := "## " + escapeLine(r.Name, false)
	if r.Date != "" && r.Name != "Unreleased" {
		text += " (" + r.Date + ")"
	}
	md.paragraph(text)
}

func (md *markdown) entry(e Entry) {
	text := md.lead(e)
	if refs := md.references(e.Changes); refs != "" {
		text += " (" + refs + ")"
	}
	fmt.Fprintf(md, "- %s\n", text)
	for _, detail := range e.Details {
		fmt.Fprintf(md, "  - %s\n", escapeLine(detail, true))
	}
	if e.Migration == "" {
		return
	}
	md.WriteByte('\n')
	for _, line := range escapeBlock(e.Migration) {
		md.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
	md.WriteByte('\n')
}

// lead is the text of an entry, with the scope of its change in bold where the
// text begins with it, as entries from the history do.
func (md *markdown) lead(e Entry) string {
	if len(e.Changes) == 1 && e.Source == FromHistory {
		scope := md.changes[e.Changes[0]].Scope
		if rest, ok := strings.CutPrefix(e.Text, scope+": "); ok && scope != "" {
			return "**" + escapeLine(scope, false) + ":** " + escapeLine(rest, false)
		}
	}
	return escapeLine(e.Text, true)
}

// references names the pull requests, or else the commits, behind an entry, each
// once and with its link.
func (md *markdown) references(ids []string) string {
	var refs []string
	for _, id := range ids {
		c, ok := md.changes[id]
		if !ok {
			continue
		}
		name := fmt.Sprintf("#%d", c.PullRequest)
		if c.PullRequest == 0 {
			if len(c.Commits) == 0 {
				continue
			}
			name = c.Commits[0][:min(7, len(c.Commits[0]))]
		}
		if c.URL != "" {
			name = "[" + name + "](" + c.URL + ")"
		}
		if !slices.Contains(refs, name) {
			refs = append(refs, name)
		}
	}
	return strings.Join(refs, ", ")
}

// contributors lists names, never as mentions: notes are read again and again, and
// nobody wants to be called each time.
func (md *markdown) contributors(doc Document) {
	if len(doc.Contributors) == 0 {
		return
	}
	var all, first []string
	for _, c := range doc.Contributors {
		all = append(all, escapeLine(c.Name, false))
		if c.New {
			first = append(first, escapeLine(c.Name, false))
		}
	}
	md.paragraph("### Contributors")
	md.paragraph(escapeBlockStart(strings.Join(all, ", ")))
	if len(first) > 0 {
		md.paragraph("First contributions: " + strings.Join(first, ", "))
	}
}

func (md *markdown) footer(doc Document) {
	if doc.Omitted > 0 {
		md.paragraph("_" + counted(doc.Omitted, "more change") + "_")
	}
	if text := notShown(doc); text != "" {
		md.paragraph("_" + text + "_")
	}
	r := doc.Release
	if r.PreviousTag == "" {
		return
	}
	end := r.Tag
	if end == "" {
		end = r.To[:min(7, len(r.To))]
	}
	text := escapeLine(r.PreviousTag, false) + "..." + escapeLine(end, false)
	if r.CompareURL != "" {
		text = "[" + strings.ReplaceAll(text, "]", `\]`) + "](" + r.CompareURL + ")"
	}
	md.paragraph("**All changes:** " + text)
}

// notShown counts what the notes leave out.
func notShown(doc Document) string {
	var parts []string
	for _, kind := range changes.Kinds() {
		if n := doc.Hidden[kind]; n > 0 {
			parts = append(parts, counted(n, string(kind)+" change"))
		}
	}
	if n := len(doc.LeftOut); n > 0 {
		parts = append(parts, counted(n, "change")+" left out for a reason")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not shown: " + strings.Join(parts, ", ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// escapeBlock writes text of several lines: line breaks, list items and fenced code
// stay, everything else is escaped as in a line. A fence that nothing closes is
// closed at the end.
func escapeBlock(text string) []string {
	var lines []string
	fence := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			lines = append(lines, code(line))
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]+" ") == "" {
				fence = ""
			}
		case fenceOf(trimmed) != "":
			fence = fenceOf(trimmed)
			lines = append(lines, code(trimmed))
		default:
			lines = append(lines, strings.Repeat(" ", min(3, len(line)-len(trimmed)))+escapeItem(trimmed))
		}
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return lines
}

// fenceOf returns the run of characters that opens a fenced block, or "".
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		run := line[:len(line)-len(strings.TrimLeft(line, c))]
		if len(run) >= 3 && !(c == "`" && strings.Contains(line[len(run):], "`")) {
			return run
		}
	}
	return ""
}

// code keeps a line of fenced code as it is, but for what could steer a terminal.
func code(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return indent + clean(line)
}

// escapeItem escapes a line that may be a list item.
func escapeItem(line string) string {
	for _, marker := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, marker); ok {
			return "- " + escapeLine(rest, true)
		}
	}
	return escapeLine(line, true)
}
