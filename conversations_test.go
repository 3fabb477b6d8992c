package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/changes"
	"release-notes-agent/internal/gittest"
	"release-notes-agent/notes"
)

// A played release is one of testdata/conversations: a history, and what was said about
// it when somebody played the model by hand and saw nothing but the requests. With
// -update the same answers are given to the requests of today.
type playedRelease struct {
	file       string
	archive    *txtar.Archive
	dir        string
	transcript string
}

// The files of an archive.
const (
	playedHistory = iota
	playedTranscript
	playedNotes
)

func playedReleases(t testing.TB) (list []playedRelease) {
	files, err := filepath.Glob(filepath.Join("testdata", "conversations", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := playedRelease{file: file, archive: archive, dir: gittest.Build(t, string(archive.Files[playedHistory].Data))}
		p.transcript = filepath.Join(t.TempDir(), "transcript.jsonl")
		if err := os.WriteFile(p.transcript, archive.Files[playedTranscript].Data, 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// TestConversations: the drafts hold after two rounds at most, and nothing in them had to
// be replaced.
func TestConversations(t *testing.T) {
	for _, p := range playedReleases(t) {
		t.Run(filepath.Base(p.file), func(t *testing.T) {
			if *update && os.Getenv("CI") == "" {
				p.playAgain(t)
			}
			doc, stderr := p.replay(t)
			if stderr != "" || len(doc.Warnings) > 0 {
				t.Errorf("warnings: %s", stderr)
			}
			if citedOnceOrLeftOut(t, doc) == 0 {
				t.Error("nothing comes from the model")
			}
			var markdown bytes.Buffer
			if err := notes.Markdown(&markdown, doc); err != nil {
				t.Fatal(err)
			}
			if *update && os.Getenv("CI") == "" {
				p.archive.Files[playedNotes].Data = markdown.Bytes()
				if err := os.WriteFile(p.file, txtar.Format(p.archive), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(p.archive.Files[playedNotes].Data), markdown.String()); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func citedOnceOrLeftOut(t *testing.T, doc notes.Document) (fromModel int) {
	t.Helper()
	for _, left := range doc.LeftOut {
		doc.Changes = slices.DeleteFunc(doc.Changes, func(c changes.Change) bool { return c.ID == left.Change })
	}
	doc.Changes = slices.DeleteFunc(doc.Changes, func(c changes.Change) bool { return c.Reverted })
	return citedOnce(t, doc)
}

func (p playedRelease) replay(t testing.TB) (notes.Document, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := []string{"release-notes-agent", "--repo", p.dir, "--format", "json", "--strict", "--replay", p.transcript}
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr.String())
	}
	doc, err := notes.ReadJSON(&stdout)
	if err != nil {
		t.Fatal(err)
	}
	return doc, stderr.String()
}

// playAgain makes a new transcript, in which the model says what it said.
func (p *playedRelease) playAgain(t *testing.T) {
	t.Helper()
	old, err := parseReplay(bytes.NewReader(p.archive.Files[playedTranscript].Data))
	if err != nil {
		t.Fatal(err)
	}
	answer := func(r openaiserver.Request) openaiserver.Answer {
		for _, c := range old.conversations {
			if said := slices.DeleteFunc(slices.Clone(c.messages), func(m agent.Message) bool { return m.Role != agent.RoleAssistant }); sameIDs(c.messages[1].Text, r.Messages[1].Text) {
				turn := 0
				for _, m := range r.Messages {
					if m.Role == "assistant" {
						turn++
					}
				}
				if turn >= len(said) {
					break
				}
				var calls []openaiserver.ToolCall
				for _, call := range said[turn].ToolCalls {
					calls = append(calls, openaiserver.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
				}
				return openaiserver.Answer{ToolCalls: calls, Usage: &openaiserver.Usage{Input: len(r.Body) / 4, Output: len(said[turn].ToolCalls[0].Arguments) / 4}}
			}
		}
		return openaiserver.Answer{Status: 400, Body: json.RawMessage(`{"error": {"message": "nothing was said about this"}}`)}
	}
	draftWith(t, p.dir, answer, "--transcript", p.transcript, "--model", old.run.Model)
	data, err := os.ReadFile(p.transcript)
	if err != nil {
		t.Fatal(err)
	}
	p.archive.Files[playedTranscript].Data = data
}

// sameIDs reports whether two prompts are about the same changes or entries.
func sameIDs(a, b string) bool {
	return slices.EqualFunc(toldID.FindAllStringSubmatch(a, -1), toldID.FindAllStringSubmatch(b, -1), func(x, y []string) bool { return x[1] == y[1] })
}

// BenchmarkConversations reports what the replayed conversations cost and how good the
// drafts are that came of them: 1.0 for citations and coverage, and nothing that is
// unsupported or unsafe.
func BenchmarkConversations(b *testing.B) {
	for _, p := range playedReleases(b) {
		b.Run(strings.TrimSuffix(filepath.Base(p.file), ".txtar"), func(b *testing.B) {
			var doc notes.Document
			for b.Loop() {
				doc, _ = p.replay(b)
			}
			v := doc.Verification
			b.ReportMetric(float64(v.Cited)/float64(v.Entries), "cited/entry")
			b.ReportMetric(float64(v.Covered)/float64(v.Visible), "covered/change")
			b.ReportMetric(float64(len(v.Findings)), "findings")
			b.ReportMetric(float64(doc.Usage.Requests), "requests")
			b.ReportMetric(float64(doc.Usage.InputTokens+doc.Usage.OutputTokens)/float64(v.Visible), "tokens/change")
		})
	}
}
