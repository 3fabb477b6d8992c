package changes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// mailmap maps people as gitmailmap(5) says: by address, or by name and address,
// both without regard to case.
type mailmap map[[2]string]Person

var mailmapLine = regexp.MustCompile(`^([^<#]*)<([^>]*)>(?:([^<]*)<([^>]*)>)?`)

func parseMailmap(text string) mailmap {
	m := mailmap{}
	for line := range strings.Lines(text) {
		g := mailmapLine.FindStringSubmatch(strings.TrimSpace(line))
		if g == nil {
			continue
		}
		proper := Person{Name: strings.TrimSpace(g[1]), Email: strings.TrimSpace(g[2])}
		if g[4] == "" { // Proper Name <commit@address>
			m[[2]string{"", strings.ToLower(proper.Email)}] = Person{Name: proper.Name}
			continue
		}
		m[[2]string{strings.ToLower(strings.TrimSpace(g[3])), strings.ToLower(strings.TrimSpace(g[4]))}] = proper
	}
	return m
}

func (m mailmap) proper(p Person) Person {
	email := strings.ToLower(p.Email)
	mapped, ok := m[[2]string{strings.ToLower(p.Name), email}]
	if !ok {
		mapped, ok = m[[2]string{"", email}]
	}
	if ok {
		p.Name, p.Email = cmp.Or(mapped.Name, p.Name), cmp.Or(mapped.Email, p.Email)
	}
	return p
}

var (
	botName  = regexp.MustCompile(`(?i)\[bot\]$|^(?:dependabot|dependabot-preview|renovate|renovate-bot|greenkeeper|github-actions|github|web-flow|gitlab|codecov|allcontributors|semantic-release-bot|k8s-ci-robot|bors|homu|pre-commit-ci|snyk-bot|weblate|pyup-bot|mergify|imgbot|copybara-service|gitea-actions)$`)
	botEmail = regexp.MustCompile(`(?i)^noreply@github\.com$|\[bot\]@|^bot@|^(?:support|noreply)@(?:dependabot|renovatebot)\.`)
	aiName   = regexp.MustCompile(`(?i)^(?:claude\b.*|copilot|github copilot|copilot-swe-agent|cursor|cursor agent|cursoragent|codex|openai codex|gemini|gemini code assist|devin|devin-ai.*|aider\b.*|chatgpt|windsurf|amp|jules|google-labs-jules)$`)
	aiEmail  = regexp.MustCompile(`(?i)@anthropic\.com$|^cursoragent@cursor\.com$|@openai\.com$|@aider\.chat$|copilot@users\.noreply\.github\.com$|devin-ai-integration`)
	noreply  = regexp.MustCompile(`(?i)^(?:\d+\+)?([a-z0-9-]+)@users\.noreply\.github\.com$`)
	coAuthor = regexp.MustCompile(`(?im)^co-?authored-?by:\s*(.+?)\s*<([^<>\s]*)>\s*$`)
)

func isBot(p Person) bool { return botName.MatchString(p.Name) || botEmail.MatchString(p.Email) }

func isAI(p Person) bool {
	return aiName.MatchString(strings.TrimSuffix(p.Name, "[bot]")) || aiEmail.MatchString(p.Email)
}

// people counts who took part. One address, or one name, is one person.
type people struct {
	mailmap mailmap
	ai      bool
	list    []*Contributor
	known   map[string]*Contributor // by address and by name, in lower case
}

// credit counts a commit for its author and co-authors and returns their names.
func (p *people) credit(c *Commit) []string {
	authors := []Person{c.Author}
	for _, g := range coAuthor.FindAllStringSubmatch(c.Message, -1) {
		authors = append(authors, Person{Name: g[1], Email: g[2]})
	}
	var names []string
	for _, a := range authors {
		a = p.mailmap.proper(a)
		ai := isAI(a)
		if ai && !p.ai || !ai && isBot(a) || a.Name == "" {
			continue
		}
		who := p.contributor(a)
		if !slices.Contains(names, who.Name) {
			names = append(names, who.Name)
			who.Commits++
		}
	}
	return names
}

func (p *people) contributor(a Person) *Contributor {
	for _, key := range keys(a) {
		if who := p.known[key]; who != nil {
			return who
		}
	}
	who := &Contributor{Name: clean(a.Name)}
	if g := noreply.FindStringSubmatch(a.Email); g != nil {
		who.Login = g[1]
	}
	for _, key := range keys(a) {
		p.known[key] = who
	}
	p.list = append(p.list, who)
	return who
}

func keys(p Person) []string {
	k := []string{"name " + strings.ToLower(p.Name)}
	if p.Email != "" {
		k = append(k, "mail "+strings.ToLower(p.Email))
	}
	return k
}

// contributors lists everyone credited, who did most first. earlier, which may be
// nil, tells who is not new.
func (p *people) contributors(earlier func() []Person) []Contributor {
	if earlier != nil && len(p.list) > 0 {
		seen := map[*Contributor]bool{}
		before := earlier()
		for _, a := range before {
			for _, key := range keys(p.mailmap.proper(a)) {
				seen[p.known[key]] = true
			}
		}
		for _, who := range p.list {
			who.New = before != nil && !seen[who]
		}
	}
	var list []Contributor
	for _, who := range p.list {
		list = append(list, *who)
	}
	slices.SortStableFunc(list, func(a, b Contributor) int {
		return cmp.Or(cmp.Compare(b.Commits, a.Commits), strings.Compare(a.Name, b.Name))
	})
	return list
}
