package changes

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// A roster knows the people of a release and tells them apart.
type roster struct {
	mailmap mailmap
	ai      bool // AI assistants count as people
	byKey   map[string]*member
	byRaw   map[Person]*member // what was found before; nil for bots
	members []*member          // in order of appearance
}

// A member is one person under all of their names and addresses.
type member struct {
	Contributor
	mapped bool // the name is the mailmap's
}

func newRoster(opts *Options) *roster {
	return &roster{mailmap: parseMailmap(opts.Mailmap), ai: opts.AIAuthors, byKey: map[string]*member{}, byRaw: map[Person]*member{}}
}

// authorsOf returns who made c: its author and the co-authors that it names, bots
// left out.
func (r *roster) authorsOf(c *commit) []*member {
	var authors []*member
	for _, p := range append([]Person{c.Author}, coAuthors(c.Message)...) {
		if m := r.member(p); m != nil && !slices.Contains(authors, m) {
			authors = append(authors, m)
		}
	}
	return authors
}

// member finds or adds the person; nil for those that are none.
func (r *roster) member(raw Person) *member {
	m, ok := r.byRaw[raw]
	if !ok {
		m = r.settle(raw)
		r.byRaw[raw] = m
	}
	return m
}

// settle does it for a person met for the first time.
func (r *roster) settle(raw Person) *member {
	p := r.mailmap.proper(raw)
	if displayName(p) == "" || isBot(raw) || isBot(p) || !r.ai && (isAI(raw) || isAI(p)) {
		return nil
	}
	m := r.find(p)
	if m == nil {
		m = &member{Contributor: Contributor{Name: displayName(p)}}
		r.members = append(r.members, m)
	}
	for _, key := range keysOf(p) {
		if r.byKey[key] == nil {
			r.byKey[key] = m
		}
	}
	m.name(p, p.Name != raw.Name)
	if m.Login == "" {
		m.Login = cmp.Or(login(raw.Email), login(p.Email))
	}
	return m
}

func (r *roster) find(p Person) *member {
	for _, key := range keysOf(p) {
		if m := r.byKey[key]; m != nil {
			return m
		}
	}
	return nil
}

// name settles for the mailmap's name, or else for the first that is a full one.
func (m *member) name(p Person, mapped bool) {
	better := mapped && !m.mapped || !m.mapped && !isFullName(m.Name) && isFullName(p.Name)
	if better {
		m.Name = displayName(p)
	}
	m.mapped = m.mapped || mapped
}

// keysOf returns what a person is known by after the mailmap, the surest first: the address, the
// login in it, and the name. Different people share names like "root".
func keysOf(p Person) []string {
	var keys []string
	if p.Email != "" {
		keys = append(keys, "email "+strings.ToLower(strings.TrimSpace(p.Email)))
	}
	if name := login(p.Email); name != "" {
		keys = append(keys, "login "+strings.ToLower(name))
	}
	if isFullName(p.Name) || p.Email == "" || !anyonesName[strings.ToLower(p.Name)] {
		keys = append(keys, "name "+strings.ToLower(strings.Join(strings.Fields(p.Name), " ")))
	}
	return keys
}

// anyonesName are names that programs and machines give to whoever uses them.
var anyonesName = map[string]bool{
	"": true, "root": true, "admin": true, "administrator": true, "user": true, "unknown": true, "nobody": true, "anonymous": true,
	"name": true, "me": true, "test": true, "dev": true, "developer": true, "git": true, "ubuntu": true, "vagrant": true, "ec2-user": true,
	"runner": true, "codespace": true, "vscode": true, "localhost": true, "mac": true, "pi": true,
}

func isFullName(name string) bool { return len(strings.Fields(name)) > 1 }

// displayName is a name that can be printed: never an address.
func displayName(p Person) string {
	name := strings.TrimPrefix(cmp.Or(plain(p.Name), login(p.Email), plain(p.Email)), "@")
	if local, _, ok := strings.Cut(name, "@"); ok {
		return local
	}
	return name
}

// noreplyLogin is the address that a forge gives to those who hide their own:
// GitHub "123+login@users.noreply.github.com", GitLab with a dash, Gitea
// "login@noreply.codeberg.org".
var noreplyLogin = regexp.MustCompile(`(?i)^(?:\d+[+-])?([a-z\d][a-z\d._-]*)@(?:users\.noreply\.[a-z\d.-]+|noreply\.[a-z\d.-]+)$`)

// login reads the login out of an address that a forge made up.
func login(email string) string {
	if found := noreplyLogin.FindStringSubmatch(strings.TrimSpace(email)); found != nil {
		return found[1]
	}
	return ""
}

var (
	coAuthorLine = regexp.MustCompile(`(?im)^co-authored-by[ \t]*:[ \t]*(.+?)[ \t\r]*$`)
	namedAddress = regexp.MustCompile(`(?:^|[,;&])\s*"?([^<>"]*?)"?\s*<([^<>]*)>`) // more than one where people put two into a line
)

// coAuthors reads Co-authored-by wherever it stands, since squashing leaves it in
// the middle of messages.
func coAuthors(text string) []Person {
	if !strings.Contains(strings.ToLower(text), "co-authored-by") {
		return nil
	}
	var people []Person
	for _, line := range coAuthorLine.FindAllStringSubmatch(text, -1) {
		named := namedAddress.FindAllStringSubmatch(line[1], -1)
		if named == nil {
			people = append(people, Person{Name: line[1]})
		}
		for _, found := range named {
			people = append(people, Person{Name: strings.TrimSpace(found[1]), Email: found[2]})
		}
	}
	return people
}

// contributors returns everyone with a change in the release, those with the most
// commits first.
func (r *roster) contributors(earlier iter.Seq2[Person, error]) []Contributor {
	var list []Contributor
	known := r.knownBefore(earlier)
	for _, m := range r.members {
		if m.Commits > 0 {
			m.New = known != nil && !known[m]
			list = append(list, m.Contributor)
		}
	}
	slices.SortStableFunc(list, func(a, b Contributor) int {
		return cmp.Or(cmp.Compare(b.Commits, a.Commits), cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
	return list
}

// knownBefore returns the members among the earlier authors; nil when these are
// not known.
func (r *roster) knownBefore(earlier iter.Seq2[Person, error]) map[*member]bool {
	if earlier == nil || len(r.members) == 0 {
		return nil
	}
	known := map[*member]bool{}
	for raw, err := range earlier {
		if err != nil {
			return nil
		}
		for _, key := range keysOf(r.mailmap.proper(raw)) {
			if m := r.byKey[key]; m != nil {
				known[m] = true
			}
		}
		if len(known) == len(r.members) {
			break
		}
	}
	return known
}
