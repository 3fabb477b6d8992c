package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/mod/semver"
)

// A tagged is a tag that leads to a commit.
type tagged struct {
	name    string
	commit  plumbing.Hash
	when    time.Time // of an annotated tag
	message string
}

// tags returns every tag that leads to a commit, by name; tags of tags peeled.
func (r *Repository) tags() (map[string]tagged, error) {
	refs, err := r.git.Tags()
	if err != nil {
		return nil, fmt.Errorf("reading tags: %w", err)
	}
	found := map[string]tagged{}
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		t := tagged{name: ref.Name().Short(), commit: ref.Hash()}
		for depth := 0; depth < 10; depth++ {
			tag, err := r.git.TagObject(t.commit)
			if err != nil {
				break
			}
			if depth == 0 {
				t.when, t.message = tag.Tagger.When, tag.Message
			}
			t.commit = tag.Target
		}
		if _, err := r.git.CommitObject(t.commit); err == nil {
			found[t.name] = t
		}
		return nil
	})
	return found, err
}

// Release resolves a selection. An unknown revision gives an *UnknownRevisionError.
func (r *Repository) Release(ctx context.Context, sel Selection) (Release, error) {
	tags, err := r.tags()
	if err != nil {
		return Release{}, err
	}
	from, to := sel.From, sel.To
	if before, after, isRange := strings.Cut(sel.Revision, ".."); isRange {
		if strings.HasPrefix(after, ".") {
			return Release{}, fmt.Errorf("%s has three dots: a release is a range with two, FROM..TO", sel.Revision)
		}
		from, to = before, after
	} else if sel.Revision != "" {
		to = sel.Revision
	}
	end, endTag, err := r.resolve(orHead(to), tags)
	if err != nil {
		return Release{}, err
	}
	s := search{r: r, tags: tags, end: end, sel: sel}
	if s.ancestors, err = r.ancestors(ctx, end); err != nil {
		return Release{}, err
	}
	rel := s.describe(endTag)
	rel.Complete = true
	for h := range s.ancestors {
		rel.Complete = rel.Complete && !r.shallow[h]
	}
	if from == "" {
		s.setPrevious(&rel)
	} else if err := s.setStart(&rel, from); err != nil {
		return Release{}, err
	}
	return rel, nil
}

func orHead(rev string) string {
	if rev == "" || rev == "@" {
		return "HEAD"
	}
	return rev
}

// resolve finds the commit of a revision; a tag wins over a branch of its name.
func (r *Repository) resolve(rev string, tags map[string]tagged) (plumbing.Hash, string, error) {
	if t, ok := tags[strings.TrimPrefix(rev, "refs/tags/")]; ok {
		return t.commit, t.name, nil
	}
	h, err := r.git.ResolveRevision(plumbing.Revision(rev))
	if err == nil {
		if _, err = r.git.CommitObject(*h); err == nil {
			return *h, "", nil
		}
	}
	if rev == "HEAD" && errors.Is(err, plumbing.ErrReferenceNotFound) {
		return plumbing.ZeroHash, "", errors.New("there are no commits yet on the branch that HEAD names")
	}
	return plumbing.ZeroHash, "", &UnknownRevisionError{Revision: rev, Nearest: nearest(rev, tags)}
}

// A search looks for the names of a release among the tags.
type search struct {
	r         *Repository
	tags      map[string]tagged
	end       plumbing.Hash
	sel       Selection
	ancestors map[plumbing.Hash]*object.Commit
}

// describe names the end: by the tag asked for, or by the release tag on it.
func (s *search) describe(asked string) Release {
	commit := s.ancestors[s.end]
	rel := Release{Name: "Unreleased", To: s.end.String(), Date: commit.Committer.When}
	tag := asked
	if tag == "" && s.sel.NextVersion == "" {
		if on := s.versions(func(t tagged) bool { return t.commit == s.end }); len(on) > 0 {
			tag = on[0].tag
		}
	}
	switch {
	case tag != "":
		rel.Name, rel.Tag, rel.TagMessage = tag, tag, s.tags[tag].message
		if when := s.tags[tag].when; !when.IsZero() {
			rel.Date = when
		}
	case s.sel.NextVersion != "":
		rel.Name = s.sel.NextVersion
	}
	return rel
}

// versions returns the release tags that keep says yes to: of the family asked
// for, or the plain one before others, the highest first.
func (s *search) versions(keep func(tagged) bool) []version {
	var found []version
	for _, t := range s.tags {
		v, ok := parseVersion(t.name)
		if ok && keep(t) && (s.sel.TagPrefix == "" || v.family == strings.TrimSuffix(s.sel.TagPrefix, "v")) {
			found = append(found, v)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if a.family != b.family {
			return a.family < b.family
		}
		if order := semver.Compare(a.canonical, b.canonical); order != 0 {
			return order > 0
		}
		return a.tag < b.tag
	})
	return found
}

// setPrevious finds the release before: of one family with the end, an ancestor of
// it, not on its commit, and the highest version below.
func (s *search) setPrevious(rel *Release) {
	end, isVersion := parseVersion(orElse(rel.Tag, s.sel.NextVersion))
	before := s.versions(func(t tagged) bool { return t.commit != s.end && s.ancestors[t.commit] != nil })
	if rel.Tag != "" && isVersion {
		before = slices.DeleteFunc(before, func(v version) bool { return v.family != end.family })
	} else if len(before) > 0 {
		family := before[0].family
		before = slices.DeleteFunc(before, func(v version) bool { return v.family != family })
	}
	for _, v := range before {
		if isVersion && (!end.pre && v.pre || semver.Compare(v.canonical, end.canonical) >= 0) {
			continue
		}
		rel.PreviousTag, rel.From = v.tag, s.tags[v.tag].commit.String()
		return
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// setStart takes the start that the user names.
func (s *search) setStart(rel *Release, from string) error {
	start, tag, err := s.r.resolve(orHead(from), s.tags)
	if err != nil {
		return err
	}
	rel.From, rel.PreviousTag = start.String(), tag
	if start == s.end {
		return fmt.Errorf("nothing lies between %s and %s: they are the same commit", from, orElse(rel.Tag, "the end"))
	}
	if s.ancestors[start] != nil {
		return nil
	}
	behind, err := s.r.ancestors(context.Background(), start)
	if err != nil {
		return err
	}
	if behind[s.end] != nil {
		return fmt.Errorf("nothing lies between %s and %s: the range is reversed, %s has all that %s has", from, rel.Name, from, rel.Name)
	}
	return nil
}

// Error names the revision.
func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("there is no tag, branch or commit %q", e.Revision)
}

// Hint names the tags that are near.
func (e *UnknownRevisionError) Hint() string {
	if len(e.Nearest) == 0 {
		return "git tag --list"
	}
	return "the nearest tags are " + strings.Join(e.Nearest, ", ")
}

// nearest returns the three tags whose names are most like rev.
func nearest(rev string, tags map[string]tagged) []string {
	var names []string
	for name := range tags {
		names = append(names, name)
	}
	slices.Sort(names)
	sort.SliceStable(names, func(i, j int) bool { return distance(rev, names[i]) < distance(rev, names[j]) })
	return names[:min(3, len(names))]
}

// distance is the number of letters to change, add or take away.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
