package grounding

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// A TextFinding is a finding in notes that are given as Markdown.
type TextFinding struct {
	notes.Finding
	Line int `json:"line"` // where the item begins, from 1; 0 for what the whole lacks
}

// CheckText holds Markdown that a person or another tool wrote against a release. An
// item is a list item, or a paragraph that names a pull request or a commit. What it
// names must be of the release and not reverted, and in one item only; its details must
// be borne out by the changes that it names; and every breaking change must be named
// somewhere. Items that name nothing can't be held against anything.
func CheckText(markdown string, m changes.Manifest, evidence Evidence) []TextFinding {
	s := newScene(notes.Draft{}, m, evidence)
	t := textCheck{scene: s, manifest: m, named: map[string]int{}}
	for _, it := range itemsOf(markdown) {
		t.item(it)
	}
	for _, c := range s.visible {
		if _, ok := t.named[c.ID]; c.Breaking && !ok {
			t.add(0, notes.Finding{Code: notes.MissingBreaking, Changes: []string{c.ID}, Found: c.Title, Expected: "the change is breaking and is not named: say what stops working, with " + nameOf(c)})
		}
	}
	return t.findings
}

// nameOf is how notes name a change.
func nameOf(c changes.Change) string {
	if c.PullRequest != 0 {
		return fmt.Sprintf("#%d", c.PullRequest)
	}
	return c.Commits[0][:min(7, len(c.Commits[0]))]
}

// A textItem is a list item or a paragraph.
type textItem struct {
	line int
	text string
	list bool
}

var (
	itemStart = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,4}[.)])\s+`)
	inFence   = regexp.MustCompile("^\\s*(?:```|~~~)")
)

// itemsOf splits Markdown into items. Headings and fenced code are none.
func itemsOf(markdown string) (items []textItem) {
	open, fenced := false, false
	for i, line := range strings.Split(markdown, "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case inFence.MatchString(line):
			fenced, open = !fenced, false
		case fenced:
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			open = false
		case itemStart.MatchString(line):
			items = append(items, textItem{i + 1, itemStart.ReplaceAllString(line, ""), true})
			open = true
		case open:
			items[len(items)-1].text += " " + strings.TrimSpace(line)
		default:
			items = append(items, textItem{i + 1, line, false})
			open = true
		}
	}
	return items
}

var (
	// A pull request or commit by its address; compare links and others name none.
	pullAddress   = regexp.MustCompile(`https?://[^\s()<>\]]+/(?:pull|pulls|issues|merge_requests|pull-requests|pullrequest)/(\d{1,9})[^\s()<>\]]*`)
	commitAddress = regexp.MustCompile(`https?://[^\s()<>\]]+/commits?/([0-9a-f]{7,40})[^\s()<>\]]*`)
	otherAddress  = regexp.MustCompile(`https?://[^\s<>\]]*[^\s<>\]).,]`)
	pullNumber    = regexp.MustCompile(`(?:^|[\s(\[,])[#!](\d{1,9})\b`)
	commitHash    = regexp.MustCompile(`(?:^|[\s(\[` + "`" + `,])([0-9a-f]{7,40})(?:$|[\s)\]` + "`" + `,.;:])`)
	// "@ann made their first contribution in #12": the change stands elsewhere.
	thanks    = regexp.MustCompile(`(?i)\bfirst(?:[- ]time)? contributi?on`)
	linkMarks = regexp.MustCompile(`!?\[([^\]]*)\]\(\s*[^)]*\)`)
	mention   = regexp.MustCompile(`(?:\bby )?@[A-Za-z\d][A-Za-z\d-]*(?:\[bot\])?(?: in\b)?`)
)

// A textCheck goes through the items.
type textCheck struct {
	scene    *scene
	manifest changes.Manifest
	named    map[string]int // by id: the line of the first item that names it
	findings []TextFinding
}

func (t *textCheck) add(line int, f notes.Finding) {
	f.Entry = -1
	f.Changes = append([]string{}, f.Changes...)
	t.findings = append(t.findings, TextFinding{f, line})
}

func (t *textCheck) item(it textItem) {
	ids := t.names(it)
	for _, id := range ids {
		switch first, again := t.named[id]; {
		case again && it.list && !thanks.MatchString(it.text):
			t.add(it.line, notes.Finding{Code: notes.Duplicate, Changes: []string{id}, Found: nameOf(t.scene.changes[id]), Expected: fmt.Sprintf("line %d names it already", first)})
		case !again:
			t.named[id] = it.line
		}
		if t.scene.changes[id].Reverted {
			t.add(it.line, notes.Finding{Code: notes.Reverted, Changes: []string{id}, Found: t.scene.changes[id].Title, Expected: "the change was reverted in the same release: do not mention it"})
		}
	}
	if len(ids) == 0 {
		return
	}
	for _, f := range t.scene.unsupportedText(plainText(it.text), ids) {
		t.add(it.line, f)
	}
}

// names returns the changes that an item names, and reports what is of no change.
func (t *textCheck) names(it textItem) (ids []string) {
	text := it.text
	var numbers, hashes []string
	for _, found := range pullAddress.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, found[1])
	}
	for _, found := range commitAddress.FindAllStringSubmatch(text, -1) {
		hashes = append(hashes, found[1])
	}
	text = otherAddress.ReplaceAllString(text, "")
	for _, found := range pullNumber.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, found[1])
	}
	for _, found := range commitHash.FindAllStringSubmatch(text, -1) {
		if strings.ContainsAny(found[1], "0123456789") && strings.ContainsAny(found[1], "abcdef") {
			hashes = append(hashes, found[1])
		}
	}
	slices.Sort(numbers)
	slices.Sort(hashes)
	for _, number := range slices.Compact(numbers) {
		ids = append(ids, t.byNumber(it, number)...)
	}
	for _, hash := range slices.Compact(hashes) {
		ids = append(ids, t.byHash(it, hash)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// byNumber finds the change of a pull request, or the ones that refer to an issue.
func (t *textCheck) byNumber(it textItem, digits string) (ids []string) {
	number, _ := strconv.Atoi(digits)
	for _, c := range t.manifest.Changes {
		if c.PullRequest == number {
			return []string{c.ID}
		}
	}
	referred := false
	for _, c := range t.manifest.Changes {
		referred = referred || slices.ContainsFunc(c.References, func(r changes.Reference) bool { return r.Number == number })
	}
	if !referred {
		t.add(it.line, notes.Finding{Code: notes.UnknownChange, Found: "#" + digits, Expected: "no change of the release has this number, or names it"})
	}
	return nil
}

func (t *textCheck) byHash(it textItem, hash string) []string {
	for _, c := range t.manifest.Changes {
		if slices.ContainsFunc(c.Commits, func(full string) bool { return strings.HasPrefix(full, hash) }) {
			return []string{c.ID}
		}
	}
	t.add(it.line, notes.Finding{Code: notes.UnknownChange, Found: hash, Expected: "no commit of the release has this hash"})
	return nil
}

// plainText is what an item says beside the names of changes and people.
func plainText(text string) string {
	text = linkMarks.ReplaceAllString(text, "$1")
	text = commitAddress.ReplaceAllString(pullAddress.ReplaceAllString(text, ""), "")
	text = otherAddress.ReplaceAllString(text, "")
	text = mention.ReplaceAllString(text, "")
	text = commitHash.ReplaceAllString(pullNumber.ReplaceAllString(text, " "), " ")
	return strings.NewReplacer("**", "", "\\", "").Replace(text)
}
