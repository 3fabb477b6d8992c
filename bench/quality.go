package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// A quality is what can be counted of a document.
type quality struct {
	entries, fromModel     int
	citations, known       int // ids that entries cite, and those of them that are of the release
	visible, covered, once int // changes to account for, those in an entry or left out, and those in exactly one entry
	breaking, announced    int // breaking changes, and those in the breaking section
	unsupported, unsafe    int // findings
	verified               int // findings of verify in the Markdown of it
	usage                  notes.Usage
}

const qualityHeader = `| clone | range | entries | of a model | citation precision | coverage | exactly once | breaking | unsupported | unsafe | findings of verify | requests | tokens |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`

func (q quality) String() string {
	return fmt.Sprintf("%d | %d | %s | %s | %s | %s | %d | %d | %d | %d | %d", q.entries, q.fromModel,
		share(q.known, q.citations), share(q.covered, q.visible), share(q.once, q.visible), share(q.announced, q.breaking),
		q.unsupported, q.unsafe, q.verified, q.usage.Requests, q.usage.InputTokens+q.usage.OutputTokens)
}

// share is a part of a whole; of nothing, all is there.
func share(part, whole int) string {
	if whole == 0 {
		return "1.000"
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(whole))
}

// measureQuality drafts the notes of every sample and prints a row of what can be counted
// of them: from the history, or from the transcript "CLONE RANGE.jsonl" in a directory.
func measureQuality(ctx context.Context, transcripts string, args []string) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	samples, err := samplesOf(ctx, args)
	if err != nil {
		return err
	}
	fmt.Println(qualityHeader)
	for _, s := range samples {
		q, err := s.quality(ctx, program, dir, transcripts)
		if err != nil {
			return fmt.Errorf("%s %s: %w", s.dir, s.name, err)
		}
		fmt.Printf("| %s | %s | %s |\n", filepath.Base(s.dir), s.name, q)
	}
	return nil
}

func (s sample) quality(ctx context.Context, program, dir, transcripts string) (quality, error) {
	how := []string{"--offline"}
	if file := filepath.Join(transcripts, filepath.Base(s.dir)+" "+s.name+".jsonl"); transcripts != "" {
		how = []string{"--replay", file}
	}
	data, err := output(ctx, program, append([]string{"--repo", s.dir, "--format", "json", s.revisions()}, how...)...)
	if err != nil {
		return quality{}, err
	}
	doc, err := notes.ReadJSON(bytes.NewReader(data))
	if err != nil {
		return quality{}, err
	}
	q := qualityOf(doc)
	markdown := filepath.Join(dir, "notes.md")
	if _, err := output(ctx, program, append([]string{"--repo", s.dir, "--output", markdown, s.revisions()}, how...)...); err != nil {
		return quality{}, err
	}
	found, err := output(ctx, program, "verify", "--repo", s.dir, "--format", "text", markdown, s.revisions())
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		return quality{}, err
	}
	q.verified = strings.Count(string(found), "\n")
	return q, nil
}

func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, err
}

func qualityOf(doc notes.Document) quality {
	q := quality{usage: doc.Usage, visible: doc.Verification.Visible, covered: doc.Verification.Covered, breaking: doc.Verification.Breaking, announced: doc.Verification.BreakingCovered}
	byID := map[string]changes.Change{}
	for _, c := range doc.Changes {
		byID[c.ID] = c
	}
	cited := map[string]int{}
	for _, section := range doc.Sections {
		for _, e := range section.Entries {
			q.entries++
			if e.Source == notes.FromModel {
				q.fromModel++
			}
			for _, id := range e.Changes {
				cited[id]++
			}
		}
	}
	for id, times := range cited {
		q.citations += times
		if c, ok := byID[id]; ok {
			q.known += times
			if times == 1 && !c.Hidden && !c.Reverted {
				q.once++
			}
		}
	}
	for _, left := range doc.LeftOut {
		if cited[left.Change] == 0 {
			q.once++ // it stands in one place
		}
	}
	for _, f := range doc.Verification.Findings {
		switch f.Code {
		case notes.Unsupported, notes.BeforeAfter:
			q.unsupported++
		case notes.Unsafe:
			q.unsafe++
		}
	}
	return q
}
