package changes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCleanText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain\n\ttext é 日本語 🎉 👩‍🚀 ♻️", "plain\n\ttext é 日本語 🎉 👩‍🚀 ♻️"},
		{"red \x1b[31mtext\x1b[0m \x1b]0;title\x07end", "red text end"},
		{"bell\x07 null\x00 delete\x7f next\u009b31m", "bell null delete next31m"},
		{"user\u202egnp.exe \u2066x\u2069 a\u200bb\ufeff", "usergnp.exe x ab"},
		{"na\xefve", "na\ufffdve"},
		{"tag\U000E0041\U000E0042", "tag"},
		{"$1 $& ${x} %s {{ .Secret }} \\0", "$1 $& ${x} %s {{ .Secret }} \\0"},
	}
	for _, test := range tests {
		if got := cleanText(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

// TestNoAddresses: no e-mail address gets out by what a message holds about people.
func TestNoAddresses(t *testing.T) {
	m := Collect(Release{}, parseHistory(t, `
feat: x (#1)
|
| * feat: part one
|
| Co-authored-by: Ann Author <ann@example.com>
|
| * fix: part two
|
| BREAKING CHANGE: gone, says Bob <bob@example.com>
|
| Reported-by: eve@example.com
| Signed-off-by: Ann Author <ann@example.com>
| Refs: https://example.com/@ann/x`), nil)
	want := []Trailer{{"Signed-off-by", "Ann Author"}, {"Refs", "https://example.com/@ann/x"}}
	c := m.Changes[0]
	if diff := cmp.Diff(want, c.Trailers); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := c.Body + c.BreakingNote + strings.Join(c.Details, ""); strings.Contains(text, "example.com") {
		t.Errorf("an address got out: %q", text)
	}
	if diff := cmp.Diff([]string{"feat: part one", "fix: part two"}, c.Details); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
