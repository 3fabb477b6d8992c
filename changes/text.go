package changes

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText returns text as valid UTF-8 without what a terminal, an editor or a
// browser would obey instead of showing: control characters other than newline
// and tab, escape sequences, and characters that turn the direction of writing
// round or can't be seen.
func cleanText(text string) string {
	if isClean(text) {
		return text
	}
	text = escapeSequence.ReplaceAllString(strings.ToValidUTF8(text, string(utf8.RuneError)), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return ' '
		case unicode.IsControl(r) || isInvisible(r):
			return -1
		}
		return r
	}, text)
}

func isClean(text string) bool {
	for i := range len(text) {
		if b := text[i]; b >= utf8.RuneSelf || b < ' ' && b != '\n' && b != '\t' && b != '\r' || b == 0x7f {
			return false
		}
	}
	return true
}

// escapeSequence is what terminals take as a command: CSI, OSC and the short ones.
var escapeSequence = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// isInvisible reports whether r has no shape of its own and can hide or reorder
// text. The joiner and the selectors that emoji are made with stay.
func isInvisible(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return true // direction of writing
	case r == 0x00AD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x200B, r >= 0x2060 && r <= 0x2064, r >= 0x206A && r <= 0x206F, r == 0xFEFF, r == 0x180E:
		return true // no width
	}
	return r >= 0xE0000 && r <= 0xE007F // tags, which spell text that nobody sees
}

// plain is cleanText for a single line.
func plain(text string) string {
	return strings.Join(strings.Fields(cleanText(text)), " ")
}

var (
	bracketedAddress = regexp.MustCompile(`[ \t]?<[^<>\s@]+@[^<>\s@]+>`)
	bareAddress      = regexp.MustCompile(`[\w.+%-]+(?:\[bot\])?@[\w-]+(?:\.[\w-]+)+`)
)

// withoutAddresses takes the e-mail addresses in angle brackets, as they stand
// behind names, out of text.
func withoutAddresses(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return bracketedAddress.ReplaceAllString(text, "")
}

// trailersOf returns the trailers for printing. Those that hold nothing but an
// address are left out.
func trailersOf(found []trailer) []Trailer {
	var trailers []Trailer
	for _, t := range found {
		value := withoutAddresses(t.value)
		if !strings.Contains(value, "://") {
			value = bareAddress.ReplaceAllString(value, "")
		}
		if value = strings.TrimSpace(value); value != "" {
			trailers = append(trailers, Trailer{Key: t.key, Value: value})
		}
	}
	return trailers
}
