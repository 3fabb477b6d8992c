package history

import (
	"context"
	"errors"
	"sync"
	"testing"

	"release-notes-agent/internal/gittest"
)

func TestConcurrentReading(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	repo := openRepository(t, dir)
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			log, err := repo.Commits(t.Context(), "", head, nil)
			if err != nil || len(log.Commits) != 7 {
				t.Errorf("%d commits, %v", len(log.Commits), err)
			}
			for _, c := range log.Commits {
				if _, err := repo.Diff(t.Context(), c.Hash); err != nil {
					t.Error(err)
				}
			}
			authors := 0
			for _, err := range repo.Authors(t.Context(), head) {
				if authors++; err != nil {
					t.Error(err)
				}
			}
			if authors != 1 {
				t.Errorf("%d authors, want 1", authors)
			}
		})
	}
	wg.Wait()
}

func TestCancelledReading(t *testing.T) {
	dir := gittest.Build(t, withFiles)
	repo := openRepository(t, dir)
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, read := range map[string]func() error{
		"Release": func() error { _, err := repo.Release(ctx, Selection{}); return err },
		"Commits": func() error { _, err := repo.Commits(ctx, "", head, nil); return err },
		"Authors": func() (last error) {
			for _, err := range repo.Authors(ctx, head) {
				last = err
			}
			return last
		},
		"Commit": func() error { _, err := repo.Commit(ctx, head); return err },
		"ChangedPaths": func() (last error) {
			for _, err := range repo.ChangedPaths(ctx, head) {
				last = err
			}
			return last
		},
		"Diff": func() error { _, err := repo.Diff(ctx, head); return err },
		"File": func() error { _, err := repo.File(ctx, head, "README.md"); return err },
	} {
		if err := read(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
