package notes

import "slices"

// A Category is a heading of a project's own for some of its changes.
type Category struct {
	Title   string
	Changes []string // ids
}

// Categorize moves the entries of doc whose changes all belong to one category under
// its heading. Breaking changes and security fixes stay where they are, first; then
// come the categories in their order, then what belongs to none. A section of a
// category has the kind that its first entry had.
func Categorize(doc *Document, categories []Category) {
	sections := make([]Section, len(categories))
	var first, rest []Section
	for _, s := range doc.Sections {
		if s.Kind == Breaking || s.Kind == Security {
			first = append(first, s)
			continue
		}
		var left []Entry
		for _, e := range s.Entries {
			i := slices.IndexFunc(categories, func(c Category) bool { return c.holds(e) })
			if i < 0 {
				left = append(left, e)
				continue
			}
			if len(sections[i].Entries) == 0 {
				sections[i] = Section{Kind: s.Kind, Title: categories[i].Title}
			}
			sections[i].Entries = append(sections[i].Entries, e)
		}
		if len(left) > 0 {
			rest = append(rest, Section{Kind: s.Kind, Title: s.Title, Entries: left})
		}
	}
	sections = slices.DeleteFunc(sections, func(s Section) bool { return len(s.Entries) == 0 })
	doc.Sections = list(slices.Concat(first, sections, rest))
}

func (c Category) holds(e Entry) bool {
	return len(e.Changes) > 0 && !slices.ContainsFunc(e.Changes, func(id string) bool { return !slices.Contains(c.Changes, id) })
}
