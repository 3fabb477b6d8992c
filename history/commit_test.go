package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

func TestParseCommit(t *testing.T) {
	const tree = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
	for _, tc := range []struct {
		name, data             string
		author, email, message string
		seconds                int64
		zone                   string
	}{
		{"plain", tree + "author Ann <a@x> 1700000000 +0200\ncommitter C <c@x> 1 +0000\n\nfeat: a\n\nbody\n", "Ann", "a@x", "feat: a\n\nbody\n", 1700000000, "+0200"},
		{"signature and unknown headers", tree + "author Ann <a@x> 5 -0130\ncommitter C <c@x> 1 +0000\ngpgsig -----BEGIN\n author Evil <e@x> 9 +0000\n \n -----END\nfuture x\n\nfix: b", "Ann", "a@x", "fix: b", 5, "-0130"},
		{"latin-1", tree + "author J\xf6rg <j@x> 5 +0000\ncommitter C <c@x> 1 +0000\nencoding ISO-8859-1\n\nfix: caf\xe9", "J\u00f6rg", "j@x", "fix: caf\u00e9", 5, "+0000"},
		{"shift-jis", tree + "author A <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\nencoding Shift_JIS\n\n\x93\xfa\x96\x7b", "A", "a@x", "\u65e5\u672c", 5, "+0000"},
		{"invalid bytes", tree + "author A <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\n\nna\xefve", "A", "a@x", "na\ufffdve", 5, "+0000"},
		{"unknown encoding", tree + "author A <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\nencoding nonsense\n\nx\xff", "A", "a@x", "x\ufffd", 5, "+0000"},
		{"two addresses", tree + "author A B <a@x> <b@y> 5 +0000\ncommitter C <c@x> 1 +0000\n\nx", "A B", "a@x", "x", 5, "+0000"},
		{"no message", tree + "author A <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\n", "A", "a@x", "", 5, "+0000"},
		{"no name", tree + "author  <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\n\nx", "", "a@x", "x", 5, "+0000"},
		{"negative date", tree + "author A <a@x> -1 +0000\ncommitter C <c@x> 1 +0000\n\nx", "A", "a@x", "x", 0, "+0000"},
		{"date beyond all calendars", tree + "author A <a@x> 999999999999999999 +0000\ncommitter C <c@x> 1 +0000\n\nx", "A", "a@x", "x", maxSeconds, "+0000"},
		{"zone of no place", tree + "author A <a@x> 5 +9999\ncommitter C <c@x> 1 +0000\n\nx", "A", "a@x", "x", 5, "+0000"},
		{"empty", "", "", "", "", 0, "+0000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := parseCommit("", []byte(tc.data))
			got := []any{c.Author.Name, c.Author.Email, c.Message, c.Author.When.Unix(), c.Author.When.Format("-0700")}
			if diff := cmp.Diff([]any{tc.author, tc.email, tc.message, tc.seconds, tc.zone}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseCommitAsGit compares with what git log prints.
func TestParseCommitAsGit(t *testing.T) {
	dir := gittest.Build(t, `
		commit feat: plain
		encoding ISO-8859-1
		commit fix: caf\xe9
		committer GitHub <noreply@github.com>
		commit feat: by the forge
		  |
		  | - a
		  |
		  |   b
		author  Spaces  Inside <  s@x >
		commit feat: spaces
	`)
	repo := openRepository(t, dir)
	log, err := repo.Commits(t.Context(), "", gittest.Git(t, dir, "rev-parse", "HEAD"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range log.Commits {
		got.WriteString(strings.Join([]string{c.Hash, strings.Join(c.Parents, " "), c.Author.Name, c.Author.Email,
			c.Author.When.Format("2006-01-02 15:04:05 -0700"), c.Committer.Name, c.Message}, "|") + "\n")
	}
	want := gittest.Git(t, dir, "log", "--encoding=UTF-8", "--format=tformat:%H|%P|%an|%ae|%ai|%cn|%B")
	if diff := cmp.Diff(want+"\n", got.String()); diff != "" {
		t.Errorf("(-git +got):\n%s", diff)
	}
}

func TestGraftsAndReplacements(t *testing.T) {
	dir := gittest.Build(t, `
		commit feat: zero
		commit feat: one
		commit feat: two
		commit feat: three
	`)
	gittest.Git(t, dir, "replace", "--graft", "HEAD~1", "HEAD~3")
	log, err := openRepository(t, dir).Commits(t.Context(), "", gittest.Git(t, dir, "rev-parse", "HEAD"), nil)
	if got, want := subjects(log), strings.ReplaceAll(gittest.Git(t, dir, "log", "--format=%s"), "\n", " | "); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@x> 5 +0000\ncommitter C <c@x> 1 +0000\nencoding latin1\n\nx"))
	f.Add([]byte("author >< 1 +0000\n\n"))
	f.Add([]byte("\n\n\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parseHeader(data)
		parseAnnotation(data)
		c := parseCommit("", data)
		for _, text := range []string{c.Message, c.Author.Name, c.Author.Email, c.Committer.Name, c.Committer.Email} {
			if !utf8.ValidString(text) {
				t.Errorf("%q is not valid UTF-8", text)
			}
		}
		if year := c.Author.When.UTC().Year(); year < 1970 || year > 9999 {
			t.Errorf("year %d", year)
		}
	})
}

func FuzzTreeReader(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 b\x00bbbbbbbbbbbbbbbbbbbb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, n := treeReader{data: data}, 0
		for ; lines.next() == nil && !lines.ended(); n++ {
			lines.entry()
		}
		if n > len(data)/22 {
			t.Errorf("%d lines out of %d bytes", n, len(data))
		}
	})
}
