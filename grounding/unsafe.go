package grounding

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"release-notes-agent/notes"
)

// unsafe finds what must not stand in text that a model wrote: whatever a renderer,
// a forge or a terminal would act on instead of showing it.
func unsafe(s *scene, i int) []notes.Finding {
	e := s.entries[i]
	if e.Source == notes.FromHistory {
		return nil
	}
	var findings []notes.Finding
	for _, text := range append([]string{e.Text}, e.Details...) {
		findings = append(findings, unsafeText(text)...)
	}
	findings = append(findings, unsafeProse(withoutFences(e.Migration))...)
	for j := range findings {
		findings[j].Changes = e.Changes
	}
	return findings
}

// unsafeText looks at text that stands on one line.
func unsafeText(text string) []notes.Finding {
	if strings.ContainsAny(text, "\r\n") {
		return append(unsafeProse(text), found(text, "write one line, without line breaks"))
	}
	return unsafeProse(text)
}

// unsafeProse looks at text outside fenced code, which may have code spans.
func unsafeProse(text string) []notes.Finding {
	var findings []notes.Finding
	if i := strings.IndexFunc(text, steers); i >= 0 {
		findings = append(findings, found(fmt.Sprintf("%+q", text), "take the control or bidirectional character out"))
	}
	plain := codeSpan.ReplaceAllString(text, "x")
	for _, p := range unsafePatterns {
		if match := p.pattern.FindString(plain); match != "" {
			findings = append(findings, found(strings.TrimSpace(match), p.expected))
		}
	}
	return findings
}

func found(what, expected string) notes.Finding {
	return notes.Finding{Code: notes.Unsafe, Found: what, Expected: expected}
}

func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar
}

var codeSpan = regexp.MustCompile("``[^`]+(?:`[^`]+)*``|`[^`]+`")

var unsafePatterns = []struct {
	pattern  *regexp.Regexp
	expected string
}{
	{regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--`), "no HTML: write it as a code span if it is meant literally"},
	{regexp.MustCompile(`!?\[[^\]]*\]\s?[(\[]`), "no links and images: links are added by the program"},
	{regexp.MustCompile(`(?i)\b(?:https?|ftp)://\S*|\bwww\.\S+|\bmailto:\S*`), "no addresses: links are added by the program"},
	{regexp.MustCompile("(?:^|[^A-Za-z0-9_`/.])@[A-Za-z0-9][A-Za-z0-9-]*"), "no mentions: write a package or decorator as a code span, and no names of people"},
	{regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+/[\w.-]+)?#\d+`), "no closing keywords before a number: references are added by the program"},
	{regexp.MustCompile(`\*\*[^*]+\*\*|__[^_\s][^_]*__\s|(?m)^#{1,6}\s|^\s*(?:[-*+]|\d+[.)])\s`), "plain text: no bold type, headings or list markers"},
	{regexp.MustCompile("```|~~~"), "no fenced code outside migration"},
}

var listMarker = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,3}[.)])\s+`)

// withoutFences takes fenced code and list markers out of a migration note, where
// both may stand.
func withoutFences(text string) string {
	var kept []string
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence == "":
			kept = append(kept, listMarker.ReplaceAllString(line, ""))
		}
	}
	return strings.Join(kept, "")
}
