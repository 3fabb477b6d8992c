package notes

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
)

func TestEscapeLine(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain text, nothing else", "plain text, nothing else"},
		{"render <picture> and `<picture>`", "render \\<picture> and `<picture>`"},
		{"Map<String, T> leaks __init__ and *args", `Map\<String, T> leaks \_\_init\_\_ and \*args`},
		{"replace `@acme/router` with @acme/router2 and @decorator", "replace `@acme/router` with `@acme/router2` and `@decorator`"},
		{"keep $1 $& ${x} $' 100%s {{ .Secret }} \\0 as is", "keep $1 $& ${x} $' 100%s {{ .Secret }} \\0 as is"},
		{"snake_case and a * b and x < y and R&D stay", "snake_case and a * b and x < y and R&D stay"},
		{"&lt; is no angle", `\&lt; is no angle`},
		{"see https://example.com/x_y, then", "see `https://example.com/x_y`, then"},
		{"bump actions/checkout@v4.1.0", "bump `actions/checkout@v4.1.0`"},
		{"a ` alone", "a \\` alone"},
		{"[link](https://example.com)", "\\[link](`https://example.com`)"},
		{"# 12 is no heading", `\# 12 is no heading`},
		{"1. is no list", `1\. is no list`},
		{"- is no list", `\- is no list`},
		{"~1.2 stays, ~~gone~~ too", `\~1.2 stays, \~\~gone\~\~ too`},
		{"bidi \u202e and bell \a", "bidi \ufffd and bell \ufffd"},
		{`a\_b`, `a\\\_b`},
		{`a\www.z`, "a\\\\`www.z`"},
	} {
		if got := escapeLine(tc.in, true); got != tc.want {
			t.Errorf("escapeLine(%q)\n got %q\nwant %q", tc.in, got, tc.want)
		}
		checkRendered(t, tc.in)
	}
}

// FuzzEscapeLine holds the promise that a line is shown letter for letter against
// a renderer of GitHub Flavored Markdown.
func FuzzEscapeLine(f *testing.F) {
	for _, s := range []string{"a `b` c", "**x** __y__ ~~z~~", "<b>&amp;</b>", "1. - # > x", "http://a.b/c@d.e", "[a]: b", "![x](y)", "``a`b``", "*a_*b_", "x@y.z", "\\\\*a*", "a|b", "<!-- x -->", "www.x.y www.z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkRendered(t, s) })
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

// checkRendered renders an entry made of s and compares what a reader sees.
func checkRendered(t *testing.T, s string) {
	t.Helper()
	source := "- " + escapeLine(s, true) + "\n"
	var page bytes.Buffer
	if err := gfm.Convert([]byte(source), &page); err != nil {
		t.Fatal(err)
	}
	if got, want := squash(visible(t, page.String())), squash(withoutTicks(clean(s))); got != want {
		t.Errorf("%q is shown as %q\nwant %q\nsource %q\npage %s", s, got, want, source, page.String())
	}
	if alive := regexp.MustCompile(`<(a|em|strong|del|img|h\d|hr|blockquote|input|ol)\b`).FindString(page.String()); alive != "" {
		t.Errorf("%q makes %s\nsource %q", s, page.String(), source)
	}
}

// visible is the text of an HTML page.
func visible(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// withoutTicks takes out the backticks that make code spans.
func withoutTicks(s string) string {
	var b strings.Builder
	for s != "" {
		run := backticks(s)
		if run == 0 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		span := codeSpan(s)
		if span == 0 {
			b.WriteString(s[:run])
			s = s[run:]
			continue
		}
		b.WriteString(s[run : span-run])
		s = s[span:]
	}
	return b.String()
}

// squash takes out spaces: HTML joins them, and code spans lose theirs at the ends.
func squash(s string) string { return strings.Join(strings.Fields(s), "") }
