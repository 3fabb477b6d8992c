package grounding

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// Evidence returns what stands behind a change beyond its own text, such as its diff.
// It is asked for what the text does not bear out, and may be nil.
type Evidence func(id string) string

// claims are the details of a text that can be held against the evidence, the longer
// forms first. Ordinary words claim nothing.
var claims = regexp.MustCompile("(?i:" +
	"``[^`]+(?:`[^`]+)*``|`[^`]+`" + // code
	`|\bCVE-\d{4}-\d{4,7}\b|\bGHSA(?:-[0-9a-z]{4}){3}\b` +
	`|\b\d+(?:[.,]\d+)?[ \x{a0}\x{202f}]?(?:%|percent\b|per cent\b)` + // percentages
	`|\bv?\d+(?:\.\d+)+(?:[-+][0-9a-z][0-9a-z.+-]*)?` + // versions and fractions
	`|--[a-z][\w-]*` + // options
	`|(?:~|\.{1,2}|\B)/[\w.-]+(?:/[\w.-]+)*|\b[\w.-]+(?:/[\w.-]+)*/[\w-]+\.[a-z]\w{0,5}\b` + // paths
	`|\b\w+(?:(?:\.|::|->)\w+)*\(\)` + // calls
	`|\b[a-z]\w*_\w+\b` + // snake_case and ENVIRONMENT_VARIABLES
	`)|\b[a-z]+[A-Z]\w*\b` + // camelCase
	`|\b[vV]?\d{1,3}(?:[,'\x{2009}\x{a0}\x{202f}]\d{3})+|\b[vV]?\d+(?:,\d+)?`) // numbers

// everyday are names that look like identifiers and are none.
var everyday = map[string]bool{"macos": true, "ios": true, "ipados": true, "iphone": true, "ipad": true, "grpc": true, "ebpf": true, "ebook": true}

var fromTo = regexp.MustCompile("(?i)\\bfrom (`[^`]+`|\\S*\\d\\S*) to (`[^`]+`|\\S*\\d[^\\s,;:]*)")

// unsupported finds the details of an entry that its changes do not bear out. Unsafe
// text has to be written anew in any case.
func unsupported(s *scene, i int) []notes.Finding {
	e := s.entries[i]
	if e.Source == notes.FromHistory || !slices.ContainsFunc(e.Changes, s.knows) || len(unsafe(s, i)) > 0 {
		return nil
	}
	return s.unsupportedText(strings.Join(append(slices.Clone(e.Details), e.Text, withoutFences(e.Migration)), "\n"), e.Changes)
}

func (s *scene) unsupportedText(text string, ids []string) []notes.Finding {
	proof := proof{scene: s, ids: ids}
	var findings []notes.Finding
	told := map[string]bool{}
	add := func(code notes.FindingCode, what, expected string) {
		findings = append(findings, notes.Finding{Code: code, Changes: ids, Found: what, Expected: expected})
	}
	for _, found := range fromTo.FindAllStringSubmatch(text, -1) {
		if before, after := proof.bears(found[1]), proof.bears(found[2]); !before || !after {
			add(notes.BeforeAfter, found[0], "the cited changes do not hold both sides: say only what they do")
			told[found[1]], told[found[2]] = true, true
		}
	}
	for _, claim := range claimsOf(text) {
		if !told[claim] && !proof.bears(claim) {
			told[claim] = true
			add(notes.Unsupported, claim, "neither the text nor the diff of the cited changes holds this: take it out, or make one entry with the change that does")
		}
	}
	return findings
}

// claimsOf finds the claims of a text in any language. What begins in the middle of a word
// with letters beyond ASCII, as "/o" does in "größe/o", is none.
func claimsOf(text string) []string {
	var list []string
	for _, at := range claims.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		if first := text[at[0]]; before >= utf8.RuneSelf && hasCase(before) && (first == '/' || isWordRune(rune(first)) && !isDigit(rune(first))) {
			continue
		}
		list = append(list, text[at[0]:at[1]])
	}
	return list
}

// hasCase reports whether a letter is of an alphabet that sets words apart by spaces;
// Chinese and Japanese write code right beside their own words.
func hasCase(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) }

// A proof is the evidence of some changes, read as far as it is needed.
type proof struct {
	scene *scene
	ids   []string
	texts []string // in lower case: the changes' own, then what Evidence returns
	all   bool
}

// bears reports whether the evidence holds a detail.
func (p *proof) bears(claim string) bool {
	claim = strings.ToLower(strings.Trim(claim, "`.,;:!?()*"))
	if claim == "" || everyday[claim] {
		return true
	}
	if p.texts == nil {
		for _, id := range p.ids {
			p.texts = append(p.texts, strings.ToLower(p.scene.ownText(id)))
		}
	}
	if p.holdAny(claim) {
		return true
	}
	if p.all || p.scene.evidence == nil {
		return false
	}
	p.all = true
	for _, id := range p.ids {
		p.texts = append(p.texts, strings.ToLower(p.scene.evidence(id)))
	}
	return p.holdAny(claim)
}

// holdAny looks for a detail in each of the ways in which languages write it.
func (p *proof) holdAny(claim string) bool {
	if percent.MatchString(claim) {
		return slices.ContainsFunc(spellings(claim), p.contain) // the number alone proves nothing
	}
	return slices.ContainsFunc(spellings(claim), p.hold)
}

var (
	grouped = regexp.MustCompile(`^(?:\d{1,3}(?:[.,'\x{2009}\x{a0}\x{202f}]\d{3})+|\d{4,})$`)
	decimal = regexp.MustCompile(`^\d+,\d+$`)
	percent = regexp.MustCompile(`^(\d+(?:[.,]\d+)?)[ \x{a0}\x{202f}]?(?:%|percent|per cent)$`)
)

// spellings are a detail as it is and, of a number, as others write it: 1,000 is 1.000
// in German and 1000 in code, and 2,5 is 2.5.
func spellings(claim string) []string {
	list := []string{claim}
	if grouped.MatchString(claim) {
		plain := strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf && isDigit(r) {
				return r
			}
			return -1
		}, claim)
		list = append(list, plain, thousands(plain))
	}
	if found := percent.FindStringSubmatch(claim); found != nil {
		for _, sign := range []string{"%", " %", "\u00a0%", "\u202f%", " percent", " per cent"} {
			list = append(list, found[1]+sign, strings.Replace(found[1], ",", ".", 1)+sign)
		}
	}
	if status, err := strconv.Atoi(claim); err == nil {
		if name := strings.ToLower(http.StatusText(status)); name != "" { // 500 is INTERNAL_SERVER_ERROR in code
			joined := strings.ReplaceAll(name, " ", "")
			list = append(list, name, strings.ReplaceAll(name, " ", "_"), joined, "status"+joined)
		}
	}
	if decimal.MatchString(claim) {
		list = append(list, strings.Replace(claim, ",", ".", 1))
	}
	return list
}

// thousands sets digits apart as English does.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// hold looks for the detail as it is, then for each of its words: code is often put
// together of what stands apart.
func (p *proof) hold(claim string) bool {
	if p.contain(claim) {
		return true
	}
	words := strings.FieldsFunc(claim, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("()[]{}<>=\"',;:|&", r)
	})
	return len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !p.contain(strings.Trim(w, "`.")) })
}

func (p *proof) contain(word string) bool {
	return slices.ContainsFunc(p.texts, func(text string) bool { return holdsWord(text, word) || holdsWord(text, strings.TrimPrefix(word, "v")) })
}

// holdsWord reports whether text holds word, not as a part of a longer one. A number is
// no part of "1.2" either.
func holdsWord(text, word string) bool {
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joins(before, word[0], text[:start]) && !joinsAfter(after, word[len(word)-1], text[end:]) {
			return true
		}
		from = start + 1
	}
	return word == ""
}

// joins reports whether what stands before a word makes it part of another.
func joins(before rune, first byte, text string) bool {
	switch {
	case isDigit(rune(first)) && before == '.':
		head := strings.TrimSuffix(text, ".")
		last, _ := utf8.DecodeLastRuneInString(head)
		return isDigit(last)
	case isDigit(rune(first)):
		return isDigit(before)
	}
	return isWordRune(rune(first)) && isWordRune(before)
}

func joinsAfter(after rune, last byte, text string) bool {
	switch {
	case isDigit(rune(last)) && after == '.':
		next, _ := utf8.DecodeRuneInString(text[1:])
		return isDigit(next)
	case isDigit(rune(last)):
		return isDigit(after)
	}
	return isWordRune(rune(last)) && isWordRune(after)
}

func isDigit(r rune) bool    { return '0' <= r && r <= '9' }
func isWordRune(r rune) bool { return r == '_' || hasCase(r) || unicode.IsDigit(r) }

// ownText is what a change says of itself, and the release's names.
func (s *scene) ownText(id string) string {
	c := s.changes[id]
	parts := append([]string{c.Type, c.Scope, c.Title, c.Body, c.BreakingNote, fmt.Sprintf("#%d", c.PullRequest)}, c.Details...)
	parts = append(append(parts, c.Labels...), s.names...)
	for _, t := range c.Trailers {
		parts = append(parts, t.Key+": "+t.Value)
	}
	for _, r := range c.References {
		parts = append(parts, fmt.Sprintf("%s#%d %s %s", r.Repository, r.Number, r.Key, r.Title))
	}
	for _, d := range s.dependencies {
		if slices.Contains(d.Changes, id) {
			parts = append(parts, d.Name, d.From, d.To)
		}
	}
	return strings.Join(parts, "\n")
}

// namesOf are the release's own: they may stand anywhere.
func namesOf(m changes.Manifest) []string {
	return []string{m.Release.Name, m.Release.Tag, m.Release.PreviousTag, m.NextVersion}
}

// maxEntryLength is the length, in characters, above which an entry is none that people
// read.
const maxEntryLength = 400

func style(s *scene, i int) []notes.Finding {
	e := s.entries[i]
	if n := utf8.RuneCountInString(e.Text); e.Source != notes.FromHistory && n > maxEntryLength {
		return []notes.Finding{{Code: notes.Style, Changes: e.Changes, Found: fmt.Sprintf("%d characters", n), Expected: "write one sentence, and put what it can't hold into details"}}
	}
	return nil
}
