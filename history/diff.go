package history

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/diff"
	linediff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Bounds of a diff. What is larger is shown as binary.
const (
	maxDiffBytes = 4 << 20         // of either side of a file
	diffTimeout  = 5 * time.Second // for one file; after it, what is left is one deletion and one addition
	contextLines = 3
)

// A FileDiff is the change of one file.
type FileDiff struct {
	Path    string // new path, or the old one of a deleted file
	OldPath string // when renamed; otherwise empty
	Binary  bool
	Text    string // unified diff with three lines of context; empty when binary
}

// Diff returns the changes of a commit against its first parent as a unified
// diff, per file, in the order of paths. A rename is recognised when the content
// stayed the same.
func (r *Repository) Diff(ctx context.Context, hash string) ([]FileDiff, error) {
	changes, err := r.changes(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("reading the diff of %s: %w", hash, err)
	}
	var diffs []FileDiff
	for _, c := range joinRenames(changes) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := r.fileDiff(c)
		if err != nil {
			return nil, fmt.Errorf("reading the diff of %q in %s: %w", c.path, hash, err)
		}
		diffs = append(diffs, d)
	}
	return diffs, nil
}

// joinRenames makes one change of a deleted and an added file with the same content.
func joinRenames(changes []change) []change {
	deleted := map[plumbing.Hash][]change{}
	for _, c := range changes {
		if c.new == (entry{}) {
			deleted[c.old.hash] = append(deleted[c.old.hash], c)
		}
	}
	renamed := map[string]bool{}
	joined := make([]change, 0, len(changes))
	for _, c := range changes {
		if from := deleted[c.new.hash]; c.old == (entry{}) && len(from) > 0 {
			deleted[c.new.hash] = from[1:]
			renamed[from[0].path] = true
			c.old, c.oldPath = from[0].old, from[0].path
		}
		joined = append(joined, c)
	}
	kept := joined[:0]
	for _, c := range joined {
		if c.new != (entry{}) || !renamed[c.path] {
			kept = append(kept, c)
		}
	}
	return kept
}

func (r *Repository) fileDiff(c change) (FileDiff, error) {
	d := FileDiff{Path: c.path, OldPath: c.oldPath}
	old, oldBinary, err := r.content(c.old)
	if err != nil {
		return d, err
	}
	new, newBinary, err := r.content(c.new)
	if err != nil {
		return d, err
	}
	if oldBinary || newBinary {
		d.Binary = true
		return d, nil
	}
	var text strings.Builder
	err = diff.NewUnifiedEncoder(&text, contextLines).Encode(filePatch{change: c, chunks: compareLines(old, new)})
	d.Text = text.String()
	return d, err
}

// content is what git would show of a file; of a submodule its commit. Binary judges
// as git does, by a zero byte near the start, and by size.
func (r *Repository) content(e entry) (data []byte, binary bool, err error) {
	switch {
	case e == (entry{}):
		return nil, false, nil
	case e.mode == filemode.Submodule:
		return []byte("Subproject commit " + e.hash.String() + "\n"), false, nil
	}
	size, err := r.store.Size(e.hash)
	if err != nil || size > maxDiffBytes {
		return nil, true, err
	}
	_, data, err = r.store.Object(e.hash)
	return data, bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0, err
}

func compareLines(old, new []byte) []diff.Chunk {
	operations := map[diffmatchpatch.Operation]diff.Operation{
		diffmatchpatch.DiffEqual: diff.Equal, diffmatchpatch.DiffInsert: diff.Add, diffmatchpatch.DiffDelete: diff.Delete,
	}
	var chunks []diff.Chunk
	for _, d := range linediff.DoWithTimeout(validText(old), validText(new), diffTimeout) {
		chunks = append(chunks, chunk{d.Text, operations[d.Type]})
	}
	return chunks
}

// A filePatch shows a change to the encoder of unified diffs.
type filePatch struct {
	change
	chunks []diff.Chunk
}

func (p filePatch) FilePatches() []diff.FilePatch { return []diff.FilePatch{p} }
func (p filePatch) Message() string               { return "" }
func (p filePatch) IsBinary() bool                { return false }
func (p filePatch) Chunks() []diff.Chunk          { return p.chunks }

func (p filePatch) Files() (from, to diff.File) {
	if p.old != (entry{}) {
		from = patchFile{p.old, p.path}
		if p.oldPath != "" {
			from = patchFile{p.old, p.oldPath}
		}
	}
	if p.new != (entry{}) {
		to = patchFile{p.new, p.path}
	}
	return from, to
}

type patchFile struct {
	entry
	path string
}

func (f patchFile) Hash() plumbing.Hash     { return f.hash }
func (f patchFile) Mode() filemode.FileMode { return f.mode }

// Path quotes what could be taken for another line of the diff.
func (f patchFile) Path() string {
	if strings.ContainsFunc(f.path, unicode.IsControl) {
		return strconv.Quote(f.path)
	}
	return f.path
}

// A chunk is a run of lines that both sides have, or one of them.
type chunk struct {
	text      string
	operation diff.Operation
}

func (c chunk) Content() string      { return c.text }
func (c chunk) Type() diff.Operation { return c.operation }
