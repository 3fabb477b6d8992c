package grounding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// manifest has one change of each sort that the rules tell apart.
func manifest() changes.Manifest {
	return changes.Manifest{Changes: []changes.Change{
		{ID: "c1", Kind: changes.Feature, Title: "list widgets"},
		{ID: "c2", Kind: changes.Fix, Title: "drop colours", Breaking: true, BreakingNote: "Use red."},
		{ID: "c3", Kind: changes.Security, Title: "check tokens"},
		{ID: "c4", Kind: changes.Feature, Title: "shiny", Reverted: true},
		{ID: "c5", Kind: changes.Internal, Title: "tidy", Hidden: true},
		{ID: "c6", Kind: changes.Fix, Title: "count <all> of @them"},
	}}
}

// good is a draft of it without findings.
func good() notes.Draft {
	return notes.Draft{
		Summary: notes.Summary{Text: "Widgets can be listed.", Changes: []string{"c1"}},
		Sections: []notes.Section{
			section(notes.Breaking, notes.Entry{Text: "Old colours are gone", Changes: []string{"c2"}, Migration: "1. Use `red`.\n- See below:\n\n```go\n@deprecated <b>\n```\n"}),
			section(notes.Security, notes.Entry{Text: "Tokens are checked", Changes: []string{"c3"}}),
			section(notes.Feature, notes.Entry{Text: "Widgets can be listed", Changes: []string{"c1"}, Details: []string{"by name"}}),
		},
		LeftOut: []notes.LeftOut{{Change: "c6", Reason: "nobody counts"}},
	}
}

func section(kind notes.SectionKind, entries ...notes.Entry) notes.Section {
	for i := range entries {
		if entries[i].Source == "" {
			entries[i].Source = notes.FromModel
		}
	}
	return notes.Section{Kind: kind, Entries: entries}
}

// TestRules changes the good draft in one way and names the finding that this
// must make, with the place it stands in.
func TestRules(t *testing.T) {
	setText := func(text string) func(*notes.Draft) {
		return func(d *notes.Draft) { d.Sections[2].Entries[0].Text = text }
	}
	cite := func(ids ...string) func(*notes.Draft) {
		return func(d *notes.Draft) { d.Sections[2].Entries[0].Changes = ids }
	}
	for _, tc := range []struct {
		name   string
		change func(d *notes.Draft)
		want   []string // "code section/entry ids"
	}{
		{"good", func(*notes.Draft) {}, nil},
		{"cites a hidden change", cite("c1", "c5"), nil},
		{"unknown id", cite("c1", "c9"), []string{"unknown-change feature/0 [c9]"}},
		{"cites nothing", cite(), []string{"uncited feature/0 []", "missing /-1 [c1]"}},
		{"summary cites nothing", func(d *notes.Draft) { d.Summary.Changes = nil }, []string{"uncited /-1 []"}},
		{"summary cites unknown", func(d *notes.Draft) { d.Summary.Changes = []string{"x"} }, []string{"unknown-change /-1 [x]"}},
		{"summary cites reverted", func(d *notes.Draft) { d.Summary.Changes = []string{"c4"} }, []string{"reverted /-1 [c4]"}},
		{"summary unsafe", func(d *notes.Draft) { d.Summary.Text = "See https://x.example" }, []string{"unsafe /-1 []"}},
		{"announces a reverted change", cite("c1", "c4"), []string{"reverted feature/0 [c4]"}},
		{"same id twice in an entry", cite("c1", "c1"), []string{"duplicate feature/0 [c1 c1]"}},
		{"same id in two entries", cite("c1", "c3"), []string{"duplicate feature/0 [c3]"}},
		{"told and left out", cite("c1", "c6"), []string{"duplicate feature/0 [c6]"}},
		{"says the same", func(d *notes.Draft) {
			d.LeftOut = nil
			d.Sections = append(d.Sections, section(notes.Fix, notes.Entry{Text: "widgets can be listed!", Changes: []string{"c6"}}))
		}, []string{"duplicate fix/0 [c6]"}},
		{"leaves a change out silently", func(d *notes.Draft) { d.LeftOut = nil }, []string{"missing /-1 [c6]"}},
		{"leaves out without a reason", func(d *notes.Draft) { d.LeftOut[0].Reason = "" }, []string{"missing /-1 [c6]"}},
		{"leaves out an unknown id", func(d *notes.Draft) { d.LeftOut = append(d.LeftOut, notes.LeftOut{Change: "c9", Reason: "r"}) }, []string{"unknown-change /-1 [c9]"}},
		{"leaves a breaking change out", func(d *notes.Draft) {
			d.Sections = d.Sections[1:]
			d.LeftOut = append(d.LeftOut, notes.LeftOut{Change: "c2", Reason: "small"})
		}, []string{"missing-breaking /-1 [c2]"}},
		{"breaking change elsewhere", func(d *notes.Draft) { d.Sections[0].Kind = notes.Fix }, []string{"missing-breaking fix/0 [c2]"}},
		{"breaking section without", func(d *notes.Draft) { d.Sections[2].Kind = notes.Breaking }, []string{"wrong-section breaking/0 [c1]"}},
		{"security section without", func(d *notes.Draft) { d.Sections[2].Kind = notes.Security }, []string{"wrong-section security/0 [c1]"}},
		{"unknown section", func(d *notes.Draft) { d.Sections[2].Kind = "novelties" }, []string{"wrong-section novelties/0 [c1]"}},
		{"html", setText("Show <b>all</b>"), []string{"unsafe feature/0 [c1]"}},
		{"comment", setText("Show <!-- all"), []string{"unsafe feature/0 [c1]"}},
		{"link", setText("Show [all](x)"), []string{"unsafe feature/0 [c1]"}},
		{"image", setText("Show ![all](x)"), []string{"unsafe feature/0 [c1]"}},
		{"address", setText("See www.example.com"), []string{"unsafe feature/0 [c1]"}},
		{"mention", setText("Thanks to @ann"), []string{"unsafe feature/0 [c1]"}},
		{"closing keyword", setText("List widgets, fixes #12"), []string{"unsafe feature/0 [c1]"}},
		{"control character", setText("List \x1b[31mwidgets"), []string{"unsafe feature/0 [c1]"}},
		{"bidirectional override", setText("List \u202ewidgets"), []string{"unsafe feature/0 [c1]"}},
		{"two lines", setText("List\nwidgets"), []string{"unsafe feature/0 [c1]"}},
		{"heading", setText("# List"), []string{"unsafe feature/0 [c1]"}},
		{"unsafe detail", func(d *notes.Draft) { d.Sections[2].Entries[0].Details[0] = "@ann" }, []string{"unsafe feature/0 [c1]"}},
		{"unsafe migration", func(d *notes.Draft) { d.Sections[0].Entries[0].Migration = "See https://x.example" }, []string{"unsafe breaking/0 [c2]"}},
		{"text from the history is quoted, not judged", func(d *notes.Draft) {
			d.Sections[2].Entries[0] = notes.Entry{Text: "<b> @ann https://x.example", Changes: []string{"c1"}, Source: notes.FromHistory}
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := good()
			tc.change(&d)
			var got []string
			for _, f := range Check(d, manifest(), nil).Findings {
				got = append(got, fmt.Sprintf("%s %s/%d %v", f.Code, f.Section, f.Entry, f.Changes))
				if f.Expected == "" {
					t.Errorf("%s does not say what to do", f.Code)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOrdinaryText holds that text as people write it is no false alarm.
func TestOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"Map<String, T> no longer leaks", "a < b and c > d", "The parser of #12 is back", "`@acme/router` and `<picture>` are shown",
		"Use `[a](b)` literally", "x@y is no mention", "Fixed the crash on exit", "R&D * 2", "5 of 7 #tags", "Resolve symlinks in #include lines",
		"``a ` b`` is a code span", "snake_case and __init__.py stay",
	} {
		if findings := unsafeText(text); findings != nil {
			t.Errorf("%q: %+v", text, findings)
		}
	}
}

func TestCounts(t *testing.T) {
	d := good()
	d.Sections[2].Entries[0].Changes = []string{"c9"}
	got := Check(d, manifest(), nil)
	got.Findings = nil
	want := notes.Verification{Entries: 3, Cited: 2, Visible: 4, Covered: 3, Breaking: 1, BreakingCovered: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// TestRepair holds, over random drafts, that a repaired draft has no findings,
// that what was without findings stays, and that every visible change is told.
func TestRepair(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	m := manifest()
	for range 5000 {
		d := randomDraft(rnd)
		repaired, taken := Repair(d, notes.Offline(m), m, nil)
		v := Check(repaired, m, nil)
		if len(v.Findings) > 0 || v.Covered != v.Visible {
			t.Fatalf("repaired draft of\n%+v\nis\n%+v\nwith %+v", d, repaired, v)
		}
		if findings := Check(d, m, nil).Findings; len(findings) == 0 && taken > 0 {
			t.Fatalf("%d entries of a good draft were replaced:\n%+v", taken, d)
		}
	}
}

func randomDraft(rnd *rand.Rand) notes.Draft {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	id := func() string { return pick("c1", "c2", "c3", "c4", "c5", "c6", "c9", "") }
	var d notes.Draft
	if rnd.IntN(2) == 0 {
		d.Summary = notes.Summary{Text: pick("ok", "@ann", ""), Changes: []string{id()}}
	}
	for range rnd.IntN(6) {
		kind := notes.SectionKind(pick("breaking", "security", "feature", "fix", "odd"))
		e := notes.Entry{Text: pick("one", "two", "three", "four", "five", "<b>")}
		for range rnd.IntN(3) {
			e.Changes = append(e.Changes, id())
		}
		d.Sections = append(d.Sections, section(kind, e))
	}
	for range rnd.IntN(3) {
		d.LeftOut = append(d.LeftOut, notes.LeftOut{Change: id(), Reason: pick("", "reason")})
	}
	return d
}

func TestRepairKeepsWhatHolds(t *testing.T) {
	d := good()
	d.Sections[2].Entries[0].Text = "See www.example.com"
	repaired, taken := Repair(d, notes.Offline(manifest()), manifest(), nil)
	if taken != 1 {
		t.Errorf("took %d entries from the history, want 1", taken)
	}
	var got []string
	for _, s := range repaired.Sections {
		for _, e := range s.Entries {
			got = append(got, fmt.Sprintf("%s %s (%s)", s.Kind, e.Text, e.Source))
		}
	}
	want := []string{"breaking Old colours are gone (model)", "security Tokens are checked (model)", "feature list widgets (history)"}
	if !slices.Equal(got, want) {
		t.Errorf("repaired draft is %q, want %q", got, want)
	}
}

// FuzzOffline holds that a draft from the history has no findings, whatever people
// wrote into it.
func FuzzOffline(f *testing.F) {
	f.Add("fix <b> @ann https://x.example fixes #1", "a\x00b", true)
	f.Fuzz(func(t *testing.T, title, note string, breaking bool) {
		m := changes.Manifest{Changes: []changes.Change{
			{ID: "c1", Kind: changes.Fix, Title: title, Breaking: breaking, BreakingNote: note},
			{ID: "c2", Kind: changes.Fix, Title: title, Scope: note},
		}}
		if findings := Check(notes.Offline(m), m, nil).Findings; len(findings) > 0 {
			t.Errorf("findings: %+v", findings)
		}
	})
}
