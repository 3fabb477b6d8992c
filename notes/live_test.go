package notes

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"release-notes-agent/changes"
)

// TestNothingComesAlive puts pieces into a document that are harmless alone and
// begin something together: a link, an image, a table, emphasis.
func TestNothingComesAlive(t *testing.T) {
	m := changes.Manifest{
		Release: changes.Release{
			Name: "x](/evil/path)", Tag: "x](/evil/path)", PreviousTag: "v1.0.0", To: strings.Repeat("a", 40), Complete: true,
			CompareURL: "https://github.com/acme/w/compare/v1.0.0...x",
		},
		Changes: []changes.Change{
			{ID: "c1", Kind: changes.Feature, Scope: "[scope", Title: "rest](//evil.example/y)"},
			{ID: "c2", Kind: changes.Fix, Breaking: true, Scope: "a *", Title: "b* ~c", BreakingNote: "[click\nhere](//evil.example/z) ~a\nb~\n\ncol | col2\n--- | ---\n1 | 2\n\n![im\ng](//evil.example/i.png)\n\n[lab\nel]: //evil.example/ref"},
			{ID: "c3", Kind: changes.Other, Title: "<\nimg src=x> _a", Details: []string{"[d](", "//evil.example)", "~~x"}},
		},
		Contributors: []changes.Contributor{{Name: "[click", New: true}, {Name: "me](//evil.example/x)", New: true}, {Name: "~a"}, {Name: "b~"}, {Name: "Foo *"}, {Name: "* Bar"}},
	}
	var source, page bytes.Buffer
	if err := Markdown(&source, NewDocument(m, Offline(m))); err != nil {
		t.Fatal(err)
	}
	if err := gfm.Convert(source.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{`(?:href|src)="[^"]*evil`, `<img`, `<table`, `<del`, `<em`} {
		if found := regexp.MustCompile(live).FindString(page.String()); found != "" {
			t.Errorf("%s came alive in\n%s", found, source.String())
		}
	}
	if text := visible(t, page.String()); !strings.Contains(text, "evil.example/ref") {
		t.Errorf("a definition of a link was taken out of\n%s", source.String())
	}
}

// TestEscapingTakesLinearTime would not end if it did not.
func TestEscapingTakesLinearTime(t *testing.T) {
	for _, s := range []string{"[", "~", "`", "*", "_", "<", "&", "![", "@"} {
		text := strings.Repeat(s, 1<<20)
		if got := escapeLine(text+"]", true); len(got) < len(text) {
			t.Errorf("%q: %d bytes of %d are left", s, len(got), len(text))
		}
	}
}
