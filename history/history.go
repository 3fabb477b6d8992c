// Package history reads the facts of a release from a git repository: which
// release, which commits, who, which paths, which lines. Call [Open], then
// [Repository.Release] and [Repository.Commits].
package history

import "time"

// A Selection says which release is meant. The zero value means HEAD.
type Selection struct {
	Revision    string // "", a tag or another revision, "FROM..TO", "FROM.." or "..TO"
	From, To    string // the same, given apart; an error together with Revision
	TagPrefix   string // of release tags: "api/", "packages-"; inferred when empty
	NextVersion string // name for what is unreleased; a final version makes pre-releases no predecessors
}

// A Release is a range of commits with its names.
type Release struct {
	Name        string    // the tag, NextVersion, or "Unreleased"
	Tag         string    // short name of the release tag on the end, or empty
	PreviousTag string    // short name, or empty
	Date        time.Time // of an annotated tag, otherwise of the end commit, in its own zone
	From, To    string    // full hashes; From is empty for a first release
	Complete    bool      // false when a shallow boundary, or missing objects, cut the history that decides From
	Unreachable string    // a newer release tag that is not an ancestor of the end, or empty
	TagMessage  string    // of an annotated tag
}

// An UnknownRevisionError names a revision that the repository lacks.
type UnknownRevisionError struct {
	Revision string
	Nearest  []string // tags with similar names, best first, at most three
}

// A Commit as git log shows it, text in UTF-8.
type Commit struct {
	Hash      string
	Parents   []string
	Author    Signature
	Committer Signature
	Message   string
}

// A Signature is who and when.
type Signature struct {
	Name, Email string
	When        time.Time // in the zone that was recorded
}

// Log is what Commits returns.
type Log struct {
	Commits  []Commit // in the order of git log
	Complete bool     // false when a shallow boundary lies in the range
}

// A FileDiff is the change of one file.
type FileDiff struct {
	Path    string // new path, or the old one of a deleted file
	OldPath string // when renamed; otherwise empty
	Binary  bool
	Text    string // unified diff with three lines of context; empty when binary
}
