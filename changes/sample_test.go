package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// digest puts one message's change into a line.
func sampleDigest(messages ...string) string {
	var commits []Commit
	for i, m := range messages {
		c := Commit{Hash: fmt.Sprintf("%040x", i+1), Author: Person{Name: "Ann Author", Email: "ann@example.com"}, Message: m}
		if i > 0 {
			c.Parents = []string{fmt.Sprintf("%040x", i)}
		}
		commits = append([]Commit{c}, commits...)
	}
	var lines []string
	for _, c := range Collect(Release{}, commits, nil).Visible() {
		line := fmt.Sprintf("%s(%s) %s", c.Kind, c.Scope, c.Title)
		if c.PullRequest != 0 {
			line += fmt.Sprintf(" #%d", c.PullRequest)
		}
		if c.Breaking {
			line += fmt.Sprintf(" breaking %q", c.BreakingNote)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestSamples(t *testing.T) {
	for _, tc := range []struct{ name, message, want string }{
		{"slash scope", "fix(@acme/web-ui): a", "fix(@acme/web-ui) a"},
		{"scopes", "feat(api, web): b", "feature(api, web) b"},
		{"capital", "Feat: e", "feature() e"},
		{"emoji", "✨ feat: g", "feature() g"},
		{"gitmoji", ":bug: fix(core): h", "fix(core) h"},
		{"bang", "feat(deps-dev)!: i", `feature(deps-dev) i breaking ""`},
		{"space", "FIX : j", "fix() j"},
		{"unknown type", "k8s: d", "other(k8s) d"},
		{"squash", "fix: some fix (#12)", "fix() some fix #12"},
		{"prose", "feat: something\n\nBREAKING CHANGE was discussed but this commit contains none.", "feature() something"},
		{"wrapped prose", "docs: x\n\n- collapse\n  breaking-change footers\n- see BREAKING CHANGE: in the spec", "documentation() x"},
		{"note ends at footer", "feat!: x\n\nBREAKING CHANGE: effect replaces hidden.\n\n## Related issues\n\n<!-- 123 -->\nFixes #1476.\nSigned-off-by: Ann Author <ann@example.com>", `feature() x breaking "effect replaces hidden."`},
		{"note keeps code", "feat: x\n\nBREAKING CHANGE: use it.\n\n```diff\n-a: b\n+c\n```", "feature() x breaking \"use it.\\n\\n```diff\\n-a: b\\n+c\\n```\""},
		{"hyphen form", "feat: x\n\nBREAKING-CHANGE: y", `feature() x breaking "y"`},
		{"scissors", "feat: scissors\n\nBody.\n# Please enter\n# ------------------------ >8 ------------------------\nBREAKING CHANGE: not real", "feature() scissors"},
		{"plain verb", "Add dark mode", "feature() Add dark mode"},
		{"plain fix", "Fixed crash on exit", "fix() Fixed crash on exit"},
		{"dependency", "chore(deps): upgrade prose-reader to 1.352.0", "dependency(deps) upgrade prose-reader to 1.352.0"},
		{"release commit", "chore(release): 1.0.0", ""},
		{"release commit, plain", "Release v1.1.0", ""},
		{"no release commit", "Release memory on close", "other() Release memory on close"},
		{"internal", "ci: cache", ""},
		{"security", "fix: CVE-2024-12345 in the parser", "security() CVE-2024-12345 in the parser"},
		{"revert of something earlier", "Revert \"feat: old\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.", `revert() Revert "feat: old"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, sampleDigest(tc.message)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRevertsCancelOut(t *testing.T) {
	first := fmt.Sprintf("%040x", 1)
	second := fmt.Sprintf("%040x", 2)
	for name, messages := range map[string][]string{
		"git":          {"feat: x", "Revert \"feat: x\"\n\nThis reverts commit " + first + "."},
		"GitHub":       {"feat: x (#12)", "Revert \"feat: x (#12)\" (#13)\n\nReverts acme/widget#12"},
		"GitLab":       {"feat: x", "Revert \"feat: x\"\n\nThis reverts commit " + first},
		"conventional": {"feat: x", "revert: feat: x\n\nThis reverts commit " + first[:8] + "."},
		"refs":         {"feat: x", "revert: never again\n\nRefs: " + first},
	} {
		if got := sampleDigest(messages...); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	again := []string{"feat: x", "Revert \"feat: x\"\n\nThis reverts commit " + first + ".", "Reapply \"feat: x\"\n\nThis reverts commit " + second + "."}
	if got := sampleDigest(again...); got != "feature() x" {
		t.Errorf("a revert of a revert leaves %q", got)
	}
}

func TestSampleRemotes(t *testing.T) {
	for _, tc := range []struct{ remote, want string }{
		{"ssh://git@github.com:22/acme/my.repo-x.git", "https://github.com/acme/my.repo-x/compare/v1.0.0...v1.1.0"},
		{"git@gitlab.example.com:group/sub/proj.git", "https://gitlab.example.com/group/sub/proj/-/compare/v1.0.0...v1.1.0"},
		{"https://bitbucket.org/acme/w.git", "https://bitbucket.org/acme/w/branches/compare/v1.1.0%0Dv1.0.0"},
		{"https://acme@dev.azure.com/acme/Proj/_git/w", "https://dev.azure.com/acme/Proj/_git/w/branchCompare?baseVersion=GTv1.0.0&targetVersion=GTv1.1.0"},
		{"https://user:s3cret@codeberg.org/acme/w", "https://codeberg.org/acme/w/compare/v1.0.0...v1.1.0"},
		{"/srv/git/w.git", ""}, {"", ""}, {"C:\\repos\\w", ""},
	} {
		if got := ParseRemote(tc.remote).CompareURL("v1.0.0", "v1.1.0"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.remote, got, tc.want)
		}
	}
	if got := ParseRemote("https://github.com/acme/widget.git").CompareURL("@acme/web@1.0.0", "x"); got != "https://github.com/acme/widget/compare/%40acme%2Fweb%401.0.0...x" {
		t.Errorf("tag is not encoded: %s", got)
	}
}
