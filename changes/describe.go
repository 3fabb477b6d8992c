package changes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
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
	if raised := g.bumps(); len(raised) > 1 {
		return bumpLines(raised)
	}
	var steps []string
	if own := g.ownCommits(); len(own) > 1 {
		for _, c := range own {
			subject, _ := cutNumber(c.subject)
			steps = append(steps, subject)
		}
	} else {
		steps = g.writtenSteps()
	}
	details := g.deprecations()
	loose := 0
	for _, step := range steps {
		if g.isDetail(step) && parseHeader(step).typ == "" {
			loose++
		}
	}
	for _, step := range steps {
		if loose > maxLooseSteps && parseHeader(step).typ == "" {
			continue // the log of a branch
		}
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

// maxLooseSteps is how many steps outside of the convention somebody may have written
// to be read. More of them are the log of a branch as it came about.
const maxLooseSteps = 4

// mending is a step that mends others of the same pull request.
var mending = regexp.MustCompile(`(?i)^(?:add|update|address|apply|appl(?:y|ies)|fix(?:e[sd]|ing)?|fix up|remove|resolve[sd]?|more|some|try|minor|small|another|run)\b.{0,24}\b(?:things?|stuff|tests?|lint(?:s|ing|er)?|typos?|types?|typecheck(?:s|ing)?|reviews?|comments?|feedback|suggestions?|ci|build|format(?:ting)?|style|changesets?|snapshots?|nits?|conflicts?|merge|docs?|prettier|gofmt)\b.{0,12}$`)

// isDetail reports whether a step says something that the title does not.
func (g *group) isDetail(step string) bool {
	h := parseHeader(step)
	if h.breaking {
		return true
	}
	kind, known := kindOf(h)
	if known == open || kind == Internal || kind == Revert || strings.HasPrefix(step, `Revert "`) {
		return false
	}
	words := plainWords(h.title)
	said := contains(plainWords(g.title), words)
	if h.typ != "" {
		own, _ := kindOf(g.header)
		return !said || kind != own
	}
	// A sentence on a branch is nobody's choice of words, and "typo" is none.
	return !said && len(g.members) == 0 && len(words) > 2 && !mending.MatchString(h.title)
}

// plainWords are the words of a title in lower case, without signs around them.
func plainWords(title string) []string {
	return strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// contains reports whether all of words are among those of a title.
func contains(title, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(title, word) })
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
