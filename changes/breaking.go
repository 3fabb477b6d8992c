package changes

import (
	"regexp"
	"strings"
)

// breakingFooter is the footer of Conventional Commits 1.0.0. It must be in
// capitals and stand at the start of a line; the plural is a common slip.
var breakingFooter = regexp.MustCompile(`^(?:\*\*)?BREAKING[ -]CHANGES?(?:\*\*)?(?::(?:\*\*)?(?:\s+(.*))?| #(.*))$`)

// takeBreakingNotes splits the breaking footers off lines. A note is "" when its
// footer has no text. Footers in code fences and HTML comments are examples.
func takeBreakingNotes(lines []string) (rest, notes []string) {
	var state blockState
	for i := 0; i < len(lines); {
		found := breakingFooter.FindStringSubmatch(lines[i])
		if found == nil || state.inside() {
			state.read(lines[i])
			rest = append(rest, lines[i])
			i++
			continue
		}
		length := noteLength(lines[i:])
		note := joinTrimmed(append([]string{found[1] + found[2]}, lines[i+1:i+length]...))
		if !saysNone(note) {
			notes = append(notes, note)
		}
		i += length
	}
	return rest, notes
}

// saysNone recognises the answer to a template that asks for breaking changes.
func saysNone(note string) bool {
	switch strings.ToLower(strings.Trim(note, " .*_")) {
	case "none", "n/a", "na", "no", "nope", "nothing":
		return true
	}
	return false
}

// noteLength counts the lines of the footer that lines begin with. The value runs
// to the next footer. The convention would let it run over everything else too;
// it ends here where a new block follows an empty line, so that neither the
// bullets of a squashed branch nor the headings of a template get into the note.
func noteLength(lines []string) int {
	var state blockState
	text := strings.TrimRight(lines[0], " ")
	begun := !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ":**")
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		if state.inside() || line == "" {
			state.read(line)
			continue
		}
		afterBlank := lines[i-1] == ""
		if breakingFooter.MatchString(line) || isFooter(line) || afterBlank && typeKinds[parseHeader(line).typ] != "" || afterBlank && startsBlock(line) && (begun || !isBullet(line)) {
			return i
		}
		begun = true
		state.read(line)
	}
	return len(lines)
}

var (
	footerLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)(?:: | #)\S`)
	closesLine = regexp.MustCompile(`(?i)^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|part of|related to)[: ]+(?:[\w.-]+/[\w.-]+)?#\d+`)
	cherryLine = regexp.MustCompile(`^\(cherry picked from commit [0-9a-f]+\)$`)
	blockLine  = regexp.MustCompile(`^(?:#{1,6} |[*+-] |\d+[.)] |<!--|</?details|(?:-{3,}|\*{3,}|_{3,}|={3,})$)`)
	bulletLine = regexp.MustCompile(`^(?:[*+-]|\d+[.)]) `)
)

// isFooter reports whether line is a "Token: value" or "Token #value" footer.
// Words that begin a sentence of the note itself are none.
func isFooter(line string) bool {
	if cherryLine.MatchString(line) || closesLine.MatchString(line) {
		return true
	}
	found := footerLine.FindStringSubmatch(line)
	return found != nil && !noteWords[strings.ToLower(found[1])]
}

// noteWords lead into a part of a breaking note: "Before: x", "After: y".
var noteWords = map[string]bool{
	"before": true, "after": true, "migration": true, "note": true, "example": true, "warning": true, "now": true, "instead": true,
	"previously": true, "old": true, "new": true, "upgrade": true, "was": true, "from": true, "to": true, "reason": true, "impact": true,
}

func startsBlock(line string) bool { return blockLine.MatchString(line) }
func isBullet(line string) bool    { return bulletLine.MatchString(line) }

// A blockState follows code fences and HTML comments from line to line.
type blockState struct {
	fence   string // the opening of the fence that is open
	comment bool
}

func (s *blockState) inside() bool { return s.fence != "" || s.comment }

func (s *blockState) read(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case s.comment:
		s.comment = !strings.Contains(line, "-->")
	case s.fence != "":
		if strings.HasPrefix(trimmed, s.fence) && strings.Trim(trimmed, s.fence[:1]) == "" {
			s.fence = ""
		}
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		s.fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
	default:
		if _, after, found := strings.Cut(line, "<!--"); found {
			s.comment = !strings.Contains(after, "-->")
		}
	}
}
