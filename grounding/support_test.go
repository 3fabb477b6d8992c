package grounding

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// bornOut is a manifest with a change that says a good deal, and its diff.
func bornOut() (changes.Manifest, Evidence) {
	m := changes.Manifest{
		Release: changes.Release{Name: "v2.0.0", PreviousTag: "v1.9.3"},
		Changes: []changes.Change{
			{ID: "c1", Kind: changes.Feature, Title: "list widgets with --sort and `widget list`", Body: "Reads WIDGET_HOME, up to 1,000 widgets, 30% faster; fixes CVE-2024-12345.", PullRequest: 12, References: []changes.Reference{{Number: 34}}},
			{ID: "c2", Kind: changes.Fix, Title: "raise the limit"},
			{ID: "c4", Kind: changes.Fix, Title: "修复parseQuery错误，速度提高2.5倍"},
			{ID: "c3", Kind: changes.DependencyUpdate, Title: "update"},
		},
		Dependencies: []changes.Dependency{{Name: "left-pad", From: "1.2.0", To: "1.3.0", Changes: []string{"c3"}}},
	}
	return m, func(id string) string {
		if id == "c2" {
			return "pkg/limit.go\n-const maxItems = 10\n+const maxItems = 25\n func (l *Limit) setLimit(n int) {}\n+\thttp.Error(w, msg, http.StatusInternalServerError)"
		}
		return ""
	}
}

func TestUnsupported(t *testing.T) {
	for _, tc := range []struct {
		id, text string
		want     string // what is found, in its order
	}{
		{"c1", "Widgets can be listed with `widget list` and sorted with --sort", ""},
		{"c1", "Widgets are read from WIDGET_HOME, up to 1,000 of them, 30% faster than in v1.9.3 (#12, #34)", ""},
		{"c1", "Closes CVE-2024-12345 for everyone, on macOS and/or elsewhere", ""},
		{"c1", "Widgets can be sorted with --order", "unsupported --order"},
		{"c1", "Widgets can be listed with `widget show`", "unsupported `widget show`"},
		{"c1", "Up to 2,000 widgets, 45% faster", "unsupported 2,000, unsupported 45%"},
		{"c1", "Closes CVE-2024-99999", "unsupported CVE-2024-99999"},
		{"c1", "Needs Go 1.26 and reads /etc/widget.conf, setUp() and some_name", "unsupported 1.26, unsupported /etc/widget.conf, unsupported setUp(), unsupported some_name"},
		{"c1", "Sorts by camelCase in src/list.go", "unsupported camelCase, unsupported src/list.go"},
		{"c1", "It is 30 percent faster", ""},
		{"c2", "It answers 500 for what it can't read", ""},
		{"c2", "It answers 404 for what it can't read", "unsupported 404"},
		{"c1", "It is 12% faster, and 1,000 percent better", "unsupported 12%, unsupported 1,000 percent"},
		// In any language, and with its way of writing numbers.
		{"c1", "Widgets lassen sich mit --sort ordnen: bis zu 1.000 Stück, nach Größe/Menü/liste, 30 % schneller", ""},
		{"c1", "Les widgets sont lus depuis WIDGET_HOME, jusqu’à 1\u202f000, 30\u00a0% plus vite", ""},
		{"c1", "ウィジェットは`widget list`で一覧でき、WIDGET_HOMEから1000件まで読み込めます", ""},
		{"c1", "Виджеты сортируются ключом --sort, до 1000 штук и/или быстрее на 30 %", ""},
		{"c1", "Bis zu 2.000 Widgets mit --order, 4,5-mal so schnell", "unsupported 2.000, unsupported --order, unsupported 4,5"},
		{"c1", "最大2000件、/etc/widget.confとsetUpから", "unsupported 2000, unsupported /etc/widget.conf, unsupported setUp"},
		{"c4", "配置项parseQuery和2,5倍的速度", ""},
		{"c2", "Up to 25 items instead of 10 are kept in pkg/limit.go by `setLimit(n)`", ""},
		{"c2", "The limit went from 10 to 25", ""},
		{"c2", "The limit went from 10 to 30", "before-after from 10 to 30"},
		{"c2", "maxItems is 2", "unsupported 2"},
		{"c3", "left-pad goes from 1.2.0 to 1.3.0", ""},
		{"c3", "left-pad goes from 1.1.0 to 1.3.0", "before-after from 1.1.0 to 1.3.0"},
	} {
		m, evidence := bornOut()
		d := notes.Draft{Sections: []notes.Section{section(notes.Feature, notes.Entry{Text: tc.text, Changes: []string{tc.id}})}}
		var got []string
		for _, f := range Check(d, m, evidence).Findings {
			if f.Code == notes.Unsupported || f.Code == notes.BeforeAfter {
				got = append(got, string(f.Code)+" "+f.Found)
			}
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}

func TestOverlongEntry(t *testing.T) {
	m, evidence := bornOut()
	entry := notes.Entry{Text: strings.Repeat("widgets ", 60), Changes: []string{"c1"}}
	d := notes.Draft{Sections: []notes.Section{section(notes.Feature, entry)}}
	if findings := Check(d, m, evidence).Findings; len(findings) == 0 || findings[0].Code != notes.Style {
		t.Errorf("findings %+v", findings)
	}
}
