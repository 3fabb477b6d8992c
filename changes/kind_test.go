package changes

import (
	"iter"
	"testing"
)

func TestKinds(t *testing.T) {
	tests := []struct {
		subject string
		want    Kind
	}{
		{"Add dark mode", Feature},
		{"", Other},
		{"Fixed crash on exit", Fix},
		{"doc: typo", Documentation},
		{"deps: x", DependencyUpdate},
		{"ci: cache", Internal},
		{"chore(deps): upgrade prose-reader to 1.352.0", DependencyUpdate},
		{"net/http: fix a leak", Fix},
		{"daemon: add a flag", Feature},
		{"[api] Deprecate v1", Deprecation},
		{"Drop Python 2", Removal},
		{"Remove unused imports", Internal},
		{"feat: deprecate the old flag", Deprecation},
		{"chore: deprecate the old flag", Deprecation},
		{"feat!: drop node 16", Removal},
		{"fix: remove a stray comma", Fix},
		{"Add tests for the parser", Internal},
		{"Fix flaky test", Internal},
		{"Update README.md", Documentation},
		{"Speed up parsing", Performance},
		{"Improve performance of x", Performance},
		{"Update dependencies", DependencyUpdate},
		{"fix: bound x (CVE-2024-12345)", Security},
		{"Fix CVE-2026-5222 and CVE-2026-5223", Security},
		{"fix(security): x", Security},
		{"fix: a vulnerability in x", Security},
		{"Fix GHSA-abcd-1234-wxyz", Security},
		{"feat: scan for CVE-2024-12345", Feature},
		{"test: CVE-2024-12345", Internal},
		{"✨ Dark mode", Feature},
		{":bug: Crash", Fix},
		{"⚡️ Caching", Performance},
		{"🔒️ Tokens", Security},
		{"♻️ Parser", Internal},
		{"⬆️ Something", DependencyUpdate},
		{"k8s: d", Other},
		{"Adopt the new parser", Other},
		{"Merge sort is stable now", Other},
	}
	for _, test := range tests {
		m := Collect(Release{}, []Commit{{Hash: "a", Message: test.subject}}, nil)
		if len(m.Changes) != 1 || m.Changes[0].Kind != test.want {
			t.Errorf("%q: got %+v, want %s", test.subject, m.Changes, test.want)
		}
	}
}

func TestKindByPaths(t *testing.T) {
	tests := []struct {
		paths []string
		want  Kind
	}{
		{[]string{"docs/a.html", "README.md"}, Documentation},
		{[]string{".github/workflows/ci.yml", "x/y_test.go"}, Internal},
		{[]string{"go.mod", "go.sum", "vendor/x/y.go"}, DependencyUpdate},
		{[]string{"README.md", "main.go"}, Other},
		{[]string{"README.md", "go.sum"}, Other},
		{nil, Other},
	}
	for _, test := range tests {
		opts := &Options{Paths: func(string) iter.Seq2[string, error] { return pathsOf(test.paths) }}
		m := Collect(Release{}, []Commit{{Hash: "a", Message: "Various things"}}, opts)
		if got := m.Changes[0].Kind; got != test.want {
			t.Errorf("%v: got %s, want %s", test.paths, got, test.want)
		}
	}
	opts := &Options{Paths: func(string) iter.Seq2[string, error] {
		t.Error("asked for the paths of a clear message")
		return pathsOf(nil)
	}}
	Collect(Release{}, []Commit{{Hash: "a", Message: "fix: x"}}, opts)
}

func pathsOf(paths []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, p := range paths {
			if !yield(p, nil) {
				return
			}
		}
	}
}
