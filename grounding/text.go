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
// names must be of the release and not reverted, and no other item may say the same of
// it; its details and its authors must be borne out by the changes that it names; a link
// that compares releases must compare this one with the one before; and every breaking
// change must be named somewhere. Items that name nothing can't be held against anything.
func CheckText(markdown string, m changes.Manifest, evidence Evidence) []TextFinding {
	s := newScene(notes.Draft{}, m, evidence)
	t := textCheck{scene: s, manifest: m, named: map[string][]textItem{}}
	for _, it := range itemsOf(markdown) {
		t.item(it)
		t.compareLinks(it)
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
	// An issue, which need not be named in any message.
	issueNumber = regexp.MustCompile(`(?i)\b(?:issues?|bugs?|close[sd]?|fixe[sd]|resolve[sd]?):? (?:\[?#\d{1,9}\]?(?:\([^)]*\))?(?:, | and | & )?)+`)
	commitHash  = regexp.MustCompile(`(?:^|[\s(\[` + "`" + `,])([0-9a-f]{7,40})(?:$|[\s)\]` + "`" + `,.;:])`)
	// "@ann made their first contribution in #12": the change stands elsewhere.
	thanks    = regexp.MustCompile(`(?i)\bfirst(?:[- ]time)? contributi?on`)
	linkMarks = regexp.MustCompile(`!?\[([^\]]*)\]\(\s*[^)]*\)`)
	label     = regexp.MustCompile("^`?\\[[^\\]`]*\\]`?:? |^\\*\\*[^*]+:\\*\\* ") // "`[core]` ", "**core:** "
	mention   = regexp.MustCompile(`(?:\bby |\B)@[A-Za-z\d][A-Za-z\d-]*\b(?:\[bot\])?(?: in\b)?`)
)

// A textCheck goes through the items.
type textCheck struct {
	scene    *scene
	manifest changes.Manifest
	named    map[string][]textItem // by id: the items that name it
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
		if first, ok := sameSaid(t.named[id], it); ok {
			t.add(it.line, notes.Finding{Code: notes.Duplicate, Changes: []string{id}, Found: nameOf(t.scene.changes[id]), Expected: fmt.Sprintf("line %d says it already", first.line)})
		}
		t.named[id] = append(t.named[id], it)
		if t.scene.changes[id].Reverted {
			t.add(it.line, notes.Finding{Code: notes.Reverted, Changes: []string{id}, Found: t.scene.changes[id].Title, Expected: "the change was reverted in the same release: do not mention it"})
		}
	}
	if len(ids) == 0 {
		return
	}
	t.authors(it, ids)
	for _, f := range t.scene.unsupportedText(plainText(it.text), ids) {
		if f.Code == notes.Unsupported {
			f.Expected = "neither the text nor the diff of the named changes holds this"
		}
		t.add(it.line, f)
	}
}

// sameSaid finds the one of items that says the same as it, or nearly: one pull request
// may well be the subject of several.
func sameSaid(items []textItem, it textItem) (same textItem, ok bool) {
	if !it.list || thanks.MatchString(it.text) {
		return textItem{}, false
	}
	words := wordsOf(it.text)
	for _, other := range items {
		all := map[string]bool{}
		common := 0
		for _, word := range wordsOf(other.text) {
			all[word] = true
		}
		for _, word := range words {
			if all[word] {
				common++
			}
		}
		if other.list && common > 0 && (3*common >= 2*max(len(words), len(all)) || common == min(len(words), len(all))) {
			return other, true
		}
	}
	return textItem{}, false
}

// wordsOf are the words of an item, each once, without the names of changes and people.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(plainText(text)), func(r rune) bool { return !isWordRune(r) })
	slices.Sort(words)
	return slices.Compact(words)
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
	for _, found := range pullNumber.FindAllStringSubmatch(issueNumber.ReplaceAllString(text, ""), -1) {
		numbers = append(numbers, found[1])
	}
	for _, found := range commitHash.FindAllStringSubmatch(text, -1) {
		if strings.ContainsAny(found[1], "0123456789") && strings.ContainsAny(found[1], "abcdef") {
			hashes = append(hashes, found[1])
		}
	}
	slices.Sort(numbers)
	slices.Sort(hashes)
	var unknown []notes.Finding
	for _, number := range slices.Compact(numbers) {
		if id, ok := t.byNumber(number); ok {
			ids = append(ids, id)
		} else if !t.refersTo(number) && !t.unnumbered(it) {
			unknown = append(unknown, notes.Finding{Code: notes.UnknownChange, Found: "#" + number, Expected: "no change of the release has this number, or names it"})
		}
	}
	for _, hash := range slices.Compact(hashes) {
		if id, ok := t.byHash(hash); ok {
			ids = append(ids, id)
		} else {
			unknown = append(unknown, notes.Finding{Code: notes.UnknownChange, Found: hash, Expected: "no commit of the release has this hash"})
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, f := range unknown {
		if p := (proof{scene: t.scene, ids: ids}); len(ids) == 0 || !p.bears(f.Found) { // "update the digest to 0a1b2c3"
			t.add(it.line, f)
		}
	}
	return ids
}

// byNumber finds the change of a pull request.
func (t *textCheck) byNumber(digits string) (id string, ok bool) {
	for _, c := range t.manifest.Changes {
		if strconv.Itoa(c.PullRequest) == digits {
			return c.ID, true
		}
	}
	return "", false
}

// refersTo reports whether some change refers to an issue.
func (t *textCheck) refersTo(digits string) bool {
	return slices.ContainsFunc(t.manifest.Changes, func(c changes.Change) bool {
		return slices.ContainsFunc(c.References, func(r changes.Reference) bool { return strconv.Itoa(r.Number) == digits })
	})
}

// unnumbered reports whether an item says what a change without a number says: where
// branches are rebased, the history does not hold the numbers of pull requests.
func (t *textCheck) unnumbered(it textItem) bool {
	words := wordsOf(it.text)
	return slices.ContainsFunc(t.manifest.Changes, func(c changes.Change) bool {
		title := wordsOf(c.Title)
		common := 0
		for _, word := range title {
			if slices.Contains(words, word) {
				common++
			}
		}
		return c.PullRequest == 0 && common > 1 && 3*common >= 2*len(title)
	})
}

func (t *textCheck) byHash(hash string) (id string, ok bool) {
	for _, c := range t.manifest.Changes {
		if slices.ContainsFunc(c.Commits, func(full string) bool { return strings.HasPrefix(full, hash) }) {
			return c.ID, true
		}
	}
	return "", false
}

// outsideCode applies a function to what stands outside of code spans.
func outsideCode(text string, do func(string) string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = do(parts[i])
	}
	return strings.Join(parts, "`")
}

// plainText is what an item says beside the names of changes and people.
func plainText(text string) string {
	text = linkMarks.ReplaceAllString(text, "$1")
	text = commitAddress.ReplaceAllString(pullAddress.ReplaceAllString(text, ""), "")
	text = otherAddress.ReplaceAllString(text, "")
	text = label.ReplaceAllString(text, "")
	text = outsideCode(text, func(part string) string { return mention.ReplaceAllString(part, "") })
	text = commitHash.ReplaceAllString(pullNumber.ReplaceAllString(text, " "), " ")
	return strings.NewReplacer("**", "", "\\", "").Replace(text)
}
