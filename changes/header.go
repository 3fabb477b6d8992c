package changes

import (
	"regexp"
	"strings"
)

// A header is a subject read by Conventional Commits 1.0.0. The type is empty
// for a subject outside the convention; its title is then the whole subject.
type header struct {
	emoji    string // leading emoji or :shortcode:, as in gitmoji
	typ      string // in lower case
	scope    string // or what stands for one outside of the convention, as in Go's "net: …"
	breaking bool   // "!", or gitmoji's 💥
	title    string
}

var (
	conventional = regexp.MustCompile(`^([\pL][\pL\pN_-]*) ?(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))? ?(!)? ?[:：]([\s　]*)(.*)$`)
	// A subject that says nothing but that it breaks.
	breakingSubject = regexp.MustCompile(`^(?:BREAKING(?:[ -]CHANGES?)?|(?i:breaking))(?:\(([^()]*)\))?!?: +(.+)$`)
	keyPrefix       = regexp.MustCompile(`^\[?[A-Z][A-Z\d]*-\d+\]?(?: ?[:-])? +`)
	issueKey        = regexp.MustCompile(`^[A-Z][A-Z\d]*-\d+$`)
	shortcode       = regexp.MustCompile(`^:[a-z0-9_+-]+:`)
)

// parseHeader is lenient: capitals, an emoji in front, spaces around the parts,
// any scope. Only types of the convention may go without a space after the colon.
func parseHeader(subject string) header {
	emoji, rest := cutEmoji(subject)
	boom := strings.Contains(emoji, "💥") || strings.Contains(emoji, ":boom:")
	if found := breakingSubject.FindStringSubmatch(rest); found != nil {
		return header{emoji: emoji, scope: strings.TrimSpace(found[1]), breaking: true, title: found[2]}
	}
	if key := keyPrefix.FindString(rest); key != "" {
		if h := parseHeader(rest[len(key):]); typeKinds[h.typ] != "" {
			return h
		}
	}
	found := conventional.FindStringSubmatch(rest)
	if found == nil || found[5] == "" {
		return header{emoji: emoji, breaking: boom, title: subject}
	}
	typ := strings.ToLower(found[1])
	if issueKey.MatchString(found[1]) {
		return header{emoji: emoji, breaking: boom, title: subject}
	}
	_, known := typeKinds[typ]
	if !known && (found[4] == "" || emoji != "") {
		return header{emoji: emoji, breaking: boom, title: subject}
	}
	scope := strings.TrimSpace(found[2])
	if !known && scope == "" {
		scope = found[1]
	}
	return header{emoji: emoji, typ: typ, scope: scope, breaking: boom || found[3] != "", title: found[5]}
}

// cutEmoji splits leading emoji off subject.
func cutEmoji(subject string) (emoji, rest string) {
	rest = subject
	for {
		if code := shortcode.FindString(rest); code != "" {
			rest = rest[len(code):]
		} else if size := emojiLength(rest); size > 0 {
			rest = rest[size:]
		} else {
			break
		}
		rest = strings.TrimLeft(rest, " ")
	}
	return strings.TrimSpace(subject[:len(subject)-len(rest)]), rest
}

// emojiLength counts the bytes of the emoji that text begins with, joiners and
// variation selectors included. The blocks are those that gitmoji draws from.
func emojiLength(text string) int {
	size := 0
	for i, r := range text {
		pictured := r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF || r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x23FF
		joined := size > 0 && (r == 0xFE0F || r == 0x200D)
		if !pictured && !joined {
			break
		}
		size = i + len(string(r))
	}
	return size
}
