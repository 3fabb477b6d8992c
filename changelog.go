package main

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"release-notes-agent/history"
)

// errSectionDiffers is the error of insertSection for a release that the changelog
// describes already, in other words.
var errSectionDiffers = errors.New("the release has a section with other text")

var (
	// The name of a release in the heading of its section: "## v1.2.0 (date)", "## [1.2.0] -
	// date", "# web@1.2.0".
	releaseName    = regexp.MustCompile(`(?:^|[\s\[(])\[?((?:@?[\w./-]*[@/_-])?[vV]?\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?)(?:$|[\s\])(,:])`)
	linkDefinition = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:[ \t]*\S`)
	plainHeading   = regexp.MustCompile(`^v?\d+\.\d+\.\d+\S* - \w+ \d{1,2}, \d{4}\s*$`) // "v1.2.0 - May 1, 2026"
	codeFence      = regexp.MustCompile("^ {0,3}(```|~~~)")
)

// insertSection puts the section of a release into the text of a changelog: above the
// newest release that is older than it, below everything else, link definitions at the
// end aside. Every line that is there stays, and line ends are those of the text. A
// section that is there already, word for word, is not put in twice; one with other
// words gives errSectionDiffers. The section is Markdown that begins with its heading,
// name is the release's.
func insertSection(text, section, name string) (string, error) {
	newline := "\n"
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		newline = "\r\n"
	}
	wanted := strings.Split(strings.TrimSpace(section), "\n")
	lines := slices.Collect(strings.Lines(text))
	headings := releaseHeadings(lines)
	for _, h := range headings {
		if order, ok := history.CompareVersions(h.name, name); !ok && h.name != name || order != 0 {
			continue
		}
		if sameText(lines[h.line:sectionEnd(lines, h.line)], wanted) {
			return text, nil
		}
		return "", fmt.Errorf("%w: line %d: %s", errSectionDiffers, h.line+1, strings.TrimSpace(lines[h.line]))
	}
	return splice(lines, placeFor(lines, headings, name), wanted, newline), nil
}

// A releaseHeading is a line that begins the section of a release.
type releaseHeading struct {
	line int
	name string
}

// releaseHeadings finds them.
func releaseHeadings(lines []string) (headings []releaseHeading) {
	for i, line := range outsideCode(lines) {
		if headingLevel(line) == 0 {
			continue
		}
		if found := releaseName.FindStringSubmatch(strings.TrimSpace(strings.TrimLeft(line, "#"))); found != nil {
			headings = append(headings, releaseHeading{i, found[1]})
		}
	}
	return headings
}

// sectionEnd is the line after a section: the next heading that is not below its own.
func sectionEnd(lines []string, start int) int {
	level := headingLevel(lines[start])
	for i, line := range outsideCode(lines[start+1:]) {
		if n := headingLevel(line); n > 0 && n <= level {
			return start + 1 + i
		}
	}
	return len(lines)
}

func headingLevel(line string) int {
	if plainHeading.MatchString(line) {
		return 1
	}
	rest := strings.TrimLeft(line, "#")
	if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return len(line) - len(rest)
}

// outsideCode yields the lines that are not in fenced code, with their numbers. A fence
// that nothing closes is text.
func outsideCode(lines []string) iter.Seq2[int, string] {
	last := map[string]int{}
	for i, line := range lines {
		if found := codeFence.FindStringSubmatch(line); found != nil {
			last[found[1]] = i
		}
	}
	return func(yield func(int, string) bool) {
		fence := ""
		for i, line := range lines {
			found := codeFence.FindStringSubmatch(line)
			switch {
			case found != nil && fence == "" && last[found[1]] > i:
				fence = found[1]
			case found != nil && fence == found[1]:
				fence = ""
			case fence == "" && !yield(i, line):
				return
			}
		}
	}
}

// placeFor finds the line above which the section belongs.
func placeFor(lines []string, headings []releaseHeading, name string) int {
	for _, h := range headings {
		if order, ok := history.CompareVersions(h.name, name); !ok || order < 0 {
			return h.line
		}
	}
	end := len(lines)
	for end > 0 && (linkDefinition.MatchString(lines[end-1]) || strings.TrimSpace(lines[end-1]) == "") {
		end--
	}
	return end
}

// splice puts a section between lines, with one empty line on either side.
func splice(lines []string, at int, section []string, newline string) string {
	var b strings.Builder
	for _, line := range lines[:at] {
		b.WriteString(line)
	}
	if at > 0 {
		if !strings.HasSuffix(lines[at-1], "\n") {
			b.WriteString(newline)
		}
		if strings.TrimSpace(lines[at-1]) != "" {
			b.WriteString(newline)
		}
	}
	for _, line := range section {
		b.WriteString(strings.TrimRight(line, "\r") + newline)
	}
	if at < len(lines) && strings.TrimSpace(lines[at]) != "" {
		b.WriteString(newline)
	}
	for _, line := range lines[at:] {
		b.WriteString(line)
	}
	return b.String()
}

// sameText compares lines without their ends and without the empty ones after them.
func sameText(lines, wanted []string) bool {
	var got []string
	for _, line := range lines {
		got = append(got, strings.TrimRight(line, "\r\n"))
	}
	for len(got) > len(wanted) && (got[len(got)-1] == "" || linkDefinition.MatchString(got[len(got)-1])) {
		got = got[:len(got)-1]
	}
	return slices.Equal(got, wanted)
}
