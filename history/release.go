package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// A Selection says which release is meant. The zero value means HEAD.
type Selection struct {
	Revision    string // "", a tag or another revision, "FROM..TO", "FROM.." or "..TO"
	From, To    string // the same, given apart; an error together with Revision
	TagPrefix   string // of release tags: "api/", "packages-"; inferred when empty
	NextVersion string // name for what is unreleased; a final version makes pre-releases no predecessors
}

// Unreleased is the name of a release without a tag and without a next version.
const Unreleased = "Unreleased"

// A Release is a range of commits with its names.
type Release struct {
	Name        string    // the tag, NextVersion, or Unreleased
	Tag         string    // short name of the release tag on the end, or empty
	PreviousTag string    // short name, or empty
	Date        time.Time // of an annotated tag, otherwise of the end commit, in its own zone
	From, To    string    // full hashes; From is empty for a first release
	Complete    bool      // false when a shallow boundary, or missing objects, cut the history that decides From
	Unreachable string    // a newer release tag that is not an ancestor of the end, or empty
	TagMessage  string    // of an annotated tag
}

// Release resolves a selection. An unknown revision gives an *UnknownRevisionError.
//
// The end is the tag or revision that is named, otherwise HEAD. The start, when
// none is named, is the commit of the highest version below the end's among the
// release tags of the same family that are ancestors of the end.
func (r *Repository) Release(ctx context.Context, sel Selection) (Release, error) {
	if err := ctx.Err(); err != nil {
		return Release{}, err
	}
	from, to, err := sel.ends()
	if err != nil {
		return Release{}, err
	}
	end, err := r.resolve(cmp.Or(to, "HEAD"))
	if err != nil {
		return Release{}, err
	}
	tags, lost, err := r.releaseTags()
	if err != nil {
		return Release{}, err
	}
	s := search{repo: r, tags: tags, lost: lost, sel: sel, end: end}
	s.family, _ = cutV(sel.TagPrefix)
	s.nameEnd()
	if err := s.checkNextVersion(); err != nil {
		return Release{}, err
	}
	if from != "" {
		err = s.startAt(ctx, from)
	} else {
		err = s.findStart(ctx)
	}
	if err != nil {
		return Release{}, err
	}
	return s.release, s.describeEnd()
}

// ends returns the names of both ends; an empty one is to be found.
func (sel Selection) ends() (from, to string, err error) {
	if sel.Revision == "" {
		return sel.From, sel.To, nil
	}
	if sel.From != "" || sel.To != "" {
		return "", "", fmt.Errorf("revision %q was given together with a start or an end of its own; give one or the other", sel.Revision)
	}
	if strings.Contains(sel.Revision, "...") {
		return "", "", fmt.Errorf("range %q has three dots; a release is a range with two", sel.Revision)
	}
	from, to, isRange := strings.Cut(sel.Revision, "..")
	switch {
	case !isRange:
		return "", sel.Revision, nil
	case from == "" && to == "":
		return "", "", errors.New("range \"..\" has no ends; give at least one")
	}
	return from, to, nil
}

// A search is a release as it is being found.
type search struct {
	repo    *Repository
	tags    []*releaseTag // by family, newest version first
	sel     Selection
	lost    []*releaseTag // tags whose objects are missing, in the same order
	end     revision
	endTag  *releaseTag // nil when unreleased, or when the tag has no version
	family  string
	release Release
}

// hasFamily tells whether the family is settled: by a prefix, by the end's tag, or
// by a next version with a prefix of its own.
func (s *search) hasFamily() bool {
	return s.sel.TagPrefix != "" || s.endTag != nil || s.family != ""
}

// nameEnd finds the tag of the release.
func (s *search) nameEnd() {
	s.release.To, s.release.Complete = s.end.commit.String(), true
	s.endTag = s.tagOnEnd()
	s.release.Tag = s.end.tag
	if s.endTag != nil {
		s.family, s.release.Tag = s.endTag.family, s.endTag.name
	} else if next, ok := parseTag(s.sel.NextVersion); ok && s.sel.TagPrefix == "" {
		s.family = next.family
	}
	s.release.Name = cmp.Or(s.release.Tag, s.sel.NextVersion, Unreleased)
}

// checkNextVersion refuses a name that is taken, or given to what has one.
func (s *search) checkNextVersion() error {
	next := s.sel.NextVersion
	switch {
	case next == "":
		return nil
	case s.endTag != nil:
		return fmt.Errorf("%s is released already and can't be named %q; leave out the next version, or name what is unreleased", s.endTag.name, next)
	}
	for _, tag := range s.tags {
		if tag.name == next {
			return fmt.Errorf("next version %q is a release already; choose a higher one, or describe the tag", next)
		}
	}
	return nil
}

// tagOnEnd chooses among the release tags on the end: the one that was named, then
// the newest of the family, the plain family before others.
func (s *search) tagOnEnd() *releaseTag {
	var best *releaseTag
	for _, tag := range s.tags {
		switch {
		case tag.commit != s.end.commit:
		case tag.name == s.end.tag:
			return tag
		case s.sel.TagPrefix != "" && tag.family != s.family:
		case best == nil:
			best = tag // the plain family and newest versions come first
		}
	}
	if best == nil || s.end.tag == "" && s.isBefore(best, s.sel.NextVersion) {
		return nil
	}
	return best
}

// isBefore tells whether a version that is still to come makes a tag an earlier release.
func (s *search) isBefore(tag *releaseTag, next string) bool {
	name, ok := parseTag(next)
	return ok && tag.version.compare(name.version) < 0
}

// startAt takes the start that was named.
func (s *search) startAt(ctx context.Context, name string) error {
	start, err := s.repo.resolve(name)
	if err != nil {
		return err
	}
	if start.commit != s.end.commit {
		w := newWalk(s.repo)
		reversed, err := w.reaches(ctx, start.commit, s.end.commit)
		if err != nil {
			return err
		}
		if reversed {
			return fmt.Errorf("range %s..%s is reversed: its end is part of its start; swap the two", name, cmp.Or(s.end.tag, s.end.commit.String()[:12]))
		}
	}
	s.release.From = start.commit.String()
	s.release.PreviousTag = start.tag
	for _, tag := range s.tags {
		if s.release.PreviousTag == "" && tag.commit == start.commit && (!s.hasFamily() || tag.family == s.family) {
			s.release.PreviousTag = tag.name
		}
	}
	return nil
}

// describeEnd fills in the date and the message.
func (s *search) describeEnd() error {
	object := s.end.object
	if s.endTag != nil {
		object = s.endTag.object
	}
	typ, data, err := s.repo.store.Object(object)
	if err != nil {
		return err
	}
	if typ == plumbing.TagObject {
		a, _ := parseAnnotation(data)
		s.release.Date, s.release.TagMessage = a.when, a.message
	}
	if s.release.Date.IsZero() {
		c, err := s.repo.commit(s.end.commit)
		if err != nil {
			return err
		}
		s.release.Date = c.Committer.When
	}
	return nil
}
