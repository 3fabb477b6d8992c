package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const newSection = "## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n"

func TestInsertSection(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n"},
		{"title alone", "# Changelog\n", "# Changelog\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n"},
		{"no title", "## 1.0.0\n\n- first\n", "## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n\n## 1.0.0\n\n- first\n"},
		{"no newline at the end", "# Log\n\nIntro", "# Log\n\nIntro\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n"},
		{"unreleased stays above", "# Log\n\n## [Unreleased]\n\n- hand note\n\n## [1.0.0] - 2023-11-14\n\n- first\n\n[1.0.0]: https://x\n",
			"# Log\n\n## [Unreleased]\n\n- hand note\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n\n## [1.0.0] - 2023-11-14\n\n- first\n\n[1.0.0]: https://x\n"},
		{"links stay below", "# Log\n\n[Unreleased]: https://x\n", "# Log\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n\n[Unreleased]: https://x\n"},
		{"newer ones stay above", "## 2.0.0\n\n- big\n\n## 1.0.0\n", "## 2.0.0\n\n- big\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n\n## 1.0.0\n"},
		{"code is no heading", "# Log\n\n```\n## 1.0.0\n```\n\n## 0.9.0\n", "# Log\n\n```\n## 1.0.0\n```\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n\n## 0.9.0\n"},
		{"line ends", "# Log\r\n\r\n## 1.0.0\r\n", "# Log\r\n\r\n## v1.1.0 (2023-11-15)\r\n\r\n- new $1 {{ .x }}\r\n\r\n## 1.0.0\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := insertSection(tc.text, newSection, "v1.1.0")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := insertSection(got, newSection, "v1.1.0"); err != nil || again != got {
				t.Errorf("the second time it changed (%v):\n%s", err, cmp.Diff(got, again))
			}
		})
	}
}

func TestInsertSectionRefuses(t *testing.T) {
	for _, text := range []string{"## 1.1.0\n\n- by hand\n", "## [v1.1.0] - 2023\n", "# Log\n\n## v1.1.0 (2023-11-15)\n\n- new $1 {{ .x }}\n- and more\n\n## 1.0.0\n"} {
		if got, err := insertSection(text, newSection, "v1.1.0"); !errors.Is(err, errSectionDiffers) {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

// FuzzInsertSection: whatever the changelog holds, every line of it stays, in order, and
// a second time changes nothing.
func FuzzInsertSection(f *testing.F) {
	f.Add("# Log\n\n## [Unreleased]\n\n## [1.0.0]\n\n[1.0.0]: x\n")
	f.Add("## 1.0.0\r\n```\r\n## 2.0.0\r\n")
	f.Add("text\n## 1.1.0\n~~~\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := insertSection(text, newSection, "v1.1.0")
		if err != nil {
			return
		}
		rest := got
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			i := strings.Index(rest, line)
			if i < 0 {
				t.Fatalf("line %q of %q is gone from %q", line, text, got)
			}
			rest = rest[i+len(line):]
		}
		if again, err := insertSection(got, newSection, "v1.1.0"); err == nil && again != got {
			t.Errorf("%q became %q, then %q", text, got, again)
		}
	})
}
