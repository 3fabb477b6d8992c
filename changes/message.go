package changes

import (
	"regexp"
	"strings"
)

// A message is a commit message taken apart.
type message struct {
	subject  string // the lines of the first paragraph, joined as git log --format=%s does
	body     string // everything between the subject and the trailers, without breaking notes
	trailers []trailer
	notes    []string // texts of the breaking footers
	breaks   bool     // some footer says that this breaks, with or without a text
}

// A trailer is a Trailer with its value as written, e-mail addresses included.
type trailer struct{ key, value string }

// parseMessage takes text apart as git does: the first paragraph is the subject,
// the last one may be trailers. The convention's own footer is looked for
// everywhere, since squashing leaves it in the middle of the message.
func parseMessage(text string) message {
	title, rest := splitTitle(messageLines(text))
	body, notes := takeBreakingNotes(rest)
	m := newMessage(title, body)
	m.breaks = len(notes) > 0
	for _, note := range notes {
		if note != "" {
			m.notes = append(m.notes, note)
		}
	}
	return m
}

// splitMessage is parseMessage for a message that quotes others: it has no
// breaking notes of its own.
func splitMessage(text string) message {
	return newMessage(splitTitle(messageLines(text)))
}

func newMessage(title, rest []string) message {
	start := trailerStart(rest)
	trailers, others := readTrailers(rest[start:])
	body := append(rest[:start:start], others...)
	return message{subject: strings.Join(title, " "), body: joinTrimmed(body), trailers: trailers}
}

// messageLines cleans text up the way git does for a message that it edited:
// without carriage returns, spaces at line ends and what stands below scissors.
func messageLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\v\f")
	}
	lines = cutScissors(lines)
	return cutSignature(lines)
}

var scissors = regexp.MustCompile(`^[#;@!$%^&|:] -{8,} (>8|8<) -{8,}$`)

// cutScissors drops what git commit --verbose puts below its scissors, and the
// comment lines of the template above them. Other lines with "#" are headings.
func cutScissors(lines []string) []string {
	for i, line := range lines {
		if strings.HasPrefix(line, "# Please enter the commit message") {
			return lines[:i]
		}
		if scissors.MatchString(line) {
			for i > 0 && strings.HasPrefix(lines[i-1], line[:1]) {
				i--
			}
			return lines[:i]
		}
	}
	return lines
}

// cutSignature drops the signature that old versions of git left in messages.
func cutSignature(lines []string) []string {
	for i, line := range lines {
		if line == "-----BEGIN PGP SIGNATURE-----" || line == "-----BEGIN SSH SIGNATURE-----" {
			return lines[:i]
		}
	}
	return lines
}

func splitTitle(lines []string) (title, rest []string) {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for i, line := range lines {
		if line == "" {
			return trimAll(lines[:i]), lines[i+1:]
		}
	}
	return trimAll(lines), nil
}

func trimAll(lines []string) []string {
	trimmed := make([]string, len(lines))
	for i, line := range lines {
		trimmed[i] = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
	}
	return trimmed
}

func joinTrimmed(lines []string) string {
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// trailerStart finds the first line of the trailers, or len(lines) without any.
// It follows find_trailer_block_start in git's trailer.c: the last paragraph
// counts if all its lines are trailers, or if one of them is written by git
// itself and a quarter of them are.
func trailerStart(lines []string) int {
	end := len(lines)
	for end > 0 && lines[end-1] == "" {
		end--
	}
	start := end
	trailers, others, byGit := 0, 0, false
	for start > 0 && lines[start-1] != "" {
		start--
		line := lines[start]
		switch {
		case strings.HasPrefix(line, "Signed-off-by: ") || strings.HasPrefix(line, "(cherry picked from commit "):
			trailers, byGit = trailers+1, true
		case trailerKey.MatchString(line):
			trailers++
		case isContinuation(line) && start > 0 && continuesTrailer(lines[:start]):
		default:
			others++
		}
	}
	if trailers > 0 && (others == 0 || byGit && trailers*3 >= others) {
		return start
	}
	return len(lines)
}

func isContinuation(line string) bool { return line[0] == ' ' || line[0] == '\t' }

// continuesTrailer reports whether an indented line after lines belongs to a trailer.
func continuesTrailer(lines []string) bool {
	for i := len(lines) - 1; i >= 0 && lines[i] != ""; i-- {
		if !isContinuation(lines[i]) {
			return trailerKey.MatchString(lines[i])
		}
	}
	return false
}

var trailerKey = regexp.MustCompile(`^([A-Za-z0-9-]+)[ \t]*:`)

// readTrailers reads the lines of the last paragraph; others are those that are no
// trailers. What git cherry-pick notes there is neither.
func readTrailers(lines []string) (trailers []trailer, others []string) {
	open := false // whether the last line belonged to a trailer
	for _, line := range lines {
		found := trailerKey.FindStringSubmatch(line)
		switch {
		case line == "" || cherryLine.MatchString(line):
		case open && isContinuation(line):
			last := &trailers[len(trailers)-1]
			last.value = strings.TrimSpace(last.value + " " + strings.TrimSpace(line))
		case found != nil:
			open = true
			trailers = append(trailers, trailer{key: found[1], value: strings.TrimSpace(line[len(found[0]):])})
		default:
			open = false
			others = append(others, line)
		}
	}
	return trailers, others
}
