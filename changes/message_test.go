package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMessage(t *testing.T) {
	tests := []struct {
		name, text string
		want       message
	}{
		{"subject alone", "fix: x\n", message{subject: "fix: x"}},
		{"subject over two lines, CRLF", "fix: x\r\n  and y\r\n\r\nBody.\r\n", message{subject: "fix: x and y", body: "Body."}},
		{"trailers", "fix: x\n\nBody.\n\nRefs: #1\nReviewed-by: Z\n more\n",
			message{subject: "fix: x", body: "Body.", trailers: []trailer{{"Refs", "#1"}, {"Reviewed-by", "Z more"}}}},
		{"prose is no trailer", "fix: x\n\nNote: this\nis prose\n", message{subject: "fix: x", body: "Note: this\nis prose"}},
		{"title is no trailer", "Refs: #1\n", message{subject: "Refs: #1"}},
		{"yaml block", "chore: bump\n\n---\nupdated-dependencies:\n- dependency-name: \"foo\"\n...\n\nSigned-off-by: bot <b@x>\n",
			message{subject: "chore: bump", body: "---\nupdated-dependencies:\n- dependency-name: \"foo\"\n...", trailers: []trailer{{"Signed-off-by", "bot <b@x>"}}}},
		{"scissors", "feat: scissors\n\nBody.\n# Please enter the commit message\n# ------------------------ >8 ------------------------\nBREAKING CHANGE: not real\n",
			message{subject: "feat: scissors", body: "Body."}},
		{"several lines and a fence", "feat: a\n\nBREAKING CHANGE: use children.\nSecond.\n\n```diff\n- x\n# y\nFoo: bar\n```\n",
			message{subject: "feat: a", breaks: true, notes: []string{"use children.\nSecond.\n\n```diff\n- x\n# y\nFoo: bar\n```"}}},
		{"heading ends the note", "feat!: s\n\nBREAKING CHANGE: effect replaces hidden.\n\n## Related issues\n\n<!-- session 123 -->\nFixes #1476.\nSigned-off-by: A <a@x>\n",
			message{subject: "feat!: s", body: "## Related issues\n\n<!-- session 123 -->\nFixes #1476.", trailers: []trailer{{"Signed-off-by", "A <a@x>"}}, breaks: true, notes: []string{"effect replaces hidden."}}},
		{"squash bullets", "fix: some fix (#1234)\n\n* fix: breaking change\n\nBREAKING CHANGE: my comment\n\n* fix: this breaks the footer parser\n",
			message{subject: "fix: some fix (#1234)", body: "* fix: breaking change\n\n* fix: this breaks the footer parser", breaks: true, notes: []string{"my comment"}}},
		{"text on the next line", "feat: a\n\nBREAKING CHANGE:\n\n- one\n- two\n\nRefs: #2\n",
			message{subject: "feat: a", trailers: []trailer{{"Refs", "#2"}}, breaks: true, notes: []string{"- one\n- two"}}},
		{"two footers and another", "feat: a\n\nBREAKING-CHANGE: one\nBREAKING CHANGE: two\nReviewed-by: Z\n",
			message{subject: "feat: a", trailers: []trailer{{"Reviewed-by", "Z"}}, breaks: true, notes: []string{"one", "two"}}},
		{"prose is no break", "feat: s\n\nBREAKING CHANGE was discussed.\n- see BREAKING CHANGE: in the spec\n  breaking-change footers\n",
			message{subject: "feat: s", body: "BREAKING CHANGE was discussed.\n- see BREAKING CHANGE: in the spec\n  breaking-change footers"}},
		{"template", "feat: s\n\nBREAKING CHANGE: none\n\n<!--\nBREAKING CHANGE: describe\n-->\n", message{subject: "feat: s", body: "<!--\nBREAKING CHANGE: describe\n-->"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parseMessage(test.text), cmp.AllowUnexported(message{}, trailer{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseHeader(t *testing.T) {
	tests := []struct {
		subject string
		want    header
	}{
		{"feat: a", header{typ: "feat", title: "a"}},
		{"fix(@acme/web-ui): a", header{typ: "fix", scope: "@acme/web-ui", title: "a"}},
		{"feat(api, web): b", header{typ: "feat", scope: "api, web", title: "b"}},
		{"k8s: d", header{typ: "k8s", scope: "k8s", title: "d"}},
		{"Feat: e", header{typ: "feat", title: "e"}},
		{"✨ feat: g", header{emoji: "✨", typ: "feat", title: "g"}},
		{":bug: fix(core): h", header{emoji: ":bug:", typ: "fix", scope: "core", title: "h"}},
		{"feat(deps-dev)!: i", header{typ: "feat", scope: "deps-dev", breaking: true, title: "i"}},
		{"FIX : j", header{typ: "fix", title: "j"}},
		{"fix:k", header{typ: "fix", title: "k"}},
		{"https://example.com: x", header{title: "https://example.com: x"}},
		{"Merge branch 'a: b'", header{title: "Merge branch 'a: b'"}},
		{"♻️ Add x", header{emoji: "♻️", title: "♻️ Add x"}},
		{"feat:", header{title: "feat:"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, parseHeader(test.subject), cmp.AllowUnexported(header{})); diff != "" {
			t.Errorf("%q -want +got:\n%s", test.subject, diff)
		}
	}
}
