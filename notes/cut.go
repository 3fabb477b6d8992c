package notes

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"release-notes-agent/changes"
)

// Shorten returns doc with as many of its entries, from the first on, as fit when its
// Markdown may have so many characters, and how many were left out. GitHub takes
// 125,000 characters for a release. Where not even the rest fits, everything is left
// out that can be.
func Shorten(doc Document, characters int) (Document, int, error) {
	entries := 0
	for _, s := range doc.Sections {
		entries += len(s.Entries)
	}
	var failed error
	fits := func(d Document) bool {
		var text bytes.Buffer
		if err := Markdown(&text, d); err != nil {
			failed = err
		}
		return utf8.RuneCount(text.Bytes()) <= characters
	}
	if fits(doc) {
		return doc, 0, failed
	}
	left := sort.Search(entries, func(n int) bool { return fits(withoutLast(doc, n+1)) }) + 1
	short := withoutLast(doc, min(left, entries))
	if left > entries {
		short.Contributors = []changes.Contributor{}
	}
	return short, min(left, entries), failed
}

// withoutLast leaves the last n entries out.
func withoutLast(doc Document, n int) Document {
	doc.Omitted += n
	sections := append([]Section{}, doc.Sections...)
	for n > 0 && len(sections) > 0 {
		last := &sections[len(sections)-1]
		if n < len(last.Entries) {
			last.Entries = last.Entries[:len(last.Entries)-n]
			break
		}
		n -= len(last.Entries)
		sections = sections[:len(sections)-1]
	}
	doc.Sections = sections
	return doc
}
