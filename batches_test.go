package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/internal/gittest"
	"release-notes-agent/notes"
)

// longHistory has n pull requests after a first release, of a few kinds and scopes.
func longHistory(t testing.TB, n int) (dir string) {
	var script strings.Builder
	script.WriteString("commit feat: zero\ntag v1.0.0\n")
	for i := range n {
		kind := []string{"feat(api)", "fix(ui)", "fix", "feat(ui)", "perf"}[i%5]
		fmt.Fprintf(&script, "commit %s: thing %d of the list (#%d)\n", kind, i+1, i+1001)
	}
	script.WriteString("author renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>\ncommit Bump left-pad from 1.0.0 to 1.1.0 (#7)\n")
	return gittest.Build(t, script.String())
}

var toldID = regexp.MustCompile(`"id":"([ce]\d+)","section":"(\w+)"`)

// diligent is a model that drafts one entry for each change that it is told of, and
// puts the last one first when it is asked for the order.
func diligent(r openaiserver.Request) openaiserver.Answer {
	prompt := r.Messages[1].Text
	found := toldID.FindAllStringSubmatch(prompt, -1)
	if strings.Contains(prompt, "arrange_release_notes") {
		last := found[len(found)-2][1] // the last of all is the dependency
		return call("arrange_release_notes", map[string]any{
			"summary": map[string]any{"text": "The list has new things", "entries": []string{"e1", last}}, "first": []string{last},
		})
	}
	sections := map[string][]any{}
	for _, f := range found {
		sections[f[2]] = append(sections[f[2]], map[string]any{"text": "Something new about " + words(f[1]), "changes": []string{f[1]}})
	}
	var list []any
	for kind, entries := range sections {
		list = append(list, map[string]any{"kind": kind, "entries": entries})
	}
	return call("submit_release_notes", map[string]any{"sections": list})
}

// words tells ids apart without a number, which the check would ask to be borne out.
func words(id string) string {
	return strings.Map(func(r rune) rune { return 'a' + r - '0' }, id[1:])
}

func call(tool string, arguments any) openaiserver.Answer {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return openaiserver.Answer{ToolCalls: []openaiserver.ToolCall{{Name: tool, Arguments: data}}}
}

// loopbackKey is a key that is good for nothing.
const loopbackKey = "sk-loopback-9876543210"

// draftWith runs the program in dir with a model, and returns the document, the requests
// and what stood on standard error.
func draftWith(t *testing.T, dir string, model func(openaiserver.Request) openaiserver.Answer, options ...string) (notes.Document, []openaiserver.Request, string) {
	t.Helper()
	server := openaiserver.Start(t, openaiserver.Answer{Repeat: true, Reply: model})
	t.Setenv("OPENAI_API_KEY", loopbackKey)
	t.Setenv("OPENAI_BASE_URL", server.URL())
	var stdout, stderr bytes.Buffer
	args := append([]string{"release-notes-agent", "--repo", dir, "--format", "json"}, options...)
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr.String())
	}
	doc, err := notes.ReadJSON(&stdout)
	if err != nil {
		t.Fatal(err)
	}
	return doc, server.Requests(), stderr.String()
}

// citedOnce fails unless every visible change stands in exactly one entry, and returns
// how many entries come from the model.
func citedOnce(t *testing.T, doc notes.Document) (fromModel int) {
	t.Helper()
	cited := map[string]int{}
	for _, section := range doc.Sections {
		for _, e := range section.Entries {
			if e.Source == notes.FromModel {
				fromModel++
			}
			for _, id := range e.Changes {
				cited[id]++
			}
		}
	}
	for _, c := range doc.Changes {
		if !c.Hidden && cited[c.ID] != 1 {
			t.Errorf("%s is cited %d times", c.ID, cited[c.ID])
		}
	}
	if n := len(doc.Verification.Findings); n > 0 {
		t.Errorf("%d findings: %v", n, doc.Verification.Findings[0])
	}
	return fromModel
}

func TestBatches(t *testing.T) {
	dir := longHistory(t, 300)
	doc, requests, stderr := draftWith(t, dir, diligent)
	if n := citedOnce(t, doc); n != 300 {
		t.Errorf("%d entries are the model's, want 300", n)
	}
	if want := 300/batchSize + 1; len(requests) != want || doc.Usage.Requests != want {
		t.Errorf("%d requests, %d in the document, want %d", len(requests), doc.Usage.Requests, want)
	}
	if stderr != "" || len(doc.Warnings) > 0 {
		t.Errorf("warnings: %s", stderr)
	}
	if doc.Summary.Text != "The list has new things" || len(doc.Summary.Changes) != 2 {
		t.Errorf("summary %+v", doc.Summary)
	}
	if got := doc.Sections[len(doc.Sections)-2].Entries[0].Changes; !slices.Equal(got, doc.Summary.Changes[1:]) {
		t.Errorf("%v comes first in the section of %v", got, doc.Summary.Changes[1:])
	}
	if got := doc.Sections[len(doc.Sections)-1].Entries[0]; got.Text != "left-pad from 1.0.0 to 1.1.0" || got.Source != notes.FromHistory {
		t.Errorf("the dependency is told as %+v", got)
	}
}

// TestStablePrefix holds that what comes first in a request is the same, byte for byte, in
// all requests of a run: servers keep what they made of it.
func TestStablePrefix(t *testing.T) {
	_, requests, _ := draftWith(t, longHistory(t, 100), diligent)
	drafts := slices.DeleteFunc(requests, func(r openaiserver.Request) bool {
		return strings.Contains(r.Messages[1].Text, "arrange_release_notes")
	})
	prefix := func(r openaiserver.Request) string {
		before, _, found := bytes.Cut(r.Body, []byte("Draft the notes of"))
		if !found {
			t.Fatalf("no prompt in %s", r.Body)
		}
		tools, err := json.Marshal(r.Tools)
		if err != nil {
			t.Fatal(err)
		}
		return string(before) + string(tools)
	}
	if len(drafts) < 2 {
		t.Fatalf("%d drafts", len(drafts))
	}
	for _, r := range drafts[1:] {
		if prefix(r) != prefix(drafts[0]) {
			t.Errorf("the beginning of two requests differs:\n%s\n%s", prefix(drafts[0]), prefix(r))
		}
	}
}

func TestOneBatchFails(t *testing.T) {
	doc, _, stderr := draftWith(t, longHistory(t, 60), func(r openaiserver.Request) openaiserver.Answer {
		if strings.Contains(r.Messages[1].Text, `"id":"c7"`) {
			return openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error": {"message": "too long"}}`)}
		}
		return diligent(r)
	})
	if n := citedOnce(t, doc); n != 48 {
		t.Errorf("%d entries are the model's, want 48", n)
	}
	if !strings.Contains(stderr, "too long: in 1 of 5 batches the history takes the place") {
		t.Errorf("standard error: %s", stderr)
	}
}

// TestBadKey: what is wrong for one batch is wrong for all, and they are not tried.
func TestBadKey(t *testing.T) {
	doc, requests, stderr := draftWith(t, longHistory(t, 300), func(openaiserver.Request) openaiserver.Answer {
		return openaiserver.Answer{Status: 401, Body: json.RawMessage(`{"error": {"message": "wrong key"}}`)}
	})
	if n := citedOnce(t, doc); n != 0 || len(requests) > maxParallel {
		t.Errorf("%d entries are the model's, after %d requests", n, len(requests))
	}
	if strings.Count(stderr, "wrong key") != 1 || !strings.Contains(stderr, "in 25 of 25 batches") {
		t.Errorf("standard error: %s", stderr)
	}
}

// TestBudgets: whatever bound is reached, what holds is kept and the rest comes from the
// history.
func TestBudgets(t *testing.T) {
	dir := longHistory(t, 60)
	silent := func(openaiserver.Request) openaiserver.Answer { return openaiserver.Answer{Hang: true} }
	curious := func(openaiserver.Request) openaiserver.Answer {
		return call("read_diff", map[string]string{"change": "c1"})
	}
	for _, tc := range []struct {
		model   func(openaiserver.Request) openaiserver.Answer
		options []string
		least   int // entries of the model
		want    string
	}{
		{diligent, []string{"--max-tokens", "220"}, 24, "token limit"},
		{diligent, []string{"--max-steps", "1"}, 60, ""},
		{curious, []string{"--max-steps", "2"}, 0, "step limit"},
		{silent, []string{"--timeout", "300ms"}, 0, "time limit"},
	} {
		doc, _, stderr := draftWith(t, dir, tc.model, tc.options...)
		if n := citedOnce(t, doc); n < tc.least {
			t.Errorf("%v: %d entries are the model's, want %d at least", tc.options, n, tc.least)
		}
		reached := slices.ContainsFunc(doc.Warnings, func(w notes.Warning) bool { return w.Code == notes.BudgetReached })
		if !strings.Contains(stderr, tc.want) || reached != (tc.want != "") {
			t.Errorf("%v: standard error %s", tc.options, stderr)
		}
	}
}

// TestTokensGrowWithChanges compares what is sent for each change of a long release and of
// a very long one.
func TestTokensGrowWithChanges(t *testing.T) {
	perChange := func(n int) float64 {
		doc, requests, _ := draftWith(t, longHistory(t, n), diligent)
		citedOnce(t, doc)
		bytes := 0
		for _, r := range requests {
			bytes += len(r.Body)
		}
		return float64(bytes) / float64(n)
	}
	long, veryLong := perChange(300), perChange(5000)
	if veryLong > 1.1*long {
		t.Errorf("%.0f bytes for each of 5,000 changes, %.0f for each of 300", veryLong, long)
	}
}

func TestReplayOfBatches(t *testing.T) {
	dir, file := longHistory(t, 60), filepath.Join(t.TempDir(), "t.jsonl")
	first, _, _ := draftWith(t, dir, diligent, "--transcript", file)
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_API_KEY", "")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"release-notes-agent", "--repo", dir, "--format", "json", "--replay", file}, strings.NewReader(""), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit %d\n%s", code, stderr.String())
	}
	again, err := notes.ReadJSON(&stdout)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("a replay differs (-first +again):\n%s", diff)
	}
}

// TestModelLeavesOutAndInvents: a model that drops every second change and names a pull
// request that there is none of gets its findings, and the history tells what it does
// not; a message of 400 kB is cut, and the request says so.
func TestModelLeavesOutAndInvents(t *testing.T) {
	var script strings.Builder
	script.WriteString("commit feat: zero\ntag v1.0.0\n")
	for i := range 60 {
		fmt.Fprintf(&script, "commit feat: change %d (#%d)\n", i+101, i+101)
	}
	script.WriteString("commit feat: huge body (#161)\n  |\n  | " + strings.Repeat("lorem ipsum dolor sit amet consectetur ", 10_000) + "\n")
	careless := func(r openaiserver.Request) openaiserver.Answer {
		var entries []any
		for i, found := range toldID.FindAllStringSubmatch(r.Messages[1].Text, -1) {
			if i%2 == 0 {
				entries = append(entries, map[string]any{"text": "Change of pull request 999, " + words(found[1]), "changes": []string{found[1]}})
			}
		}
		return call("submit_release_notes", map[string]any{"sections": []any{map[string]any{"kind": "feature", "entries": entries}}})
	}
	doc, requests, stderr := draftWith(t, gittest.Build(t, script.String()), careless)
	citedOnce(t, doc)
	for _, section := range doc.Sections {
		for _, e := range section.Entries {
			if strings.Contains(e.Text, "999") {
				t.Errorf("published: %s", e.Text)
			}
		}
	}
	if !strings.Contains(stderr, "61 of 61 entries come from the history") || !strings.Contains(stderr, "missing") || !strings.Contains(stderr, "unsupported") {
		t.Errorf("standard error: %s", stderr)
	}
	said := false
	for _, r := range requests {
		said = said || strings.Contains(r.Messages[1].Text, `"cut":true`) && strings.Contains(r.Messages[1].Text, "the text of 1 of them is cut to fit")
		if len(r.Body) > 64<<10 {
			t.Errorf("a request has %d bytes", len(r.Body))
		}
	}
	if !said {
		t.Error("no request says that a text was cut")
	}
}
