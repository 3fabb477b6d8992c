package changes

import (
	"regexp"
	"strings"
)

// A mailmap replaces the names and addresses of commits, as gitmailmap(5).
type mailmap map[mailmapKey]Person

// A mailmapKey is what a line matches, in lower case. The name is empty for a
// line that matches every name with the address.
type mailmapKey struct{ email, name string }

// "Proper Name <proper@email> Commit Name <commit@email>"; all but one address
// may be missing.
var mailmapLine = regexp.MustCompile(`^\s*([^<>]*)<([^<>]*)>(?:([^<>]*)<([^<>]*)>)?`)

func parseMailmap(text string) mailmap {
	m := mailmap{}
	for line := range strings.Lines(text) {
		found := mailmapLine.FindStringSubmatch(line)
		if found == nil || strings.HasPrefix(line, "#") {
			continue
		}
		proper := Person{Name: strings.TrimSpace(found[1]), Email: strings.TrimSpace(found[2])}
		key := mailmapKey{email: found[4], name: found[3]}
		if found[4] == "" {
			key, proper.Email = mailmapKey{email: found[2]}, ""
		}
		m.add(key, proper)
	}
	return m
}

// add lets a later line fill in or replace what an earlier one said.
func (m mailmap) add(key mailmapKey, proper Person) {
	key = key.folded()
	known := m[key]
	if proper.Name != "" {
		known.Name = proper.Name
	}
	if proper.Email != "" {
		known.Email = proper.Email
	}
	m[key] = known
}

func (k mailmapKey) folded() mailmapKey {
	return mailmapKey{email: strings.ToLower(strings.TrimSpace(k.email)), name: strings.ToLower(strings.TrimSpace(k.name))}
}

// proper returns who p is; a line with the name comes before one without.
func (m mailmap) proper(p Person) Person {
	key := mailmapKey{p.Email, p.Name}.folded()
	found, ok := m[key]
	if !ok {
		found = m[mailmapKey{email: key.email}]
	}
	if found.Name != "" {
		p.Name = found.Name
	}
	if found.Email != "" {
		p.Email = found.Email
	}
	return p
}
