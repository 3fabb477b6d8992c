package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxUnreachable is how many newer tags are looked at for one that is not a
// descendant of the end.
const maxUnreachable = 10

// findStart looks for the previous release.
func (s *search) findStart(ctx context.Context) error {
	w := newWalk(s.repo)
	w.keep = true
	if err := w.start(s.end.commit, false); err != nil {
		return err
	}
	previous, passed, err := w.firstReached(ctx, s.candidates())
	if err != nil {
		return err
	}
	if previous == nil {
		previous, passed, err = s.fallBack(ctx, w, passed)
	}
	if err != nil {
		return err
	}
	if next, ok := parseTag(s.sel.NextVersion); ok && previous != nil && previous.family == next.family && next.version.compare(previous.version) <= 0 {
		return fmt.Errorf("next version %q is not above %s, the release before it; choose a higher one", s.sel.NextVersion, previous.name)
	}
	return s.startAfter(ctx, w, previous, passed)
}

// fallBack looks further when no tag below the release's version is an ancestor:
// in the family of the nearest tag when no family was asked for, otherwise for the
// nearest tag of any version.
func (s *search) fallBack(ctx context.Context, w *walk, passed []*releaseTag) (*releaseTag, []*releaseTag, error) {
	settled := s.hasFamily()
	nearest, err := w.nearestReached(ctx, s.ofFamily(settled))
	if err != nil || nearest == nil || settled {
		return nearest, passed, err
	}
	s.family = nearest.family
	return w.firstReached(ctx, s.candidates())
}

// candidates are the tags that can be the previous release, best first.
func (s *search) candidates() []*releaseTag {
	var list []*releaseTag
	for _, tag := range s.ofFamily(true) {
		if s.endTag == nil || tag.version.compare(s.endTag.version) < 0 {
			list = append(list, tag)
		}
	}
	return list
}

// version is that of the release, as far as it is known.
func (s *search) version() (v version, ok bool) {
	if s.endTag != nil {
		return s.endTag.version, true
	}
	name, ok := parseTag(s.sel.NextVersion)
	return name.version, ok
}

// ofFamily lists the release tags that may precede the end, newest first: those of
// the family, which is the plain one at first, or of all families.
func (s *search) ofFamily(only bool) []*releaseTag {
	own, known := s.version()
	finalOnly := known && !own.isPrerelease()
	var list []*releaseTag
	for _, tag := range s.tags {
		onEnd := tag.commit == s.end.commit && (s.endTag != nil || s.end.tag != "")
		if onEnd || only && tag.family != s.family || finalOnly && tag.version.isPrerelease() {
			continue
		}
		list = append(list, tag)
	}
	return list
}

// startAfter settles the start: after a previous release, or at the root. The
// tags that were passed over are newer, and not ancestors of the end.
func (s *search) startAfter(ctx context.Context, w *walk, previous *releaseTag, passed []*releaseTag) error {
	cut := s.repo.store.IsShallow() || w.missing
	if slices.ContainsFunc(s.lost, func(t *releaseTag) bool { return s.couldPrecede(t, previous) }) {
		s.release.Complete = false
	}
	if cut && (previous == nil || len(passed) > 0) {
		s.release.Complete = false
	}
	if previous == nil && cut && len(passed) > 0 {
		previous, passed = passed[0], nil // its history is what the clone lacks
	}
	if previous != nil {
		s.release.PreviousTag = previous.name
		s.release.From = previous.commit.String()
	}
	for _, tag := range passed[:min(len(passed), maxUnreachable)] {
		if previous != nil && tag.family != previous.family {
			continue
		}
		descends, err := newWalk(s.repo).reaches(ctx, tag.commit, s.end.commit)
		if err != nil {
			return err
		}
		if !descends {
			s.release.Unreachable = tag.name
			break
		}
	}
	return nil
}

// couldPrecede tells whether a tag whose object is missing may be the previous
// release in truth.
func (s *search) couldPrecede(tag, previous *releaseTag) bool {
	switch {
	case s.hasFamily() && tag.family != s.family:
		return false
	case s.endTag != nil && tag.version.compare(s.endTag.version) >= 0:
		return false
	}
	return previous == nil || tag.family == previous.family && tag.version.compare(previous.version) > 0
}

// firstReached returns the first of the tags that is an ancestor of the walk's
// start, and those before it, which are not. Tags on what is no commit don't count.
func (w *walk) firstReached(ctx context.Context, tags []*releaseTag) (first *releaseTag, passed []*releaseTag, err error) {
	for _, tag := range tags {
		reached, err := w.reach(ctx, tag.commit)
		if err != nil {
			return nil, nil, err
		}
		if reached {
			return tag, passed, nil
		}
		if w.nodes[tag.commit] != nil {
			passed = append(passed, tag)
		}
	}
	return nil, passed, nil
}

// nearestReached returns the youngest of the tags that are ancestors of the walk's start.
func (w *walk) nearestReached(ctx context.Context, tags []*releaseTag) (*releaseTag, error) {
	var byDate []*releaseTag
	for _, tag := range tags {
		n, err := w.load(tag.commit, false)
		if err != nil {
			return nil, err
		}
		if n != nil {
			byDate = append(byDate, tag)
		}
	}
	slices.SortStableFunc(byDate, func(a, b *releaseTag) int {
		return cmp.Compare(w.nodes[b.commit].date, w.nodes[a.commit].date)
	})
	nearest, _, err := w.firstReached(ctx, byDate)
	return nearest, err
}

// reaches tells whether ancestor can be reached from the commit from.
func (w *walk) reaches(ctx context.Context, from, ancestor plumbing.Hash) (bool, error) {
	if err := w.start(from, false); err != nil {
		return false, err
	}
	return w.reach(ctx, ancestor)
}

// reach tells whether a commit is an ancestor of the starts of a walk that has no
// end. It walks on until everything that waits is older than the commit.
func (w *walk) reach(ctx context.Context, h plumbing.Hash) (bool, error) {
	n, err := w.load(h, false)
	if err != nil || n == nil {
		return false, err // a tag on something else, or on what a shallow clone lacks
	}
	w.minDate, w.lowest = n.date, n.above
	below := 0
	for steps := 0; w.queue.Len() > 0 && !n.excluded; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		next := w.pop()
		if err := w.pushParents(next); err != nil {
			return false, err
		}
		if next.date >= w.minDate {
			below = 0
		} else if below++; below > slop {
			more, err := w.lookBelow()
			if err != nil || !more {
				return n.excluded, err
			}
			below = 0
		}
	}
	return n.excluded, nil
}
