package mcptoolbox

import (
	"regexp"
	"strings"
	"unicode"
)

// Foreign text is looked at up to scanned bytes, in which secrets are found, and
// shown up to shown bytes.
const (
	scanned = 16 << 10
	shown   = 300
)

// escapes are the sequences that colour text on terminals and set their titles.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])`)

// line makes the beginning of foreign text fit for one line of a log or an error. It
// redacts before it cuts: half a secret would not be found.
func (r redactor) line(text []byte) string {
	long := len(text) > scanned
	clean := strings.ToValidUTF8(string(text[:min(len(text), scanned)]), "")
	clean = strings.Map(printable, escapes.ReplaceAllString(clean, ""))
	clean = strings.TrimSpace(r.redact(clean))
	if len(clean) > shown {
		clean, long = strings.ToValidUTF8(clean[:shown], ""), true
	}
	if long {
		clean += "…"
	}
	return clean
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
