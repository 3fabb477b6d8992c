// Package changes turns the commits of a release into the list of changes that
// a reader would name: pull requests and direct commits, with their kinds,
// breaking notes, reverts, dependencies and people. It reads no repository and
// no network. Call [Collect] first.
package changes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
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
	// EarlierAuthors yields everyone who authored a commit before the release.
	// It is called at most once. When nil, nobody is marked as new.
	EarlierAuthors func() []Person
	// Paths returns the paths that a commit changed against its first parent. It is
	// called only for commits whose message leaves their kind open. May be nil.
	Paths func(hash string) []string
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
	c := collector{opts: opts, people: people{mailmap: parseMailmap(opts.Mailmap), ai: opts.AIAuthors, known: map[string]*Contributor{}}}
	for _, g := range groupCommits(commits) {
		c.add(g)
	}
	cancelReverts(c.list)
	m := Manifest{Release: release}
	for i, d := range c.list {
		d.ID = fmt.Sprintf("c%d", i+1)
		m.Changes = append(m.Changes, d.Change)
	}
	m.Dependencies = chainDependencies(m.Changes)
	m.Contributors = c.people.contributors(opts.EarlierAuthors)
	m.Release.RepositoryURL = opts.Forge.URL
	if release.PreviousTag != "" {
		end := release.Tag
		if end == "" {
			end = release.To
		}
		m.Release.CompareURL = opts.Forge.CompareURL(release.PreviousTag, end)
	}
	return m
}

// A draftChange is a change whose reverts are not settled yet.
type draftChange struct {
	Change
	subject string
	revert  *revert
}

type collector struct {
	opts   *Options
	people people
	list   []draftChange
}

// add makes a change of a group, unless it only makes a release.
func (c *collector) add(g group) {
	messages := make([]message, len(g.commits))
	for i, commit := range g.commits {
		messages[i] = parseMessage(commit.Message)
	}
	lead := leadOf(g, messages)
	if housekeeping.MatchString(withoutSuffix(lead.subject)) || lead.subject == "" && len(g.commits) == 0 {
		return
	}
	d := draftChange{subject: lead.subject}
	d.read(lead, g.pull.number)
	d.gather(g, messages)
	for _, commit := range g.commits {
		for _, name := range c.people.credit(commit) {
			if !slices.Contains(d.Authors, name) {
				d.Authors = append(d.Authors, name)
			}
		}
	}
	c.settleKind(&d, lead)
	if r, ok := revertOf(lead); ok {
		d.revert = &r
	}
	d.URL = c.opts.Forge.PullRequestURL(d.PullRequest)
	if d.URL == "" {
		d.URL = c.opts.Forge.CommitURL(d.Commits[0])
	}
	if g.merge == nil && d.PullRequest != 0 && c.joins(d) {
		return
	}
	c.list = append(c.list, d)
}

// joins makes a commit part of the change before it when both carry the number of
// one pull request, as commits of a rebased one do.
func (c *collector) joins(d draftChange) bool {
	if len(c.list) == 0 {
		return false
	}
	last := &c.list[len(c.list)-1]
	if last.PullRequest != d.PullRequest || d.revert != nil || last.revert != nil {
		return false
	}
	last.Commits = append(last.Commits, d.Commits...)
	last.Details = append(last.Details, d.Title)
	last.Breaking = last.Breaking || d.Breaking
	if last.BreakingNote == "" {
		last.BreakingNote = d.BreakingNote
	}
	return true
}

// leadOf returns the message that speaks for a group: the pull request's title with
// the merge's body, or that of the commit that says most.
func leadOf(g group, messages []message) message {
	if g.merge == nil {
		return messages[0]
	}
	lead := parseMessage(g.merge.Message)
	lead.subject = g.pull.title
	if lead.subject != "" {
		return lead
	}
	for _, m := range messages {
		if parseHeader(m.subject).typ != "" {
			return m
		}
	}
	if len(messages) > 0 {
		return messages[0]
	}
	lead.subject = parseMessage(g.merge.Message).subject
	return lead
}

// read fills in what the leading message says.
func (d *draftChange) read(lead message, number int) {
	h := parseHeader(lead.subject)
	d.Type, d.Scope, d.Title, d.PullRequest = h.typ, h.scope, h.title, h.pullRequest
	if number != 0 {
		d.PullRequest = number
	}
	d.Body = lead.body
	d.Breaking = h.breaking || len(lead.notes) > 0
	d.BreakingNote = joinNotes(lead.notes)
	for _, t := range lead.trailers {
		d.Trailers = append(d.Trailers, Trailer{Key: t.Key, Value: strings.TrimSpace(address.ReplaceAllString(t.Value, ""))})
	}
	text := lead.subject + "\n" + lead.body
	for _, t := range lead.trailers {
		text += "\n" + t.Key + ": " + t.Value
	}
	d.References = references(text, d.PullRequest)
}

var address = regexp.MustCompile(`\s*<[^<>\s]*@[^<>\s]*>`)

func joinNotes(notes []string) string {
	return strings.TrimSpace(strings.Join(notes, "\n\n"))
}

// gather adds what the commits of a group say: hashes, details, breaking notes.
func (d *draftChange) gather(g group, messages []message) {
	if g.merge != nil {
		d.Commits = append(d.Commits, g.merge.Hash)
	}
	for i, commit := range g.commits {
		d.Commits = append(d.Commits, commit.Hash)
		if g.merge == nil {
			if d.PullRequest != 0 && !isBot(commit.Author) {
				d.Details = bullets(messages[i].body)
			}
			if isBot(commit.Author) { // its body is somebody else's notes
				d.Breaking, d.BreakingNote, d.References = parseHeader(d.subject).breaking, "", nil
			}
			continue
		}
		if len(g.commits) > 1 && !noise.MatchString(messages[i].subject) && messages[i].subject != d.subject {
			d.Details = append(d.Details, messages[i].subject)
		}
		if h := parseHeader(messages[i].subject); h.breaking || len(messages[i].notes) > 0 {
			d.Breaking = true
			if d.BreakingNote == "" {
				d.BreakingNote = joinNotes(messages[i].notes)
			}
		}
	}
}

// noise are subjects of a branch that tell a reader nothing.
var noise = regexp.MustCompile(`(?i)^(?:wip\b|fixup!|squash!|amend!|lint|typo|address (?:review|comments|feedback)|review\b|update \S+\.\w+$|merge\b)`)

// bullets are the points of a squashed message, as GitHub lists its commits.
func bullets(body string) []string {
	var points []string
	for line := range strings.Lines(body) {
		point, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "* ")
		if ok && !noise.MatchString(point) && !strings.HasPrefix(point, "[") {
			points = append(points, strings.TrimSpace(point))
		}
	}
	return points
}

// settleKind classifies by the words, and by the paths where these say nothing.
func (c *collector) settleKind(d *draftChange, lead message) {
	kind, known := classify(parseHeader(lead.subject), lead.subject)
	if !known && c.opts.Paths != nil {
		kind = kindOfPaths(c.opts.Paths(d.Commits[0]))
	}
	d.Kind = kind
	d.Hidden = kind == Internal && !d.Breaking
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
		switch {
		case c.Reverted:
		case c.Breaking:
			return Major
		case c.Kind == Feature, c.Kind == Deprecation, c.Kind == Removal:
			level = max(level, Minor)
		default:
			level = max(level, Patch)
		}
	}
	return level
}
