package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"release-notes-agent/internal/gittest"
	"release-notes-agent/notes"
)

// TestCases holds whole histories against the notes they must give. Each file in
// testdata/cases says what goes wrong elsewhere, has the history in its first
// section, and in every other section, named after the arguments, a digest of the
// document. With -update the digests are written anew.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := gittest.Build(t, string(archive.Files[0].Data))
			for i, section := range archive.Files[1:] {
				got := digestOf(t, dir, section.Name)
				if *update && os.Getenv("CI") == "" {
					archive.Files[i+1].Data = []byte(got)
				} else if diff := cmp.Diff(string(section.Data), got); diff != "" {
					t.Errorf("release-notes-agent %s (-want +got):\n%s", section.Name, diff)
				}
			}
			if *update && os.Getenv("CI") == "" {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// digestOf runs the program in dir and puts its document into few lines.
func digestOf(t *testing.T, dir, arguments string) string {
	args := []string{"release-notes-agent", "--repo", dir, "--offline", "--format", "json"}
	for _, arg := range strings.Fields(arguments) {
		if arg != "HEAD" {
			args = append(args, arg)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		return fmt.Sprintf("exit %d\n%s", code, stderr.String())
	}
	doc, err := notes.ReadJSON(&stdout)
	if err != nil {
		t.Fatal(err)
	}
	return digest(doc)
}

func digest(doc notes.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s since %q, %d commits, next %s\n", doc.Release.Name, doc.Release.PreviousTag, doc.Release.CommitCount, doc.NextVersion)
	for _, section := range doc.Sections {
		for _, entry := range section.Entries {
			fmt.Fprintf(&b, "%s: %s", section.Kind, entry.Text)
			for _, id := range entry.Changes {
				if c := changeOf(doc, id); c.PullRequest != 0 {
					fmt.Fprintf(&b, " #%d", c.PullRequest)
				}
			}
			fmt.Fprintln(&b)
			for _, detail := range entry.Details {
				fmt.Fprintf(&b, "  - %s\n", detail)
			}
			for line := range strings.Lines(entry.Migration) {
				fmt.Fprintf(&b, "  | %s\n", strings.TrimSuffix(line, "\n"))
			}
		}
	}
	for _, c := range doc.Contributors {
		fmt.Fprintf(&b, "by %s\n", c.Name)
	}
	for _, w := range doc.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w.Code)
	}
	return b.String()
}

func changeOf(doc notes.Document, id string) (found struct{ PullRequest int }) {
	for _, c := range doc.Changes {
		if c.ID == id {
			found.PullRequest = c.PullRequest
		}
	}
	return found
}
