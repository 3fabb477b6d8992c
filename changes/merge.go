package changes

import (
	"regexp"
	"strings"
)

// A pull is what a merge commit says of the pull request that it brought.
type pull struct {
	number int
	title  string // empty when the message does not say
}

// merges are the subjects that forges write; the first group is the number, the
// second, where there is one, the title.
var merges = []*regexp.Regexp{
	regexp.MustCompile(`^Merge pull request #(\d{1,9}) `),                  // GitHub, Bitbucket Server
	regexp.MustCompile(`^Merged in \S+ \(pull request #(\d{1,9})\)`),       // Bitbucket
	regexp.MustCompile(`^Merged PR (\d{1,9}): (\S.*)$`),                    // Azure DevOps
	regexp.MustCompile(`^Auto merge of #(\d{1,9}) - `),                     // bors, homu
	regexp.MustCompile(`^Merge #(\d{1,9})(?:\s|$)`),                        // bors-ng
	regexp.MustCompile(`^Merge .*\((?:pull request )?[#!](\d{1,9})\)\s*$`), // a number behind any other
}

var (
	gitea   = regexp.MustCompile(`^Merge pull request '(.+)' \(#(\d{1,9})\)`)
	gitlab  = regexp.MustCompile(`(?m)^See merge request \S*!(\d{1,9})\s*$`)
	noTitle = regexp.MustCompile(`^(?:See merge request |\* commit |Closes |# |Reviewed-|Approved-|Co-authored-by)`)
	borsNG  = regexp.MustCompile(`^\d{1,9}: (.+?)(?: r=\S+.*)?$`)
)

// pullOf reads a merge commit's message; false when it tells of no pull request.
func pullOf(m message) (pull, bool) {
	if g := gitea.FindStringSubmatch(m.subject); g != nil {
		return pull{number: atoi(g[2]), title: g[1]}, true
	}
	for _, form := range merges {
		g := form.FindStringSubmatch(m.subject)
		if g == nil {
			continue
		}
		p := pull{number: atoi(g[1]), title: titleIn(m.body)}
		if len(g) > 2 {
			p.title = g[2]
		}
		return p, true
	}
	if g := gitlab.FindStringSubmatch(m.body); g != nil {
		return pull{number: atoi(g[1]), title: titleIn(m.body)}, true
	}
	return pull{}, false
}

// titleIn is the first line of a merge's body that can be a title.
func titleIn(body string) string {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line == "" || noTitle.MatchString(line) {
			continue
		}
		if g := borsNG.FindStringSubmatch(line); g != nil {
			return g[1]
		}
		return line
	}
	return ""
}

// housekeeping are subjects of commits that make a release and change nothing.
var housekeeping = regexp.MustCompile(`(?i)^(?:chore\(release\)|(?:chore|build|release)(?:\([^)]*\))?:\s*(?:release|prepare|bump version|version)\b|\[maven-release-plugin\]|version packages$|publish$|` +
	`(?:release|releasing|version|bump version|bump version to|bump to|prepare|prepare for|prepare release|prepare for release|cut)(?: version| release)?[: ]+v?\d+\.\d+|bump v\d+\.\d+|` +
	`v?\d+\.\d+(?:\.\d+)*(?:[-.+]?[a-z0-9.]+)?$|release$)`)

// A group is the commits of one change.
type group struct {
	pull    pull
	merge   *Commit   // nil unless a merge commit brought it
	commits []*Commit // without merges, oldest first
}

// grouper works out which commits belong together.
type grouper struct {
	commits map[string]*Commit
	claimed map[string]bool
	groups  []group
}

// groupCommits splits the range into changes, oldest first.
func groupCommits(commits []Commit) []group {
	g := &grouper{commits: map[string]*Commit{}, claimed: map[string]bool{}}
	for i := range commits {
		g.commits[commits[i].Hash] = &commits[i]
	}
	for i := range commits { // the first is the end of the range; with gaps in the history there are more
		g.line(commits[i].Hash)
	}
	return g.groups
}

// line follows first parents from tip to what is claimed, and goes through that
// line from its oldest commit: whatever another parent of a merge leads to, and is
// not claimed by then, came with the merge.
func (g *grouper) line(tip string) {
	var line []*Commit
	for c := g.commits[tip]; c != nil && !g.claimed[c.Hash]; {
		g.claimed[c.Hash] = true
		line = append(line, c)
		if len(c.Parents) == 0 {
			break
		}
		c = g.commits[c.Parents[0]]
	}
	for i := len(line) - 1; i >= 0; i-- {
		c := line[i]
		if len(c.Parents) < 2 {
			g.groups = append(g.groups, group{commits: []*Commit{c}})
			continue
		}
		if p, ok := pullOf(parseMessage(c.Message)); ok {
			g.groups = append(g.groups, group{pull: p, merge: c, commits: g.branch(c)})
			continue
		}
		for _, parent := range c.Parents[1:] {
			g.line(parent)
		}
	}
}

// branch claims all that came with a merge and returns it without merges, oldest
// first.
func (g *grouper) branch(merge *Commit) []*Commit {
	sub := &grouper{commits: g.commits, claimed: g.claimed}
	for _, parent := range merge.Parents[1:] {
		sub.collect(parent)
	}
	var commits []*Commit
	for _, s := range sub.groups {
		commits = append(commits, s.commits...)
	}
	return commits
}

// collect is line without a look at pull requests: a branch is one change, however
// it came together.
func (g *grouper) collect(tip string) {
	var line []*Commit
	for c := g.commits[tip]; c != nil && !g.claimed[c.Hash]; {
		g.claimed[c.Hash] = true
		line = append(line, c)
		if len(c.Parents) == 0 {
			break
		}
		c = g.commits[c.Parents[0]]
	}
	for i := len(line) - 1; i >= 0; i-- {
		if c := line[i]; len(c.Parents) < 2 {
			g.groups = append(g.groups, group{commits: []*Commit{c}})
		} else {
			for _, parent := range c.Parents[1:] {
				g.collect(parent)
			}
		}
	}
}
