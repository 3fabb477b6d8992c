package changes

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A message is a commit message taken apart.
type message struct {
	subject  string
	body     string // all between subject and trailers
	trailers []Trailer
	notes    []string // values of BREAKING CHANGE footers; "" for one without text
}

// parseMessage takes a message apart as git does: the subject is the first line,
// the trailers are the last paragraph if it is made of them. What stands below a
// scissors line was never meant to be committed.
func parseMessage(text string) message {
	lines := strings.Split(strings.ReplaceAll(clean(text), "\r\n", "\n"), "\n")
	lines = trimBlank(withoutScissors(lines))
	if len(lines) == 0 {
		return message{}
	}
	var m message
	m.subject, lines = subjectOf(lines)
	lines = trimBlank(lines)
	at := trailersStart(lines)
	m.trailers = parseTrailers(lines[at:])
	m.notes = breakingNotes(lines, at)
	m.body = strings.Join(trimBlank(lines[:at]), "\n")
	return m
}

// subjectOf returns the first line, and with it lines that go on with it: a long
// subject that somebody has wrapped.
func subjectOf(lines []string) (string, []string) {
	subject, rest := strings.TrimSpace(lines[0]), lines[1:]
	for len(rest) > 0 && goesOn(rest[0]) {
		subject += " " + strings.TrimSpace(rest[0])
		rest = rest[1:]
	}
	return subject, rest
}

func goesOn(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(first) && !isTrailer(line)
}

var scissors = regexp.MustCompile(`^# -+ >8 -+$`)

// withoutScissors cuts at a scissors line and takes the comment right above it,
// which tells of it, along.
func withoutScissors(lines []string) []string {
	for i, line := range lines {
		if !scissors.MatchString(line) {
			continue
		}
		for i > 0 && strings.HasPrefix(lines[i-1], "#") {
			i--
		}
		return lines[:i]
	}
	return lines
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var trailerLine = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*)\s*:\s*(\S.*)$`)

// isTrailer reports whether a line has the form of a trailer. "Note that: x" has
// not, nor has an address.
func isTrailer(line string) bool {
	m := trailerLine.FindStringSubmatch(line)
	return m != nil && !strings.HasPrefix(m[2], "//")
}

// byGit are trailers that git itself writes: with one of them, a paragraph may hold
// other lines too. See git-interpret-trailers(1).
var byGit = regexp.MustCompile(`^(?:Signed-off-by: |\(cherry picked from commit )`)

// trailersStart returns where the trailers begin: len(lines) if there are none.
func trailersStart(lines []string) int {
	start := len(lines)
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	trailers, others, known := 0, 0, false
	for i, line := range lines[start:] {
		switch {
		case byGit.MatchString(line):
			trailers, known = trailers+1, true
		case isTrailer(line) || breakingFooter.MatchString(line):
			trailers++
		case i > 0 && (line[0] == ' ' || line[0] == '\t'): // goes on with the one above
		default:
			others++
		}
	}
	if trailers > 0 && others == 0 || known && trailers*3 >= others {
		return start
	}
	return len(lines)
}

func parseTrailers(lines []string) []Trailer {
	var trailers []Trailer
	for _, line := range lines {
		if m := trailerLine.FindStringSubmatch(line); m != nil && isTrailer(line) {
			trailers = append(trailers, Trailer{Key: m[1], Value: strings.TrimSpace(m[2])})
			continue
		}
		if n := len(trailers); n > 0 && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) {
			trailers[n-1].Value += " " + strings.TrimSpace(line)
		}
	}
	return trailers
}

// breakingFooter begins a breaking note. The words are written in capitals, as the
// convention demands, at the start of a line: prose that mentions them is no break.
var breakingFooter = regexp.MustCompile(`^BREAKING[ -]CHANGES?\s*(?::|\s#)\s*(.*)$`)

// knownFooter ends a breaking note wherever it stands.
var knownFooter = regexp.MustCompile(`^(?:[A-Za-z]+-(?:[a-z]+-)*by|[Rr]ef(?:s|erences?)?|[Ss]ee(?:-also)?|[Rr]elated(?:-to)?|[Cc]lose[sd]?|[Ff]ix(?:e[sd])?|[Rr]esolve[sd]?|[Ii]ssues?|[Rr]everts?|[Cc]hange-[Ii]d|[Bb]ug|[Ll]ink|[Cc]c|PR|Pull-[Rr]equest)(?::\s|\s#\d)`)

// ending is what ends a breaking note after a blank line: a heading, a list, a rule
// or a comment. By the letter of the convention the note would run on, and the rest
// of a squashed list or of a pull request's template would become part of it.
var ending = regexp.MustCompile(`^(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$|<!--)`)

// breakingNotes returns the values of all BREAKING CHANGE footers, with their line
// breaks and code blocks. Lines from trailers on are trailers.
func breakingNotes(lines []string, trailers int) []string {
	var notes []string
	fenced := false
	for i := 0; i < len(lines); i++ {
		if isFence(lines[i]) {
			fenced = !fenced
		}
		m := breakingFooter.FindStringSubmatch(lines[i])
		if m == nil || fenced {
			continue
		}
		end := noteEnd(lines, i+1, trailers)
		value := append([]string{m[1]}, lines[i+1:end]...)
		notes = append(notes, strings.Join(trimBlank(value), "\n"))
		i = end - 1
	}
	return notes
}

func noteEnd(lines []string, from, trailers int) int {
	fenced := false
	for i := from; i < len(lines); i++ {
		line := lines[i]
		if isFence(line) {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		afterBlank := strings.TrimSpace(lines[i-1]) == ""
		switch {
		case breakingFooter.MatchString(line), knownFooter.MatchString(line):
			return i
		case i >= trailers && isTrailer(line):
			return i
		case afterBlank && ending.MatchString(line):
			return i
		}
	}
	return len(lines)
}

func isFence(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// clean makes text safe to show: control characters, and those that reorder what
// is read, become U+FFFD. Line breaks and tabs stay.
func clean(text string) string {
	steers := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Bidi_Control, r)
	}
	if utf8.ValidString(text) && strings.IndexFunc(text, steers) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
