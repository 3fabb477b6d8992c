package changes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// change describes the group, without an id and without authors. It changes nothing.
func (g *group) change(opts *Options) Change {
	c := Change{
		Type:        g.typ,
		Scope:       g.scope,
		Title:       cmp.Or(g.title, "(no message)"),
		Body:        withoutAddresses(g.body),
		PullRequest: g.number,
		Commits:     []string{g.lead.Hash},
		Kind:        g.kind(opts.Paths),
		Details:     g.details(),
		References:  g.references(opts.Forge),
		Trailers:    trailersOf(g.trailers),
	}
	if _, known := typeKinds[g.typ]; !known && c.Scope == "" {
		c.Scope = g.typ // "net: …", as Go has it, says where
	}
	for _, m := range g.members {
		c.Commits = append(c.Commits, m.Hash)
	}
	if own := g.ownCommits(); g.merged && c.Body == "" && len(own) == 1 {
		c.Body = withoutAddresses(own[0].body)
	}
	g.breaking(&c)
	if c.URL = opts.Forge.PullRequestURL(g.number); g.number == 0 {
		c.URL = opts.Forge.CommitURL(g.lead.Hash)
	}
	c.Hidden = c.Kind == Internal && !c.Breaking
	return c
}

// authors names the authors of the commits, and counts their commits.
func (g *group) authors(people *roster) []string {
	var names []*member
	own := g.ownCommits()
	for _, c := range own {
		for _, m := range people.authorsOf(c) {
			m.Commits++
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	if g.merged {
		// Who pressed the button is not the author, but who is named there is.
		for _, p := range coAuthors(g.lead.Message) {
			if m := people.member(p); m != nil && !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return memberNames(names)
}

func memberNames(members []*member) []string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names
}

// breaking collects what the pull request and each of its commits say breaks.
func (g *group) breaking(c *Change) {
	c.Breaking = g.header.breaking || g.breaks
	notes := slices.Clone(g.notes)
	for _, own := range g.ownCommits() {
		c.Breaking = c.Breaking || own.header.breaking || own.breaks
		for _, note := range own.notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	for _, step := range g.writtenSteps() {
		c.Breaking = c.Breaking || parseHeader(step).breaking
	}
	c.BreakingNote = withoutAddresses(strings.Join(notes, "\n\n"))
}

// details are the steps of a pull request that mean something to a reader by
// themselves: subjects of its branch that follow the convention, or bullets that
// squashing made of them. Most steps are drafts of the title, or mend each other.
func (g *group) details() []string {
	var steps []string
	if own := g.ownCommits(); len(own) > 1 {
		for _, c := range own {
			subject, _ := cutNumber(c.subject)
			steps = append(steps, subject)
		}
	} else {
		steps = g.writtenSteps()
	}
	var details []string
	for _, step := range steps {
		if g.isDetail(step) && !slices.Contains(details, step) && !slices.Contains(steps, `Revert "`+step+`"`) {
			details = append(details, step)
		}
	}
	return details
}

// writtenSteps are the steps that a message of one commit tells of itself.
func (g *group) writtenSteps() []string {
	if g.merged || g.lead.quotes {
		return nil
	}
	steps := g.furtherHeaders()
	if g.number != 0 {
		steps = append(steps, squashBullets(g.body)...)
	}
	return steps
}

// furtherHeaders returns the subjects that a message has below its own, as those of
// several commits put together: paragraphs that begin with a type of the convention.
// The last one may look like a trailer.
func (g *group) furtherHeaders() (subjects []string) {
	for paragraph := range strings.SplitSeq(g.body, "\n\n") {
		first, _, _ := strings.Cut(strings.TrimLeft(paragraph, "\n"), "\n")
		if h := parseHeader(first); typeKinds[h.typ] != "" && !strings.HasPrefix(first, " ") {
			subjects = append(subjects, strings.TrimSpace(first))
		}
	}
	for _, t := range g.trailers {
		if (t.key == "feat" || t.key == "fix" || t.key == "perf") && len(t.value) > 0 && !strings.ContainsAny(t.value[:1], "#!h") {
			subjects = append(subjects, t.key+": "+t.value)
		}
	}
	return subjects
}

// isDetail reports whether a step says something that the title does not.
func (g *group) isDetail(step string) bool {
	h := parseHeader(step)
	kind, known := kindOf(h)
	if h.typ == "" && len(g.members) > 0 {
		known = open // a sentence on a branch is nobody's choice of words
	}
	if h.typ == "" && !strings.Contains(h.title, " ") {
		known = open // "typo"
	}
	return known != open && kind != Internal && kind != Revert && !strings.HasPrefix(step, `Revert "`) &&
		!strings.EqualFold(h.title, g.title) || h.breaking
}

// squashBullets returns the items of the list that squashing makes of a branch,
// each starting with "* " after an empty line. What is indented below goes on with
// an item.
func squashBullets(body string) []string {
	var bullets []string
	blank := true
	for line := range strings.SplitSeq(body, "\n") {
		text, isItem := strings.CutPrefix(line, "* ")
		switch {
		case isItem && (blank || len(bullets) > 0):
			bullets = append(bullets, strings.TrimSpace(text))
		case len(bullets) > 0 && !blank && strings.HasPrefix(line, "  ") && strings.TrimSpace(line) != "":
			bullets[len(bullets)-1] += " " + strings.TrimSpace(line)
		}
		blank = line == ""
	}
	return slices.DeleteFunc(bullets, taskBox.MatchString)
}

// taskBox is an item of the lists that the templates of pull requests bring.
var taskBox = regexp.MustCompile(`^\[[ xX]\] `)
