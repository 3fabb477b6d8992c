package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/grounding"
	"release-notes-agent/history"
	"release-notes-agent/notes"
)

// A release is what the repository says: the facts that notes may state, and the
// repository itself for the agent's questions.
type release struct {
	repo       *history.Repository
	forge      changes.Forge
	found      history.Release
	commits    []changes.Commit       // all of the range, whatever the paths
	within     func(path string) bool // whether a path is one that the notes are about
	manifest   changes.Manifest
	warnings   []notes.Warning
	hints      []string // about what was asked for
	categories []notes.Category
}

func (r *release) Close() error { return r.repo.Close() }

// openRelease opens the repository. Nothing of its history is read yet.
func openRelease(cfg config) (*release, error) {
	repo, err := history.Open(cfg.repo, &history.Options{Getenv: cfg.getenv})
	if err != nil {
		return nil, err
	}
	return &release{repo: repo, forge: forgeOf(cfg, repo.RemoteURL)}, nil
}

// read finds the release that cfg names and reads its changes.
func (r *release) read(ctx context.Context, cfg config) error {
	found, err := r.repo.Release(ctx, history.Selection{
		Revision: cfg.revision, From: cfg.from, To: cfg.to,
		TagPrefix: cfg.tagPrefix, NextVersion: cfg.nextVersion,
	})
	if err != nil {
		return err
	}
	authors, stop := r.earlierAuthors(ctx, found)
	defer stop()
	log, err := r.repo.Commits(ctx, found.From, found.To, cfg.paths)
	if err != nil {
		return err
	}
	r.hints = rangeHints(found, log, cfg)
	opts := r.options(ctx, cfg)
	opts.EarlierAuthors = authors
	if log.Touching != nil {
		opts.Touches = func(hash string) bool { return log.Touching[hash] }
	}
	if r.within, err = r.repo.PathFilter(cfg.paths); err != nil {
		return err
	}
	r.found, r.commits = found, commitsOf(log)
	r.manifest = changes.Collect(describe(found, log), r.commits, opts)
	r.manifest.NextVersion = nextVersion(found, cfg, r.manifest.Changes)
	r.warnings = r.historyWarnings(found)
	return nil
}

// enrich adds what GitHub knows of the pull requests, and follows the rules that the
// repository has for them.
func (r *release) enrich(ctx context.Context, cfg config, facts githubFacts) {
	r.warnings = append(r.warnings, facts.Warnings...)
	r.hints = append(r.hints, facts.Hints...)
	r.manifest = changes.WithIssues(changes.WithPullRequests(r.manifest, facts.Pulls), facts.Issues)
	rules, err := r.readReleaseYML(ctx)
	if err != nil {
		r.hints = append(r.hints, fmt.Sprintf("the notes are not sorted as on GitHub: %v", err))
	}
	r.categories = rules.apply(&r.manifest, facts.Pulls)
	r.manifest.NextVersion = nextVersion(r.found, cfg, r.manifest.Changes)
}

func (r *release) options(ctx context.Context, cfg config) *changes.Options {
	return &changes.Options{
		Forge:     r.forge,
		Mailmap:   r.repo.Mailmap(ctx),
		AIAuthors: cfg.aiAuthors,
		Earlier:   r.repo.HasCommit,
		Paths:     func(hash string) iter.Seq2[string, error] { return r.repo.ChangedPaths(ctx, hash) },
	}
}

// earlierAuthors reads who authored anything before the release, while the rest is
// being read: it goes down to the roots when someone is new. It is nil when there is
// nothing before the release, or not all of it. The function ends the reading.
func (r *release) earlierAuthors(ctx context.Context, found history.Release) (iter.Seq2[changes.Person, error], func()) {
	if found.From == "" || !found.Complete {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	type read struct {
		author changes.Person
		err    error
	}
	ahead := make(chan read, 1000)
	go func() {
		defer close(ahead)
		for s, err := range r.repo.Authors(ctx, found.From) {
			select {
			case ahead <- read{changes.Person{Name: s.Name, Email: s.Email}, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	authors := func(yield func(changes.Person, error) bool) {
		for next := range ahead {
			if !yield(next.author, next.err) {
				return
			}
		}
	}
	return authors, func() {
		cancel()
		for range ahead { // until the reader has seen it
		}
	}
}

func describe(found history.Release, log history.Log) changes.Release {
	return changes.Release{
		Name:        found.Name,
		Tag:         found.Tag,
		PreviousTag: found.PreviousTag,
		Date:        found.Date.Format("2006-01-02"),
		From:        found.From,
		To:          found.To,
		CommitCount: commitCount(log),
		Complete:    found.Complete && log.Complete,
	}
}

// commitCount counts the commits that the notes are about.
func commitCount(log history.Log) int {
	if log.Touching != nil {
		return len(log.Touching)
	}
	return len(log.Commits)
}

func commitsOf(log history.Log) []changes.Commit {
	commits := make([]changes.Commit, len(log.Commits))
	for i, c := range log.Commits {
		commits[i] = changes.Commit{
			Hash:       c.Hash,
			Parents:    c.Parents,
			Author:     changes.Person{Name: c.Author.Name, Email: c.Author.Email},
			Committer:  changes.Person{Name: c.Committer.Name, Email: c.Committer.Email},
			AuthorTime: c.Author.When,
			CommitTime: c.Committer.When,
			Message:    c.Message,
		}
	}
	return commits
}

// nextVersion is the version that the changes ask for, in the form of the
// previous tag. A first release that is tagged already has said it itself.
func nextVersion(found history.Release, cfg config, list []changes.Change) string {
	if found.PreviousTag == "" && found.Tag != "" {
		return found.Tag
	}
	raise := map[changes.Level]history.Raise{
		changes.NoBump: history.RaiseNothing,
		changes.Patch:  history.RaisePatch,
		changes.Minor:  history.RaiseMinor,
		changes.Major:  history.RaiseMajor,
	}[changes.Bump(list)]
	return history.NextVersion(found.PreviousTag, cfg.tagPrefix, raise)
}

func (r *release) historyWarnings(found history.Release) []notes.Warning {
	var warnings []notes.Warning
	switch {
	case r.manifest.Release.Complete:
	case r.repo.Shallow():
		warnings = append(warnings, notes.Warning{
			Code:    notes.ShallowClone,
			Message: "the clone is shallow: history is missing, and the notes may be incomplete",
			Hint:    "git fetch --unshallow --tags",
		})
	default:
		warnings = append(warnings, notes.Warning{
			Code:    notes.ObjectsMissing,
			Message: "commits are missing from the repository, and the notes may be incomplete",
			Hint:    "git fsck --full",
		})
	}
	if found.Unreachable != "" {
		warnings = append(warnings, notes.Warning{
			Code: notes.TagNotReachable,
			Message: fmt.Sprintf("%s is newer than %s but no ancestor of what is described, so it was not taken as the previous release",
				found.Unreachable, orElse(found.PreviousTag, "any release found")),
			Hint: fmt.Sprintf("release-notes-agent %s..%s", found.Unreachable, orElse(found.Tag, "HEAD")),
		})
	}
	return warnings
}

// rangeHints says where an answer may not be what was meant: nothing is wrong, but
// tags may not have been fetched, or a name be mistyped.
func rangeHints(found history.Release, log history.Log, cfg config) []string {
	var hints []string
	if found.From == "" && found.Complete {
		switch {
		case cfg.tagPrefix != "":
			hints = append(hints, fmt.Sprintf("no earlier release tag begins with %q, so that all of history is described; check --tag-prefix, or run git fetch --tags", cfg.tagPrefix))
		case found.Tag == "":
			hints = append(hints, "no release tag was found, so that all of history is described; run git fetch --tags, or name a start with --from")
		}
	}
	if log.Touching != nil && len(log.Touching) == 0 && len(log.Commits) > 0 {
		hints = append(hints, fmt.Sprintf("none of the %d commits touches %s; paths are seen from the directory of --repo", len(log.Commits), strings.Join(cfg.paths, ", ")))
	}
	return hints
}

func orElse(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

// maxEvidence bounds the diff that a claim is looked up in, in bytes.
const maxEvidence = 4 << 20

// evidence returns the diff of a change, names of files included, for the check of what
// a model says of it. What can't be read is no evidence.
func (r *release) evidence(ctx context.Context) grounding.Evidence {
	return func(id string) string {
		change, err := r.change(id)
		if err != nil {
			return ""
		}
		hashes, err := r.commitsToRead(ctx, change)
		if err != nil {
			return ""
		}
		var text strings.Builder
		for _, hash := range hashes {
			diff, _ := r.repo.Diff(ctx, hash)
			for _, f := range diff {
				if text.Len() >= maxEvidence {
					break
				}
				fmt.Fprintf(&text, "%s\n%s\n%s\n", f.Path, f.OldPath, f.Text)
				if f.OldPath != "" && !strings.Contains(f.Text, "\n@@ ") { // it was moved as it is
					whole, _ := r.repo.File(ctx, hash, f.Path)
					text.Write(whole)
				}
			}
		}
		return text.String()
	}
}

// commitsToRead returns the commits whose diffs together are the change: the merge
// that brought it, or each of its commits.
func (r *release) commitsToRead(ctx context.Context, c changes.Change) ([]string, error) {
	first, err := r.repo.Commit(ctx, c.Commits[0])
	if err != nil {
		return nil, err
	}
	if len(first.Parents) > 1 {
		return c.Commits[:1], nil
	}
	return c.Commits, nil
}

func (r *release) change(id string) (changes.Change, error) {
	for _, c := range r.manifest.Changes {
		if c.ID == id {
			return c, nil
		}
	}
	return changes.Change{}, fmt.Errorf("no change %q in this release: the ids are those of the list, such as c1", id)
}
