package changes

import (
	"regexp"
	"slices"
	"strings"
)

// A group is the commits of one change, and the words that speak for it.
type group struct {
	message // of the pull request if there is one, otherwise of the lead
	header
	lead    *commit   // stands for the change
	members []*commit // the others, oldest first
	number  int       // of the pull request, 0 without
	head    string    // the merged branch, may be empty
	merged  bool      // lead is the merge commit of a pull request
	ignored bool      // a merge of branches or a release: part of a pull request, but no change
}

func groupOf(c *commit) group {
	g := group{message: c.message, header: c.header, lead: c, number: c.number}
	if requests := c.requests(); !c.isMerge() && len(requests) == 1 {
		g.number = requests[0].number
		g.read(requests[0].text)
	} else if g.number == 0 {
		g.number = c.reviewedOn()
	}
	g.undraft()
	g.ignored = c.isMerge() || g.isRelease() || isFixup(c.subject) || g.number == 0 && flatMerge.MatchString(c.subject)
	return g
}

// isFixup recognises the commits that git rebase --autosquash would fold into others.
func isFixup(subject string) bool {
	return strings.HasPrefix(subject, "fixup! ") || strings.HasPrefix(subject, "squash! ") || strings.HasPrefix(subject, "amend! ")
}

// flatMerge is the subject of a merge between branches that rebasing or squashing
// left with one parent: what it brought is there under its own subjects, or meant
// nothing to a reader.
var flatMerge = regexp.MustCompile(`^Merge (?:remote-tracking )?branch(?:es)? '[^']+'(?: of \S+)?(?: into \S+)?$`)

// read takes the words of the group from the text of its pull request, if there is any.
func (g *group) read(text string) {
	m := parseMessage(text)
	if m.subject == "" {
		return
	}
	if g.byDependencyBot() {
		m = splitMessage(text)
	}
	g.message = m
	subject, number := cutNumber(g.subject)
	if g.number == 0 {
		g.number = number
	}
	g.header = parseHeader(subject)
	g.undraft()
}

// draftMark is what GitLab puts before the title of a merge request that is not ready,
// and people on other forges too. Once it is merged it means nothing.
var draftMark = regexp.MustCompile(`^(?i:draft:|wip:|\[(?:draft|wip)\]:?)\s*`)

// undraft takes the mark off the title of a pull request.
func (g *group) undraft() {
	subject, _ := cutNumber(g.subject)
	if mark := draftMark.FindString(subject); mark != "" && g.number != 0 && len(mark) < len(subject) {
		g.header = parseHeader(subject[len(mark):])
	}
}

// commits returns the commits of the group, oldest first.
func (g *group) commits() []*commit {
	if g.merged {
		return append(slices.Clone(g.members), g.lead)
	}
	return append([]*commit{g.lead}, g.members...)
}

// A grouper walks the graph of a range and puts its commits into groups.
type grouper struct {
	byHash map[string]*commit
	seen   []bool // by position
	owner  string // of the repository on its forge, may be empty
}

// groupCommits decides which commits are changes and which belong together: a
// merged pull request with its branch, and the commits that carry one number.
// The groups come oldest first.
func groupCommits(commits []*commit, owner string) []group {
	g := grouper{byHash: make(map[string]*commit, len(commits)), seen: make([]bool, len(commits)), owner: owner}
	for _, c := range commits {
		g.byHash[c.Hash] = c
	}
	var groups []group
	for _, tip := range slices.Backward(commits) {
		groups = append(groups, g.branch(tip)...)
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return g.ignored })
	slices.SortStableFunc(groups, func(a, b group) int { return a.lead.position - b.lead.position })
	return joinByNumber(groups)
}

// branch groups the commits that lead to tip and were not seen before. The first
// parents from tip down are the branch itself. Going up from its oldest commit,
// what a merge brings in is what its other parents reach and nothing before it did.
func (g *grouper) branch(tip *commit) []group {
	var line []*commit
	for c := tip; c != nil && !g.seen[c.position]; c = g.parent(c, 0) {
		g.seen[c.position] = true
		line = append(line, c)
	}
	var groups []group
	for _, c := range slices.Backward(line) {
		if !c.isMerge() {
			groups = append(groups, groupOf(c))
			continue
		}
		brought := make([][]group, 0, len(c.Parents)-1)
		for i := range c.Parents[1:] {
			brought = append(brought, g.parentBranch(c, i+1))
		}
		groups = join(groups, g.merge(c, brought))
	}
	return groups
}

// join appends b to a, and copies neither when a is empty: merges may be nested as
// deep as the history is long.
func join(a, b []group) []group {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}

func (g *grouper) parentBranch(c *commit, i int) []group {
	if p := g.parent(c, i); p != nil {
		return g.branch(p)
	}
	return nil
}

// parent returns the i-th parent of c, or nil if it is not in the range.
func (g *grouper) parent(c *commit, i int) *commit {
	if i >= len(c.Parents) {
		return nil
	}
	return g.byHash[c.Parents[i]]
}

// merge makes one group of each pull request that c merged. The groups that any
// other merge brings in stand for themselves, and so do those of a branch that
// collects pull requests.
func (g *grouper) merge(c *commit, brought [][]group) []group {
	requests := c.requests()
	if len(requests) == len(brought) && len(requests) > 1 {
		var groups []group
		for i, r := range requests {
			groups = append(groups, mergedGroup(c, r, brought[i]))
		}
		return groups
	}
	var all []group
	for _, b := range brought {
		all = join(all, b)
	}
	if len(requests) == 0 || len(requests) > 1 {
		return append(all, groupOf(c))
	}
	merged := mergedGroup(c, requests[0], all)
	if merged.isRelease() || pureSync.MatchString(merged.title) || collects(all) && (requests[0].isSync(g.owner) || rollup.MatchString(merged.title) || syncTitle.MatchString(merged.subject)) {
		merged.members, merged.ignored = nil, true
		return append(all, merged)
	}
	if apart := requestsAmong(all); len(apart) >= manyRequests {
		return append(apart, mergedGroup(c, requests[0], slices.DeleteFunc(all, standsApart)))
	}
	return []group{merged}
}

// manyRequests is how many pull requests make the branch of another one a line of
// development of its own, whose changes a reader wants to see. Fewer are steps on its way.
const manyRequests = 3

// standsApart reports whether a group is a pull request, and no release.
func standsApart(g group) bool { return g.number != 0 && !g.ignored }

func requestsAmong(groups []group) []group {
	return slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return !standsApart(g) })
}

// collects reports whether pull requests are among groups.
func collects(groups []group) bool {
	return slices.ContainsFunc(groups, standsApart)
}

// mergedGroup is the pull request r, which c merged, with the commits of its branch.
func mergedGroup(c *commit, r request, brought []group) group {
	merged := group{lead: c, number: r.number, head: r.head, merged: true}
	for _, b := range brought {
		merged.members = append(merged.members, b.commits()...)
	}
	if merged.read(r.text); merged.title == "" {
		speaker := merged.speaker()
		merged.message, merged.header = speaker.message, speaker.header
	}
	return merged
}

// speaker is the commit whose words stand for a pull request without a title:
// the only one of its branch, otherwise the first that follows the convention,
// otherwise the first.
func (g *group) speaker() *commit {
	own := g.ownCommits()
	for _, c := range own {
		if c.typ != "" {
			return c
		}
	}
	if len(own) > 0 {
		return own[0]
	}
	return g.lead
}

// ownCommits are the commits of the group that change something by themselves.
func (g *group) ownCommits() []*commit {
	var own []*commit
	for _, c := range g.commits() {
		if !c.isMerge() {
			own = append(own, c)
		}
	}
	return own
}

// touches reports whether a commit of the group does. What a merge commit brings in
// is told by its branch, unless that lies outside of the range.
func (g *group) touches(does func(hash string) bool) bool {
	own := g.ownCommits()
	if len(own) == 0 {
		own = []*commit{g.lead}
	}
	return slices.ContainsFunc(own, func(c *commit) bool { return does(c.Hash) })
}

// joinByNumber puts the groups of one pull request together, as rebasing leaves
// its commits. A revert often repeats the number of what it reverts.
func joinByNumber(groups []group) []group {
	at := map[int]int{}
	var joined []group
	for _, g := range groups {
		first, known := at[g.number]
		switch {
		case g.number == 0 || g.isRevert():
			joined = append(joined, g)
		case !known:
			at[g.number] = len(joined)
			joined = append(joined, g)
		default:
			joined[first] = joinGroups(joined[first], g)
		}
	}
	return joined
}

// joinGroups adds b to a; the one with the merge commit speaks for both.
func joinGroups(a, b group) group {
	if b.merged && !a.merged {
		a, b = b, a
	}
	a.members = append(a.members, b.commits()...)
	slices.SortFunc(a.members, func(x, y *commit) int { return x.position - y.position })
	return a
}
