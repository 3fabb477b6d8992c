package grounding

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// TestRuleFiles runs testdata: a file for each rule, named after its code. The first
// section has the changes; each other one is a draft, whose name begins with what has to
// come of it: "holds", or "fails" with the rule's finding and no other.
//
//	changes          "c1 feature breaking: title", and below it, indented, its text and
//	                 then, after "diff:", its diff
//	drafts           "> summary [c1]", "## section", "- entry [c1 c2]", "  - detail",
//	                 "  ! migration", and "left out c3: reason"
func TestRuleFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		codes = append(codes, code)
		t.Run(code, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, evidence := parseChanges(t, string(archive.Files[0].Data))
			outcomes := map[string]int{}
			for _, section := range archive.Files[1:] {
				outcome, name, _ := strings.Cut(section.Name, ": ")
				outcomes[outcome]++
				findings := Check(parseDraft(t, string(section.Data)), m, evidence).Findings
				others := slices.DeleteFunc(slices.Clone(findings), func(f notes.Finding) bool { return outcome == "fails" && string(f.Code) == code })
				if len(others) > 0 || outcome == "fails" && len(findings) == 0 {
					t.Errorf("%s: %s: findings %+v", outcome, name, findings)
				}
			}
			if outcomes["holds"] == 0 || outcomes["fails"] == 0 || len(outcomes) != 2 {
				t.Errorf("outcomes %v: a rule needs drafts that hold and drafts that fail", outcomes)
			}
		})
	}
	for _, code := range []notes.FindingCode{
		notes.UnknownChange, notes.Uncited, notes.Duplicate, notes.Missing, notes.MissingBreaking, notes.Reverted,
		notes.WrongSection, notes.Unsupported, notes.BeforeAfter, notes.Unsafe, notes.Style,
	} {
		if !slices.Contains(codes, string(code)) {
			t.Errorf("no file for %s", code)
		}
	}
}

func parseChanges(t *testing.T, text string) (changes.Manifest, Evidence) {
	t.Helper()
	var m changes.Manifest
	diffs := map[string]string{}
	inDiff := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if body, ok := strings.CutPrefix(line, "  "); ok {
			c := &m.Changes[len(m.Changes)-1]
			switch {
			case body == "diff:":
				inDiff = true
			case inDiff:
				diffs[c.ID] += body + "\n"
			default:
				c.Body += body + "\n"
			}
			continue
		}
		inDiff = false
		head, title, _ := strings.Cut(line, ": ")
		fields := strings.Fields(head)
		if len(fields) < 2 {
			t.Fatalf("no change: %q", line)
		}
		m.Changes = append(m.Changes, changes.Change{
			ID: fields[0], Kind: changes.Kind(fields[1]), Title: title, Breaking: slices.Contains(fields, "breaking"),
			Reverted: slices.Contains(fields, "reverted"), Hidden: slices.Contains(fields, "hidden"),
		})
	}
	return m, func(id string) string { return diffs[id] }
}

func parseDraft(t *testing.T, text string) notes.Draft {
	t.Helper()
	var d notes.Draft
	entry := func() *notes.Entry {
		entries := d.Sections[len(d.Sections)-1].Entries
		return &entries[len(entries)-1]
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		said, ids := cutIDs(line)
		switch mark, rest, _ := strings.Cut(said, " "); {
		case line == "":
		case strings.HasPrefix(line, "  - "):
			entry().Details = append(entry().Details, strings.TrimPrefix(line, "  - "))
		case strings.HasPrefix(line, "  ! "):
			entry().Migration = strings.TrimPrefix(line, "  ! ")
		case mark == ">":
			d.Summary = notes.Summary{Text: rest, Changes: ids}
		case mark == "##":
			d.Sections = append(d.Sections, notes.Section{Kind: notes.SectionKind(rest)})
		case mark == "-":
			section := &d.Sections[len(d.Sections)-1]
			section.Entries = append(section.Entries, notes.Entry{Text: unescape(rest), Changes: ids, Source: notes.FromModel})
		case mark == "left":
			id, reason, _ := strings.Cut(strings.TrimPrefix(line, "left out "), ": ")
			d.LeftOut = append(d.LeftOut, notes.LeftOut{Change: id, Reason: reason})
		default:
			t.Fatalf("no line of a draft: %q", line)
		}
	}
	return d
}

// cutIDs takes the ids in brackets off the end of a line.
func cutIDs(line string) (said string, ids []string) {
	i := strings.LastIndex(line, " [")
	if i < 0 || !strings.HasSuffix(line, "]") {
		return line, nil
	}
	return line[:i], strings.Fields(strings.TrimSuffix(line[i+2:], "]"))
}

// unescape writes characters that a file should not hold.
func unescape(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\e`, "\x1b", `\u202e`, "\u202e", "LONG", strings.Repeat("very long and ", 40)).Replace(text)
}
