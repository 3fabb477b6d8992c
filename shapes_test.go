package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/internal/gittest"
)

// shapesHistory is the history that every shape of repository holds.
const shapesHistory = `
	file sub/dir/x zero
	commit feat: zero
	annotate v1.0.0
	file sub/dir/x one
	commit feat: one
	branch topic
	file a a
	commit Add a file
	checkout main
	file b b
	commit docs: b
	merge topic Merge pull request #7 from acme/topic
	  |
	  | Add the file a
	annotate v1.1.0
`

// A shape is one way in which a repository lies on disk.
type shape struct {
	name string // the first column of docs/repository-shapes.md
	// make gives a built repository its shape and returns the directory to
	// run in; env holds variables to set, as pairs of name and value.
	make func(t *testing.T, dir string) (runIn string, env []string)
	want string // "" for the same notes as plain, or what stderr says
}

// TestRepositoryShapes runs the program in every shape of docs/repository-shapes.md.
func TestRepositoryShapes(t *testing.T) {
	plain := gittest.Build(t, shapesHistory)
	code, want, stderr := notesIn(t, plain, nil)
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			dir, env := s.make(t, gittest.Build(t, shapesHistory))
			code, got, stderr := notesIn(t, dir, env)
			if s.want != "" {
				if !strings.Contains(stderr, s.want) {
					t.Errorf("exit %d, stderr %q, want %q", code, stderr, s.want)
				}
				return
			}
			if code != 0 || stderr != "" {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("other notes than in a plain repository (-plain +%s):\n%s", s.name, diff)
			}
		})
	}
}

// TestRepositoryShapesAreDocumented holds the document to what is tested.
func TestRepositoryShapesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("docs", "repository-shapes.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows, tested []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (works|reads what is there|refused) \|`).FindAllStringSubmatch(string(doc), -1) {
		rows = append(rows, m[1])
	}
	for _, s := range shapes {
		tested = append(tested, s.name)
	}
	if diff := cmp.Diff(tested, rows); diff != "" {
		t.Errorf("docs/repository-shapes.md (-tested +documented):\n%s", diff)
	}
}

// notesIn runs the program in dir for the tag v1.1.0.
func notesIn(t *testing.T, dir string, env []string) (code int, stdout, stderr string) {
	t.Chdir(dir)
	for i := 0; i < len(env); i += 2 {
		t.Setenv(env[i], env[i+1])
	}
	var out, err bytes.Buffer
	code = run(t.Context(), []string{"release-notes-agent", "--offline", "--format", "json", "v1.1.0"}, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}
