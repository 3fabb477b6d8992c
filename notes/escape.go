package notes

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapeLine writes one line of plain text with code spans as GitHub Flavored
// Markdown that shows it letter for letter: no emphasis, no HTML, no link and no
// mention. What needs no escape gets none. start says whether the line stands
// where a block could begin, as after a list marker.
func escapeLine(text string, start bool) string {
	text = clean(text)
	var b strings.Builder
	plain := 0 // where the plain text that is not written yet begins
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		span := codeSpan(text[i:])
		if span == 0 { // nothing closes it
			i += backticks(text[i:])
			continue
		}
		escapePlain(&b, text, plain, i)
		writeCode(&b, text[i:i+span])
		i += span
		plain = i
	}
	escapePlain(&b, text, plain, len(text))
	if start {
		return escapeBlockStart(b.String())
	}
	return b.String()
}

// clean makes one line of text, without characters that could steer a terminal or
// reorder what is read.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
	return strings.TrimSpace(text)
}

// codeSpan returns the length of the code span that s begins with, 0 if its run of
// backticks is never closed by one of the same length.
func codeSpan(s string) int {
	open := backticks(s)
	for i := open; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := backticks(s[i:])
		if i += run; run == open {
			return i
		}
	}
	return 0
}

func backticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// live is text that GitHub makes a link or a mention of: a web address, an e-mail
// address, a name behind an at sign. In a code span it stays text.
var live = regexp.MustCompile("(?i)" +
	"(?:https?://|ftp://|www\\.)[^\\s<>`]*[^\\s<>`.,;:!?'\")\\]*_~]" +
	"|[^\\s<>`()\\[\\],;:\"]*@[a-z0-9](?:[a-z0-9._/-]*[a-z0-9_/])?")

// escapePlain writes text[from:to], which holds no code span.
func escapePlain(b *strings.Builder, text string, from, to int) {
	last := from
	for _, at := range live.FindAllStringIndex(text[from:to], -1) {
		escapeInline(b, text, last, from+at[0])
		last = from + at[1]
		writeCode(b, "`"+text[from+at[0]:last]+"`")
	}
	escapeInline(b, text, last, to)
}

// writeCode writes a code span, apart from one right before it: their backticks
// would become one run.
func writeCode(b *strings.Builder, span string) {
	if strings.HasSuffix(b.String(), "`") {
		b.WriteByte(' ')
	}
	b.WriteString(span)
}

// escapeInline writes s[from:to] and puts a backslash before each character that
// would begin something in its place.
func escapeInline(b *strings.Builder, s string, from, to int) {
	for i := from; i < to; i++ {
		if special(s, i) || s[i] == '\\' && i+1 == to { // a code span may follow
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
}

// special reports whether the byte at i could begin something, also together with
// what is put before or after s.
func special(s string, i int) bool {
	before, after := around(s, i)
	switch s[i] {
	case '\\':
		return after < utf8.RuneSelf && (unicode.IsPunct(after) || unicode.IsSymbol(after))
	case '`':
		return true
	case '*':
		return !(isGap(before) && isGap(after))
	case '_':
		return !(isWord(before) && isWord(after)) && !(isGap(before) && isGap(after))
	case '~':
		return !(isGap(before) && isGap(after))
	case '[':
		return true
	case '<':
		return unicode.IsLetter(after) || strings.ContainsRune("/!?", after)
	case '&':
		return entity.MatchString(s[i:])
	}
	return false
}

var entity = regexp.MustCompile(`^&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);`)

// around returns the characters beside the byte at i, points at the ends: what will
// stand there is not known.
func around(s string, i int) (before, after rune) {
	before, after = '.', '.'
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	if i+1 < len(s) {
		after, _ = utf8.DecodeRuneInString(s[i+1:])
	}
	return before, after
}

func isGap(r rune) bool  { return unicode.IsSpace(r) }
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// blockStart is what begins a block at the start of a line: a heading, a quote, a
// list, a rule, an underline. The group is what the backslash goes before.
var blockStart = regexp.MustCompile(`^(?:()(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*|:\s]+$|~~~)|\d{1,9}()[.)](?:\s|$))`)

func escapeBlockStart(s string) string {
	at := blockStart.FindStringSubmatchIndex(s)
	switch {
	case at == nil || s == "":
		return s
	case at[2] >= 0:
		return `\` + s
	default:
		return s[:at[4]] + `\` + s[at[4]:]
	}
}
