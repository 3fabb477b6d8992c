package history

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/mod/semver"

	"release-notes-agent/gitstore"
)

// An annotation is an annotated tag's object.
type annotation struct {
	object  plumbing.Hash
	when    time.Time // zero when nobody is named
	message string
}

// parseAnnotation reads a tag object. False means that it names no object.
func parseAnnotation(data []byte) (annotation, bool) {
	var a annotation
	ok := false
	for len(data) > 0 && data[0] != '\n' {
		key, value, rest := headerLine(data)
		data = rest
		switch string(key) {
		case "object":
			if !ok {
				a.object, ok = decodeHash(value)
			}
		case "tagger":
			a.when = parseSignature(value, validText).When
		}
	}
	message := validText(bytes.TrimPrefix(data, []byte("\n")))
	a.message = strings.TrimSpace(withoutSignature(message))
	return a, ok
}

// withoutSignature cuts off what git tag -s adds below the message.
func withoutSignature(message string) string {
	for _, kind := range []string{"PGP SIGNATURE", "PGP MESSAGE", "SSH SIGNATURE", "SIGNED MESSAGE"} {
		mark := "-----BEGIN " + kind + "-----"
		if strings.HasPrefix(message, mark) {
			return ""
		}
		if i := strings.Index(message, "\n"+mark); i >= 0 {
			message = message[:i+1]
		}
	}
	return message
}

// A releaseTag is a tag that can mark a release.
type releaseTag struct {
	tagName
	name   string        // short
	object plumbing.Hash // the tag object or the commit
	commit plumbing.Hash // or a tree or blob, which no commit reaches
}

// releaseTags returns the tags with a version, newest version first, without those
// that move from release to release; and apart those whose objects are missing.
func (r *Repository) releaseTags() (tags, lost []*releaseTag, err error) {
	refs, err := r.store.Refs("refs/tags/")
	if err != nil {
		return nil, nil, err
	}
	tags = make([]*releaseTag, 0, len(refs))
	for _, ref := range refs {
		name := shortTag(ref)
		parsed, ok := parseTag(name)
		if !ok {
			continue
		}
		tag := &releaseTag{tagName: parsed, name: name, object: ref.Hash}
		tag.commit, err = r.peelRef(ref)
		switch {
		case err == nil:
			tags = append(tags, tag)
		case isMissing(err):
			lost = append(lost, tag)
		}
	}
	slices.SortFunc(tags, func(a, b *releaseTag) int {
		return cmp.Or(strings.Compare(a.family, b.family), b.version.compare(a.version), semver.Compare("v0.0.0"+b.version.build, "v0.0.0"+a.version.build), strings.Compare(a.name, b.name))
	})
	return withoutMoving(tags), lost, nil
}

// peelRef returns the commit of a tag.
func (r *Repository) peelRef(ref gitstore.Ref) (plumbing.Hash, error) {
	if !ref.Peeled.IsZero() {
		return ref.Peeled, nil
	}
	return r.peelToCommit(ref.Hash)
}

// withoutMoving drops "v1" and "v1.2" where they follow the releases v1.2.x. The
// tags are sorted by family, and newest first within one.
func withoutMoving(tags []*releaseTag) []*releaseTag {
	kept := tags[:0]
	for start := 0; start < len(tags); {
		end := start
		for end < len(tags) && tags[end].family == tags[start].family {
			end++
		}
		lines := linesOf(tags[start:end])
		for _, tag := range tags[start:end] {
			if !lines.moves(tag) {
				kept = append(kept, tag)
			}
		}
		start = end
	}
	return kept
}

// isShort tells whether a tag has the form of those that move.
func (t *releaseTag) isShort() bool {
	return len(t.version.numbers) <= 2 && !t.version.isPrerelease()
}

// A line is what tags begin with: "1" and "1.2" of "1.2.3".
type line struct {
	numbers string
	commit  plumbing.Hash // of a tag in the line; zero for that of its first release, "1.2.0"
}

// releaseLines hold the lines of one family.
type releaseLines struct {
	lines  map[line]bool
	dotted bool // there are versions of more than one number
}

func linesOf(family []*releaseTag) releaseLines {
	l := releaseLines{lines: map[line]bool{}}
	asked := map[string]bool{} // first numbers of tags that may move
	for _, tag := range family {
		if tag.isShort() {
			asked[tag.version.number(0)] = true
		}
	}
	for _, tag := range family {
		numbers := tag.version.numbers
		l.dotted = l.dotted || len(numbers) > 1
		if !asked[tag.version.number(0)] {
			continue
		}
		for n := 1; n <= 2 && n < len(numbers); n++ {
			name := strings.Join(numbers[:n], ".")
			l.lines[line{name, tag.commit}] = true
			if !tag.version.isPrerelease() && strings.Trim(strings.Join(numbers[n:], ""), "0") == "" {
				l.lines[line{name, plumbing.ZeroHash}] = true
			}
		}
	}
	return l
}

// moves tells whether a tag with one or two numbers stands for the newest of the
// releases within it rather than for a release of its own. Projects whose first
// release of a line is "1.2" have no "1.2.0", and leave the tag where it was.
func (l releaseLines) moves(tag *releaseTag) bool {
	if !tag.isShort() {
		return false
	}
	numbers := tag.version.numbers
	name := strings.Join(numbers, ".")
	return len(numbers) == 1 && l.dotted || l.lines[line{name, tag.commit}] || l.lines[line{name, plumbing.ZeroHash}]
}
