package gitstore

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"release-notes-agent/internal/gittest"
)

// FuzzDelta compares with the deltas of go-git.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("hello world"), []byte{11, 5, 0x90, 5})
	f.Add([]byte("abc"), []byte{3, 4, 0x90, 3, 1, 'd'})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		size, rest, ok := deltaSize(delta)
		if result, _, okResult := deltaSize(rest); !ok || !okResult || size > 1<<16 || result > 1<<16 {
			return // such sizes are refused by one or the other before anything is read
		}
		got, err := applyDelta(base, delta)
		want, wantErr := packfile.PatchDelta(base, delta)
		if err == nil && wantErr == nil && !bytes.Equal(got, want) {
			t.Errorf("delta %q of %q: %q, want %q", delta, base, got, want)
		}
		if err != nil && wantErr == nil && len(want) > 0 {
			t.Errorf("delta %q of %q: %v, want %q", delta, base, err, want)
		}
	})
}

func FuzzPacked(f *testing.F) {
	f.Add([]byte{0x95, 0x0a, 0x78})
	f.Add([]byte{0xe5, 0x01, 0x80, 0x01})
	f.Fuzz(func(t *testing.T, head []byte) {
		if len(head) == 0 {
			return
		}
		o, used, ok := parsePacked(head)
		if ok && (used > len(head) || o.size < 0 || o.base < 0) {
			t.Errorf("%x: %+v after %d bytes", head, o, used)
		}
	})
}

func FuzzLooseObject(f *testing.F) {
	f.Add([]byte("x\x9cK\xca\xc9OR0d\xa8\x00\x00\x10\x83\x03\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parseLooseObject(bytes.NewReader(data)) // it must not panic, nor take memory that the data doesn't back
	})
}

// FuzzConfig looks for settings that are not of a section, and for panics.
func FuzzConfig(f *testing.F) {
	f.Add("[a \"b\"]\nc = d # e\n")
	f.Add("[a.b] x\n[c\\\n= \"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseConfig([]byte(text)) {
			if !strings.Contains(s.key, ".") {
				t.Errorf("key %q of %q has no section", s.key, text)
			}
		}
	})
}

func TestConfigAsGit(t *testing.T) {
	dir := gittest.Build(t, small)
	text := "[a]\n\tb = one two  \n\tc = \"x # y\" ; z\n\td = a\\\nb\n\te = \"\\t\\\"\\\\\"\n\tf\n[A \"Sub.X\\\"y\"] g = 1\n  [h.I] j = k#l\n[m]n=o\r\n"
	write(t, dir+"/.git/config", text)
	want := gittest.Git(t, dir, "config", "--file", ".git/config", "--list", "--null")
	var got strings.Builder
	for _, s := range parseConfig([]byte(text)) {
		got.WriteString(s.key + "\n" + s.value + "\x00")
	}
	if w := strings.Replace(want, "a.f\x00", "a.f\ntrue\x00", 1); got.String() != w {
		t.Errorf("settings %q, want %q", got.String(), w)
	}
}

func TestMatchGlob(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		pathname      bool
		want          bool
	}{
		{"a*c", "abbc", true, true}, {"a*c", "a/c", true, false}, {"a*c", "a/c", false, true},
		{"**/c", "a/b/c", true, true}, {"**/c", "c", true, true}, {"a/**", "a/b/c", true, true}, {"a/**/c", "a/c", true, true},
		{"a**c", "a/c", true, false}, {"?", "/", true, false}, {"[a-c]x", "bx", true, true}, {"[!a-c]x", "bx", true, false},
		{"[]a]", "]", true, true}, {"\\*", "*", true, true}, {"\\*", "x", true, false}, {"[", "[", true, false},
		{strings.Repeat("a*", 40) + "b", strings.Repeat("a", 80), true, false},
	} {
		if got := MatchGlob(tc.pattern, tc.name, tc.pathname); got != tc.want {
			t.Errorf("MatchGlob(%q, %q, %v) = %v", tc.pattern, tc.name, tc.pathname, got)
		}
	}
}
