package changes

import (
	"slices"
	"strings"
)

// change describes the group, without an id.
func (g *group) change(opts *Options, people *roster) Change {
	c := Change{
		Type:        g.typ,
		Scope:       g.scope,
		Title:       g.title,
		Body:        withoutAddresses(g.body),
		PullRequest: g.number,
		Commits:     []string{g.lead.Hash},
		Kind:        g.kind(opts.Paths),
		Authors:     g.authors(people),
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
	if g.merged && len(own) == 0 {
		// Its branch lies outside of the range. Who pressed the button is not the author.
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
	c.BreakingNote = withoutAddresses(strings.Join(notes, "\n\n"))
}

// details are the subjects of a branch, or the bullets that squashing made of
// them, apart from the title itself.
func (g *group) details() []string {
	var details []string
	add := func(text string) {
		if text != "" && text != g.subject && !isFixup(text) && !slices.Contains(details, text) {
			details = append(details, text)
		}
	}
	own := g.ownCommits()
	if len(own) > 1 {
		for _, c := range own {
			subject, _ := cutNumber(c.subject)
			add(subject)
		}
	} else if g.number != 0 {
		for _, bullet := range squashBullets(g.body) {
			add(bullet)
		}
	}
	return details
}

// squashBullets returns the items of the list that squashing makes of a branch:
// one line each, starting with "* " after an empty line.
func squashBullets(body string) []string {
	var bullets []string
	blank := true
	for line := range strings.SplitSeq(body, "\n") {
		if text, ok := strings.CutPrefix(line, "* "); ok && (blank || len(bullets) > 0) {
			bullets = append(bullets, strings.TrimSpace(text))
		}
		blank = line == ""
	}
	return bullets
}

// isFixup recognises the commits that git rebase --autosquash would fold away.
func isFixup(subject string) bool {
	return strings.HasPrefix(subject, "fixup! ") || strings.HasPrefix(subject, "squash! ") || strings.HasPrefix(subject, "amend! ") ||
		strings.HasPrefix(subject, "Merge branch ") || strings.HasPrefix(subject, "Merge remote-tracking branch ")
}
