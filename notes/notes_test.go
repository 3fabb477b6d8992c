package notes

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"release-notes-agent/changes"
)

var update = flag.Bool("update", false, "rewrite what the cases expect; CI never does")

// manifest is a release with something of everything.
func manifest() changes.Manifest {
	return changes.Manifest{
		Release: changes.Release{
			Name: "v1.1.0", Tag: "v1.1.0", PreviousTag: "v1.0.0", Date: "2023-11-15", From: strings.Repeat("a", 40), To: strings.Repeat("b", 40),
			CommitCount: 9, Complete: true, RepositoryURL: "https://github.com/acme/widget", CompareURL: "https://github.com/acme/widget/compare/v1.0.0...v1.1.0",
		},
		Changes: []changes.Change{
			{ID: "c1", Kind: changes.Feature, Scope: "api", Title: "list <b>widgets</b> for @everyone", PullRequest: 12, URL: "https://github.com/acme/widget/pull/12", Details: []string{"by name", "# by colour"}},
			{ID: "c2", Kind: changes.Fix, Title: "drop old colours", Breaking: true, BreakingNote: "Use the new ones.\nThey are in English.\n\n```diff\n-rot\n+red\n```", Commits: []string{strings.Repeat("c", 40)}},
			{ID: "c3", Kind: changes.DependencyUpdate, Title: "bump motion from 12.0.0 to 12.1.0", PullRequest: 3379},
			{ID: "c4", Kind: changes.Internal, Title: "tidy up", Hidden: true},
			{ID: "c5", Kind: changes.DependencyUpdate, Title: "bump motion from 12.1.0 to 13.0.0", PullRequest: 3422},
			{ID: "c6", Kind: changes.Feature, Title: "shiny", Reverted: true},
			{ID: "c7", Kind: changes.Other, Title: "1. first things first", Commits: []string{strings.Repeat("d", 40)}, URL: "https://github.com/acme/widget/commit/dddd"},
		},
		Dependencies: []changes.Dependency{{Name: "motion", From: "12.0.0", To: "13.0.0", Changes: []string{"c3", "c5"}}},
		Contributors: []changes.Contributor{{Name: "Ann Author", Commits: 4}, {Name: "Bob *Builder*", New: true, Commits: 1}},
	}
}

// TestMarkdown compares whole pages with those in testdata/markdown.txtar.
func TestMarkdown(t *testing.T) {
	incomplete, empty, written := manifest(), manifest(), manifest()
	incomplete.Release.Complete, incomplete.Release.CompareURL = false, ""
	incomplete.Changes = incomplete.Changes[6:]
	empty.Changes, empty.Contributors = empty.Changes[3:4], nil
	draft := Offline(written)
	draft.Summary = Summary{Text: "Widgets can be *listed*.", Changes: []string{"c1"}}
	draft.Sections[1].Entries = []Entry{{Text: "Widgets can be listed with `list`", Changes: []string{"c1", "c7"}, Source: FromModel}}
	draft.LeftOut = []LeftOut{{Change: "c7", Reason: "no user sees it"}}

	pages := map[string]Document{
		"offline.md":    NewDocument(manifest(), Offline(manifest())),
		"incomplete.md": NewDocument(incomplete, Offline(incomplete)),
		"empty.md":      NewDocument(empty, Offline(empty)),
		"written.md":    NewDocument(written, draft),
	}
	file := filepath.Join("testdata", "markdown.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range archive.Files {
		var page bytes.Buffer
		if err := Markdown(&page, pages[want.Name]); err != nil {
			t.Fatal(err)
		}
		delete(pages, want.Name)
		if *update && os.Getenv("CI") == "" {
			archive.Files[i].Data = page.Bytes()
		} else if diff := cmp.Diff(string(want.Data), page.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
	if len(pages) > 0 {
		t.Errorf("not in %s: %d pages", file, len(pages))
	}
	if *update && os.Getenv("CI") == "" {
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOfflineIsDeterministic(t *testing.T) {
	if diff := cmp.Diff(Offline(manifest()), Offline(manifest())); diff != "" {
		t.Errorf("two drafts of one manifest differ:\n%s", diff)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	doc := NewDocument(manifest(), Offline(manifest()))
	var first, second bytes.Buffer
	if err := JSON(&first, doc); err != nil {
		t.Fatal(err)
	}
	read, err := ReadJSON(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := JSON(&second, read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("JSON changed on its way through a Document:\n%s", diff)
	}
	if bytes.Contains(first.Bytes(), []byte("null")) {
		t.Errorf("JSON holds null:\n%s", first.String())
	}
	if !bytes.Contains(first.Bytes(), []byte("list <b>widgets</b>")) {
		t.Errorf("JSON escapes what it need not:\n%s", first.String())
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, s := range []string{"", "{}", `{"schema_version": 2}`, "[]", "null"} {
		if _, err := ReadJSON(strings.NewReader(s)); err == nil {
			t.Errorf("ReadJSON accepted %q", s)
		}
	}
}

func TestNewDocumentKeepsEveryEntry(t *testing.T) {
	d := Draft{Sections: []Section{
		{Kind: Fix, Entries: []Entry{{Text: "a"}}},
		{Kind: "novelties", Entries: []Entry{{Text: "b"}}},
		{Kind: Fix, Entries: []Entry{{Text: "c"}}},
		{Kind: Feature},
	}}
	var got []string
	for _, s := range NewDocument(changes.Manifest{}, d).Sections {
		for _, e := range s.Entries {
			got = append(got, string(s.Kind)+" "+e.Text)
		}
	}
	if diff := cmp.Diff([]string{"fix a", "fix c", "other b"}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
