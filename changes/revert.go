package changes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An undoing is what a revert says that it reverts, in any of the ways there are.
type undoing struct {
	hashes  []string // full or short
	numbers []int    // of pull requests
	subject string   // of the change, without its number; empty when not told
}

var (
	// git: 'Revert "x"'; people: "Reverts x", "revert: x" without a known type.
	revertSubject  = regexp.MustCompile(`^(?i:revert(?:s|ed|ing)?|roll ?back|back out|backout):? (.+)$`)
	reapplySubject = regexp.MustCompile(`^(?i:reapply|re-apply|reland|re-land) "(.+)"$`)
	partOfRevert   = regexp.MustCompile(`^(?i:partial(?:ly)? revert(?:s|ed|ing)?|revert(?:s|ed|ing)? (?:parts?|some|half)\b)`)
	quotedSubject  = regexp.MustCompile(`^["“](.+)["”]$`)
	// git, and Azure DevOps with "Reverted commit `hash`".
	revertedCommit = regexp.MustCompile("(?i)\\b(?:this )?(?:reverts|reverted) (?:merge )?commits? ((?:`?[0-9a-f]{7,64}`?(?:, and |, | and |,\\s|\\s)?)+)")
	hashWord       = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	// GitHub: "Reverts acme/widget#12"; GitLab: "This reverts merge request acme/widget!12".
	revertedRequest = regexp.MustCompile(`(?im)^(?:this )?reverts (?:(?:merge|pull) request )?(?:([\w.-]+(?:/[\w.-]+)*))?[#!](\d{1,9})\b`)
	requestWord     = regexp.MustCompile(`^(?:(?i:pr|mr|pull request|merge request) )?[#!](\d{1,9})$`)
)

// undoingOf reads what the commit or pull request with these words reverts; nil
// if it is no revert. repository is the "owner/name" that the commits are of.
func undoingOf(m message, h header, repository string) *undoing {
	if partOfRevert.MatchString(m.subject) || partOfRevert.MatchString(h.title) {
		return &undoing{} // what it leaves of its target is for nobody to tell
	}
	inner, told := revertedSubject(m.subject, h)
	if !told && !strings.HasPrefix(strings.ToLower(m.body), "this reverts ") {
		return nil
	}
	u := &undoing{}
	u.readSubject(inner)
	for _, found := range revertedCommit.FindAllStringSubmatch(m.body, -1) {
		u.hashes = append(u.hashes, hashWord.FindAllString(found[1], -1)...)
	}
	for _, found := range revertedRequest.FindAllStringSubmatch(m.body, -1) {
		if found[1] == "" || repository == "" || strings.EqualFold(found[1], repository) {
			u.addNumber(found[2])
		}
	}
	for _, t := range m.trailers {
		switch strings.ToLower(t.key) {
		case "refs", "ref", "reverts", "this reverts commit":
			u.hashes = append(u.hashes, hashWord.FindAllString(t.value, -1)...)
		}
	}
	return u
}

// revertedSubject returns the subject that a revert quotes in its own.
func revertedSubject(subject string, h header) (inner string, told bool) {
	subject, _ = cutNumber(subject)
	if h.typ == "revert" || h.typ == "reverts" {
		if found := revertSubject.FindStringSubmatch(h.title); found != nil && quotedSubject.MatchString(found[1]) {
			return unquote(found[1]), true
		}
		return unquote(h.title), true
	}
	if found := revertSubject.FindStringSubmatch(h.title); h.typ != "" && found != nil {
		title, _ := cutNumber(found[1])
		return unquote(title), quotedSubject.MatchString(title) || requestWord.MatchString(found[1])
	}
	if found := reapplySubject.FindStringSubmatch(subject); found != nil {
		restored, _ := cutNumber(found[1])
		return `Revert "` + restored + `"`, true
	}
	if found := revertSubject.FindStringSubmatch(subject); found != nil {
		return unquote(found[1]), true
	}
	return "", false
}

func unquote(text string) string {
	if found := quotedSubject.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return text
}

func (u *undoing) readSubject(inner string) {
	subject, number := cutNumber(inner)
	u.subject = subject
	if number != 0 {
		u.numbers = append(u.numbers, number)
	}
	if found := requestWord.FindStringSubmatch(subject); found != nil {
		u.addNumber(found[1])
	}
	for _, r := range (&commit{message: message{subject: inner}}).requests() {
		u.numbers = append(u.numbers, r.number)
	}
}

func (u *undoing) addNumber(digits string) {
	number, _ := strconv.Atoi(digits)
	u.numbers = append(u.numbers, number)
}

// A revertIndex finds the commits that a revert names.
type revertIndex struct {
	groups   []group
	hashes   []hashed       // sorted by hash
	numbers  map[int]int    // pull request → group
	subjects map[string]int // subject or title → the newest group so far
	earlier  func(hash string) bool
}

// A hashed is a commit, found by its hash or by that of the commit it was picked from.
type hashed struct {
	hash   string
	group  int
	commit *commit
}

// A revert is one commit or pull request that undoes commits of the range.
type revert struct {
	group    int
	by       []*commit // the commits that revert
	targets  []*commit // what they undo, of the range
	reverted []int     // the groups of the targets
	outside  bool      // nothing was found, or something is missing: it is older than the range
}

// cancelReverts marks the changes that others of the release revert, and those
// others. A revert of a revert restores. list holds the changes of groups.
func cancelReverts(list []Change, groups []group, opts *Options) {
	reverts := findReverts(groups, opts)
	if len(reverts) == 0 {
		return
	}
	undone := map[*commit]bool{}
	for _, r := range slices.Backward(reverts) {
		if !slices.ContainsFunc(r.by, func(c *commit) bool { return !undone[c] }) {
			continue // reverted itself
		}
		for _, c := range r.targets {
			undone[c] = true
		}
	}
	for i := range groups {
		own := groups[i].ownCommits()
		list[i].Reverted = len(own) > 0 && !slices.ContainsFunc(own, func(c *commit) bool { return !undone[c] })
	}
	markReverts(list, groups, reverts, undone)
}

// markReverts gives the changes that are nothing but a revert their kind, and
// marks those that have nothing left to say.
func markReverts(list []Change, groups []group, reverts []revert, undone map[*commit]bool) {
	outside, seen := map[int]bool{}, map[int]bool{}
	for _, r := range reverts {
		seen[r.group] = true
		whole := !slices.ContainsFunc(r.targets, func(c *commit) bool { return !undone[c] })
		for _, target := range r.reverted {
			whole = whole && (list[target].Reverted || target == r.group)
		}
		alive := slices.ContainsFunc(r.by, func(c *commit) bool { return !undone[c] })
		outside[r.group] = outside[r.group] || r.outside || alive && !whole
	}
	for i := range groups {
		if !seen[i] || !groups[i].isRevert() {
			continue
		}
		list[i].Kind, list[i].Hidden = Revert, false
		list[i].Reverted = list[i].Reverted || !outside[i]
		if !list[i].Reverted {
			groups[i].bringBack(&list[i])
		}
	}
}

// bringBack gives c, which reverts a revert, the kind of what comes back.
func (g *group) bringBack(c *Change) {
	u := undoingOf(g.message, g.header, "")
	if u == nil {
		return
	}
	inner, is := revertedSubject(u.subject, parseHeader(u.subject))
	if !is {
		return
	}
	h := parseHeader(inner)
	if kind, known := kindOf(h); known == told && kind != Revert {
		c.Kind = kind
	}
	c.Breaking = c.Breaking || h.breaking
}

// isRevert reports whether the group does nothing but revert.
func (g *group) isRevert() bool {
	if undoingOf(g.message, g.header, "") != nil {
		return true
	}
	own := g.ownCommits()
	return len(own) > 0 && !slices.ContainsFunc(own, func(c *commit) bool { return undoingOf(c.message, c.header, "") == nil })
}

// findReverts finds every revert in groups, oldest first.
func findReverts(groups []group, opts *Options) []revert {
	repository := opts.Forge.repository()
	x := newRevertIndex(groups, opts.Earlier)
	var reverts []revert
	for i := range groups {
		g := &groups[i]
		own := g.ownCommits()
		if u := undoingOf(g.message, g.header, repository); u != nil {
			if g.merged && len(own) == 1 {
				if more := undoingOf(own[0].message, own[0].header, repository); more != nil {
					u.hashes, u.numbers = append(u.hashes, more.hashes...), append(u.numbers, more.numbers...)
				}
			}
			reverts = append(reverts, x.resolve(u, i, own))
			if u.subject != "" {
				x.subjects[`Revert "`+u.subject+`"`] = i // however it is worded
			}
		} else if len(own) > 1 || g.merged {
			for _, c := range own {
				if u := undoingOf(c.message, c.header, repository); u != nil {
					reverts = append(reverts, x.resolve(u, i, []*commit{c}))
				}
			}
		}
		x.subjects[g.title] = i
		subject, _ := cutNumber(g.subject)
		x.subjects[subject] = i
	}
	return reverts
}

func newRevertIndex(groups []group, earlier func(hash string) bool) *revertIndex {
	x := &revertIndex{groups: groups, numbers: map[int]int{}, subjects: map[string]int{}, earlier: earlier}
	for i := range groups {
		if number := groups[i].number; number != 0 {
			x.numbers[number] = i
		}
		for _, c := range groups[i].commits() {
			x.hashes = append(x.hashes, hashed{c.Hash, i, c})
			for _, origin := range c.pickedFrom() {
				x.hashes = append(x.hashes, hashed{origin, i, c})
			}
		}
	}
	slices.SortFunc(x.hashes, func(a, b hashed) int { return strings.Compare(a.hash, b.hash) })
	return x
}

var pickedFrom = regexp.MustCompile(`\(cherry picked from commit ([0-9a-f]{7,64})\)`)

// pickedFrom returns the hashes that git cherry-pick -x noted in the message.
func (c *commit) pickedFrom() []string {
	var hashes []string
	if !strings.Contains(c.Message, "(cherry picked") {
		return nil
	}
	for _, found := range pickedFrom.FindAllStringSubmatch(c.Message, -1) {
		hashes = append(hashes, found[1])
	}
	return hashes
}

// resolve finds what u, said by group i, undoes. Hashes are the surest, and then
// numbers; the subject is asked only when neither is found in the range, since
// picking and rebasing make new hashes.
func (x *revertIndex) resolve(u *undoing, i int, by []*commit) revert {
	r := revert{group: i, by: by}
	for _, hash := range u.hashes {
		r.add(x.byHash(hash))
	}
	found := len(r.targets) > 0
	r.outside = found && r.missing(x, u.hashes)
	for _, number := range u.numbers {
		if target, ok := x.numbers[number]; ok && !found && target < i {
			r.add(target, x.groups[target].ownCommits())
		}
	}
	if target, ok := x.bySubject(u.subject); ok && len(r.targets) == 0 && !x.namesOther(u, target) {
		r.add(target, x.groups[target].ownCommits())
	}
	r.outside = r.outside || len(r.targets) == 0
	return r
}

// namesOther reports whether u names something that the group is not, although the
// titles are the same: a commit that was released earlier, or another pull request.
func (x *revertIndex) namesOther(u *undoing, target int) bool {
	if x.earlier != nil && slices.ContainsFunc(u.hashes, x.earlier) {
		return true
	}
	number := x.groups[target].number
	return number != 0 && len(u.numbers) > 0 && !slices.Contains(u.numbers, number)
}

func (r *revert) add(group int, commits []*commit) {
	if len(commits) > 0 {
		r.targets, r.reverted = append(r.targets, commits...), append(r.reverted, group)
	}
}

// missing reports whether some of hashes is not of the range.
func (r *revert) missing(x *revertIndex, hashes []string) bool {
	return slices.ContainsFunc(hashes, func(hash string) bool {
		_, commits := x.byHash(hash)
		return len(commits) == 0
	})
}

// byHash returns the commits that hash stands for; for the merge commit of a pull
// request all of its branch.
func (x *revertIndex) byHash(hash string) (group int, commits []*commit) {
	at, _ := slices.BinarySearchFunc(x.hashes, hash, func(h hashed, hash string) int { return strings.Compare(h.hash, hash) })
	if at == len(x.hashes) || !strings.HasPrefix(x.hashes[at].hash, hash) {
		return 0, nil
	}
	if next := at + 1; next < len(x.hashes) && x.hashes[at].hash != hash && strings.HasPrefix(x.hashes[next].hash, hash) {
		return 0, nil // more than one begins like this
	}
	found := x.hashes[at]
	if g := &x.groups[found.group]; g.merged && g.lead == found.commit {
		return found.group, g.ownCommits()
	}
	return found.group, []*commit{found.commit}
}

// bySubject returns the newest group so far with that subject or title. GitHub
// cuts long subjects with "…".
func (x *revertIndex) bySubject(subject string) (group int, ok bool) {
	if subject == "" {
		return 0, false
	}
	if group, ok = x.subjects[subject]; ok {
		return group, true
	}
	start, cut := strings.CutSuffix(subject, "…")
	if !cut || len(start) < 20 {
		return 0, false
	}
	for known, i := range x.subjects {
		if strings.HasPrefix(known, start) && (!ok || i > group) {
			group, ok = i, true
		}
	}
	return group, ok
}
