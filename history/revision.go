package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"release-notes-agent/gitstore"
)

// An UnknownRevisionError names a revision that the repository lacks.
type UnknownRevisionError struct {
	Revision string
	Nearest  []string // tags with similar names, best first, at most three
}

func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("no tag, branch or commit %q", e.Revision)
}

// Hint says what may have been meant.
func (e *UnknownRevisionError) Hint() string {
	switch len(e.Nearest) {
	case 0:
		return "list the tags with git tag, and fetch missing ones with git fetch --tags"
	case 1:
		return fmt.Sprintf("the nearest tag is %s", e.Nearest[0])
	}
	return fmt.Sprintf("the nearest tags are %s", strings.Join(e.Nearest, ", "))
}

// A revision is what a name leads to.
type revision struct {
	commit plumbing.Hash
	tag    string        // short name, when the name is that of a tag
	object plumbing.Hash // of the tag, or the commit
}

// resolve finds the commit that a revision means. A tag wins over a branch of the
// same name. Of git's suffixes it knows ~n, ^n, ^0, ^{} and ^{commit}.
func (r *Repository) resolve(name string) (revision, error) {
	base, suffix := name, ""
	if i := strings.IndexAny(name, "~^"); i >= 0 {
		base, suffix = name[:i], name[i:]
	}
	rev, err := r.resolveName(base)
	if errors.Is(err, errUnknown) {
		return revision{}, &UnknownRevisionError{Revision: name, Nearest: r.nearestTags(base)}
	}
	if err != nil {
		return revision{}, err
	}
	if rev.commit, err = r.peelToCommit(rev.object); err != nil {
		return revision{}, fmt.Errorf("revision %q: %w", name, err)
	}
	if suffix == "" {
		return rev, nil
	}
	h, err := r.follow(rev.commit, suffix)
	if err != nil {
		return revision{}, fmt.Errorf("revision %q: %w", name, err)
	}
	return revision{commit: h, object: h}, nil
}

var errUnknown = errors.New("unknown revision")

// resolveName finds the object of a name without suffixes.
func (r *Repository) resolveName(name string) (revision, error) {
	if name == "HEAD" || name == "@" {
		h, _, err := r.store.Head()
		return revision{object: h}, err
	}
	if h, err := parseHash(name); err == nil {
		return revision{object: h}, r.mustExist(h)
	}
	for _, form := range []string{"refs/tags/%s", "%s", "refs/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		ref, err := r.store.Ref(plumbing.ReferenceName(fmt.Sprintf(form, name)))
		if err == nil {
			tag, _ := strings.CutPrefix(string(ref.Name), "refs/tags/")
			if !ref.Name.IsTag() {
				tag = ""
			}
			return revision{object: ref.Hash, tag: tag}, nil
		}
	}
	if h, err := r.abbreviated(name); err != nil || !h.IsZero() {
		return revision{object: h}, err
	}
	return revision{}, errUnknown
}

func (r *Repository) mustExist(h plumbing.Hash) error {
	_, _, err := r.store.Object(h)
	if isMissing(err) {
		return errUnknown
	}
	return err
}

// abbreviated finds the one commit, or tag, whose hash begins with name, which may
// also be what git describe prints. Zero means that there is none.
func (r *Repository) abbreviated(name string) (plumbing.Hash, error) {
	if i := strings.LastIndex(name, "-g"); i > 0 {
		name = name[i+2:]
	}
	hashes, err := r.store.Abbreviated(strings.ToLower(name))
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var commits []plumbing.Hash
	for _, h := range hashes {
		if _, err := r.peelToCommit(h); err == nil {
			commits = append(commits, h)
		}
	}
	switch len(commits) {
	case 0:
		return plumbing.ZeroHash, nil
	case 1:
		return commits[0], nil
	}
	return plumbing.ZeroHash, fmt.Errorf("hash %q is ambiguous: %d commits begin with it; give more digits", name, len(commits))
}

// maxTagDepth bounds tags of tags of tags.
const maxTagDepth = 32

// HasCommit reports whether a hash, full or short, is that of a commit, whatever leads
// to it.
func (r *Repository) HasCommit(hash string) bool {
	h, err := r.abbreviated(hash)
	if err != nil {
		return false
	}
	_, err = r.commits.read(r.store, h)
	return err == nil
}

// peelToCommit follows annotated tags to the commit they lead to.
func (r *Repository) peelToCommit(h plumbing.Hash) (plumbing.Hash, error) {
	for range maxTagDepth {
		typ, data, err := r.store.Object(h)
		switch {
		case err != nil:
			return plumbing.ZeroHash, err
		case typ == plumbing.CommitObject:
			return h, nil
		case typ != plumbing.TagObject:
			return plumbing.ZeroHash, fmt.Errorf("it names a %s, not a commit", typ)
		}
		next, ok := parseAnnotation(data)
		if !ok {
			return plumbing.ZeroHash, fmt.Errorf("tag object %s is damaged", h)
		}
		h = next.object
	}
	return plumbing.ZeroHash, errors.New("too many tags of tags")
}

// follow applies suffixes such as "~2^2^{}" to a commit.
func (r *Repository) follow(h plumbing.Hash, suffix string) (plumbing.Hash, error) {
	for suffix != "" {
		kind := suffix[0]
		suffix = suffix[1:]
		if kind == '^' && strings.HasPrefix(suffix, "{") {
			inner, rest, closed := strings.Cut(suffix[1:], "}")
			if !closed {
				return h, fmt.Errorf("%q has no closing brace", "^"+suffix)
			}
			if inner != "" && inner != "commit" && inner != "0" {
				return h, fmt.Errorf("^{%s} is not supported; name a commit", inner)
			}
			suffix = rest
			continue
		}
		digits := len(suffix) - len(strings.TrimLeft(suffix, "0123456789"))
		n, err := strconv.Atoi(cmp.Or(suffix[:digits], "1"))
		if err != nil || suffix[digits:] != "" && suffix[digits] != '~' && suffix[digits] != '^' {
			return h, fmt.Errorf("%q is not a number of parents", suffix)
		}
		suffix = suffix[digits:]
		if h, err = r.step(h, kind, n); err != nil {
			return h, err
		}
	}
	return h, nil
}

// step goes to the n-th first parent of a first parent (~n), or to the n-th parent (^n).
func (r *Repository) step(h plumbing.Hash, kind byte, n int) (plumbing.Hash, error) {
	times, parent := 1, n
	if kind == '~' {
		times, parent = n, 1
	}
	for range times {
		if parent == 0 {
			break
		}
		c, err := r.commit(h)
		if err != nil {
			return h, err
		}
		if parent > len(c.Parents) {
			return h, fmt.Errorf("commit %s has %d parents", h, len(c.Parents))
		}
		h = plumbing.NewHash(c.Parents[parent-1])
	}
	return h, nil
}

// nearestTags returns the tags whose names are most like name, the newest releases
// first. A "v" in front makes no difference.
func (r *Repository) nearestTags(name string) []string {
	refs, err := r.store.Refs("refs/tags/")
	if err != nil {
		return nil
	}
	releases, _, _ := r.releaseTags() // without them the order is that of the names
	var tags []string
	for _, tag := range releases {
		tags = append(tags, tag.name)
	}
	for _, ref := range refs {
		tags = append(tags, shortTag(ref))
	}
	type candidate struct {
		tag      string
		distance int
	}
	var near []candidate
	plain, _ := cutV(strings.ToLower(name))
	for _, tag := range unique(tags) {
		other, _ := cutV(strings.ToLower(tag))
		near = append(near, candidate{tag, editDistance(plain, other)})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var nearest []string
	for _, c := range near[:min(3, len(near))] {
		nearest = append(nearest, c.tag)
	}
	return nearest
}

// unique keeps the first of equal names.
func unique(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		before := seen[name]
		seen[name] = true
		return before
	})
}

func shortTag(ref gitstore.Ref) string { return strings.TrimPrefix(string(ref.Name), "refs/tags/") }

// editDistance is the number of bytes to insert, remove or replace.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
