package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/grounding"
	"release-notes-agent/history"
	"release-notes-agent/notes"
)

// errFindings is how verify ends when the notes do not hold.
var errFindings = errors.New("the notes do not hold")

// verifyNotes holds notes that a person or another tool wrote against the history.
func verifyNotes(ctx context.Context, cfg config, file string, stdout io.Writer, ui *ui) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the notes: %w", err)
	}
	release, err := openRelease(cfg)
	if err != nil {
		return err
	}
	defer release.Close()
	if err := release.read(ctx, cfg); err != nil {
		return err
	}
	for _, w := range release.warnings {
		ui.warning(w)
	}
	section, err := notesOf(string(text), release.manifest.Release)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	findings := grounding.CheckText(section, release.manifest, release.evidence(ctx))
	findings = slices.DeleteFunc(findings, release.inRange)
	if err := printFindings(stdout, cfg.format, file, findings); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	if len(findings) > 0 {
		return errFindings
	}
	return nil
}

// notesOf leaves of a changelog the section of a release, and empty lines in the place of
// the others. What is unreleased has whatever stands above the releases. A text with one
// section is about the release, or else about the wrong one.
func notesOf(text string, r changes.Release) (string, error) {
	lines := slices.Collect(strings.Lines(text))
	headings := releaseHeadings(lines)
	start, end := 0, len(lines)
	switch i := slices.IndexFunc(headings, func(h releaseHeading) bool { return isOf(h.name, r) }); {
	case i >= 0:
		start, end = headings[i].line, sectionEnd(lines, headings[i].line)
		if i+1 < len(headings) {
			end = min(end, headings[i+1].line)
		}
	case len(headings) > 0 && r.Tag == "" && len(headings) > 1:
		end = headings[0].line
	case len(headings) > 0 && r.Tag != "":
		return "", fmt.Errorf("there is no section of %s, only of %s", r.Tag, headingNames(headings))
	}
	var b strings.Builder
	for i, line := range lines {
		if i >= start && i < end {
			b.WriteString(line)
		} else {
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

// isOf reports whether a heading names a release, with or without what stands before its version.
func isOf(name string, r changes.Release) bool {
	order, ok := history.CompareVersions(name, r.Name)
	return name == r.Name || ok && order == 0
}

func headingNames(headings []releaseHeading) string {
	var names []string
	for _, h := range headings[:min(len(headings), 3)] {
		names = append(names, h.name)
	}
	if len(headings) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// inRange reports whether a finding is about something of the range that is no change of
// the notes, such as a merge, a commit that makes the release, or a pull request that
// leaves the paths alone: other tools list those.
func (r *release) inRange(f grounding.TextFinding) bool {
	if f.Code != notes.UnknownChange {
		return false
	}
	if number, ok := strings.CutPrefix(f.Found, "#"); ok {
		return slices.ContainsFunc(r.whole().Changes, func(c changes.Change) bool { return strconv.Itoa(c.PullRequest) == number })
	}
	return slices.ContainsFunc(r.commits, func(c changes.Commit) bool { return strings.HasPrefix(c.Hash, f.Found) })
}

// whole is the manifest of the range without regard to paths.
func (r *release) whole() changes.Manifest {
	return changes.Collect(r.manifest.Release, r.commits, &changes.Options{Forge: r.forge})
}

func printFindings(w io.Writer, format, file string, findings []grounding.TextFinding) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"schema_version": notes.SchemaVersion, "findings": append([]grounding.TextFinding{}, findings...)})
	}
	for _, f := range findings {
		message := fmt.Sprintf("%s: %s: %s", f.Code, oneLine(f.Found), oneLine(f.Expected))
		line := fmt.Sprintf("%s:%d: %s\n", file, max(1, f.Line), message)
		if format == "github" {
			line = fmt.Sprintf("::error file=%s,line=%d::%s\n", annotation(file), max(1, f.Line), annotation(message))
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// annotation escapes what GitHub Actions reads in its commands.
func annotation(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
