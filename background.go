package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/history"
	"release-notes-agent/prompts"
)

// Caps of what a model is told of the project itself, in bytes.
const (
	maxAboutBytes        = 2 << 10
	maxStyleBytes        = 6 << 10
	maxInstructionsBytes = 16 << 10
)

// Files in which projects say what they are, and keep their notes.
var (
	readmeNames    = []string{"README.md", "README.rst", "README", "readme.md", "README.txt", "README.adoc"}
	changelogNames = []string{"CHANGELOG.md", "CHANGES.md", "HISTORY.md", "NEWS.md", "changelog.md", "Changelog.md"}
)

// readInstructions reads the file of --instructions.
func readInstructions(cfg config) (string, error) {
	if cfg.instructions == "" {
		return "", nil
	}
	text, err := os.ReadFile(cfg.instructions)
	if err != nil {
		return "", fmt.Errorf("reading --instructions: %w", err)
	}
	if len(text) > maxInstructionsBytes {
		return "", fmt.Errorf("reading --instructions: %s has %d bytes, more than %d; say it in fewer words", cfg.instructions, len(text), maxInstructionsBytes)
	}
	return strings.TrimSpace(string(text)), nil
}

// background is what a model is told beside the changes: what the maintainers want, what
// the project is, and how its earlier notes read.
func (r *release) background(ctx context.Context, cfg config) prompts.Background {
	return prompts.Background{
		Language:     cfg.language,
		Audience:     cfg.audience,
		Instructions: cfg.instructionText,
		About:        firstLines(r.firstFile(ctx, nearPaths(cfg, readmeNames))),
		Style:        r.earlierNotes(ctx, cfg),
	}
}

// nearPaths are the names of files, those in the directory of --path first.
func nearPaths(cfg config, names []string) []string {
	if len(cfg.paths) != 1 {
		return names
	}
	var near []string
	for _, name := range names {
		near = append(near, path.Join(cfg.paths[0], name))
	}
	return append(near, names...)
}

// firstFile reads the first file of names that the release has, or nothing.
func (r *release) firstFile(ctx context.Context, names []string) string {
	for _, name := range names {
		if data, err := r.repo.File(ctx, r.manifest.Release.To, name); err == nil {
			return strings.ToValidUTF8(string(data), "\uFFFD")
		}
	}
	return ""
}

// ornament is a line of a README that says nothing: a badge, an image, markup, a rule.
var ornament = regexp.MustCompile(`^\s*(?:<|!\[|\[!\[|\[!|-{3,}\s*$|={3,}\s*$|\.\. )`)

// firstLines is what a README says first, without ornaments.
func firstLines(readme string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(readme, "\n") {
		line = strings.TrimRight(linkText.ReplaceAllString(line, "$1"), " \r")
		if ornament.MatchString(line) || line == "" && strings.HasSuffix(b.String(), "\n\n") {
			continue
		}
		if b.Len()+len(line) > maxAboutBytes {
			break
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// earlierNotes are the newest sections of the project's changelog, or else the message of
// the tag before, as an example of how its notes read. The section of the release itself
// is none: it would be copied.
func (r *release) earlierNotes(ctx context.Context, cfg config) string {
	if notes := newestSections(r.firstFile(ctx, nearPaths(cfg, changelogNames)), r.manifest.Release); notes != "" {
		return notes
	}
	if r.manifest.Release.PreviousTag == "" {
		return ""
	}
	previous, err := r.repo.Release(ctx, history.Selection{Revision: r.manifest.Release.PreviousTag})
	if err != nil || strings.Count(strings.TrimSpace(previous.TagMessage), "\n") < 2 {
		return "" // "v1.0.0" is no example
	}
	return cutText(previous.TagMessage, maxStyleBytes)
}

// linkText is a link or an image, whose text is enough for an example.
var linkText = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// newestSections are whole sections of releases before r, as many as fit.
func newestSections(changelog string, r changes.Release) string {
	lines := slices.Collect(strings.Lines(changelog))
	headings := releaseHeadings(lines)
	var b strings.Builder
	for i, h := range headings {
		if order, ok := history.CompareVersions(h.name, r.Name); isOf(h.name, r) || ok && order > 0 {
			continue
		}
		end := sectionEnd(lines, h.line)
		if i+1 < len(headings) {
			end = min(end, headings[i+1].line)
		}
		section := linkText.ReplaceAllString(strings.Join(slices.DeleteFunc(slices.Clone(lines[h.line:end]), linkDefinition.MatchString), ""), "$1")
		if b.Len() == 0 {
			section = cutText(section, maxStyleBytes)
		}
		if b.Len()+len(section) > maxStyleBytes {
			break
		}
		b.WriteString(section)
	}
	return strings.TrimSpace(b.String())
}

// cutText is the beginning of a text that is too long, up to the end of a line.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = strings.ToValidUTF8(text[:limit], "")
	return text[:strings.LastIndexByte(text, '\n')+1]
}
