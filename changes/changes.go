// Package changes turns the commits of a release into the list of changes that
// a reader would name: pull requests and direct commits, with their kinds,
// breaking notes, reverts, dependencies and people. It reads no repository and
// no network. Call [Collect] first.
package changes

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Commit is what Collect needs to know of one commit.
type Commit struct {
	Hash       string   // full, lower-case hexadecimal
	Parents    []string // full hashes, in git's order
	Author     Person
	Committer  Person
	AuthorTime time.Time
	CommitTime time.Time
	Message    string // UTF-8, as written
}

// A Person is a name and an e-mail address as a commit records them. The
// address serves to tell people apart and is never printed.
type Person struct {
	Name  string
	Email string
}

// Options are what Collect knows beyond the commits. The zero value is useful.
type Options struct {
	// Forge makes the links. The zero value makes none.
	Forge Forge
	// Mailmap holds the text of the repository's mailmap, as gitmailmap(5).
	Mailmap string
	// EarlierAuthors yields those who authored a commit before the release. It is
	// ranged over at most once, and no further than until everyone of the release is
	// found. When it is nil, or ends with an error, nobody is marked as new.
	EarlierAuthors iter.Seq2[Person, error]
	// Paths yields the paths that a commit changed against its first parent. It is
	// called only for commits whose message leaves their kind open, or lets it be
	// guessed, for several side by side; an error leaves it as it is. May be nil.
	Paths func(hash string) iter.Seq2[string, error]
	// Earlier tells whether a hash, full or short, is that of a commit outside of the
	// range: a revert of one undoes nothing of the release. May be nil.
	Earlier func(hash string) bool
	// Touches tells whether a commit touches the paths that the notes are about. A
	// change with such a commit is kept whole. When nil, all are kept.
	Touches func(hash string) bool
	// AIAuthors lists AI assistants named in Co-authored-by as contributors.
	AIAuthors bool
}

// Collect turns commits, in the order of git log (children before parents), into
// the manifest of release. It fills in the release's links and leaves
// NextVersion to the caller, who knows the tags; see [Bump].
//
// The result depends on the arguments alone and shares no memory with them.
func Collect(release Release, commits []Commit, opts *Options) Manifest {
	if opts == nil {
		opts = &Options{}
	}
	release.RepositoryURL = opts.Forge.URL
	if release.PreviousTag != "" {
		end := release.Tag
		if end == "" {
			end = release.To
		}
		release.CompareURL = opts.Forge.CompareURL(release.PreviousTag, end)
	}
	parsed := parseCommits(commits, opts.Forge.Kind)
	groups := groupCommits(parsed, opts.Forge.Owner)
	if opts.Touches != nil {
		groups = slices.DeleteFunc(groups, func(g group) bool { return !g.touches(opts.Touches) })
	}
	people := newRoster(opts)
	for i := range groups {
		for _, c := range groups[i].ownCommits() {
			people.authorsOf(c) // settles the names before any is used
		}
	}
	list := make([]Change, len(groups))
	sideBySide(len(groups), func(i int) { list[i] = groups[i].change(opts) })
	for i := range groups {
		list[i].Authors = groups[i].authors(people)
	}
	cancelReverts(list, groups, opts)
	list, groups = joinPicked(list, groups)
	for i := range list {
		list[i].ID = fmt.Sprintf("c%d", i+1)
	}
	return Manifest{
		Release:      release,
		Changes:      list,
		Dependencies: mergeBumps(list, groups),
		Contributors: people.contributors(opts.EarlierAuthors),
	}
}

// sideBySide calls do for the numbers below n, in no order.
func sideBySide(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// Level is the part of a semantic version that a list of changes raises.
type Level int

const (
	NoBump Level = iota // no changes at all
	Patch
	Minor
	Major
)

// Bump returns the level that the changes ask for by semver.org and
// Conventional Commits 1.0.0: breaking changes raise major, features,
// deprecations and removals minor, everything else patch. Reverted changes do not count.
func Bump(changes []Change) Level {
	level := NoBump
	for _, c := range changes {
		if !c.Reverted {
			level = max(level, levelOf(c))
		}
	}
	return level
}

func levelOf(c Change) Level {
	switch {
	case c.Breaking:
		return Major
	case c.Kind == Feature || c.Kind == Deprecation || c.Kind == Removal:
		return Minor
	}
	if slices.ContainsFunc(c.Details, func(step string) bool {
		kind, known := kindOf(parseHeader(step))
		return known == told && (kind == Feature || kind == Deprecation)
	}) {
		return Minor
	}
	return Patch
}
