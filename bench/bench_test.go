package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"release-notes-agent/internal/gittest"
)

// TestRangesArePrintedAsGitDoes: what is timed must do the same work.
func TestRangesArePrintedAsGitDoes(t *testing.T) {
	gittest.NeedGit(t)
	dir := filepath.Join(t.TempDir(), "made")
	if err := makeRepository(t.Context(), dir, 300); err != nil {
		t.Fatal(err)
	}
	samples, err := samplesOf(t.Context(), []string{dir, "v1.1.0", "v1.2.0"})
	if err != nil || len(samples) != 2 {
		t.Fatalf("%v, %v", samples, err)
	}
	for i, commits := range []int{100, 150} {
		s := samples[i]
		if s.commits != commits {
			t.Errorf("%s has %d commits, want %d", s.name, s.commits, commits)
		}
		var got bytes.Buffer
		if err := printRange(t.Context(), &got, dir, s.name); err != nil {
			t.Fatal(err)
		}
		want := gittest.Git(t, dir, "log", "--format="+logFormat, s.revisions())
		if got.String() != want+"\n" {
			t.Errorf("%s: printed other bytes than git log", s.name)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		list []float64
		want float64
	}{{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{7}, 7}} {
		if got := median(tc.list); got != tc.want {
			t.Errorf("median of %v: %v, want %v", tc.list, got, tc.want)
		}
	}
}
