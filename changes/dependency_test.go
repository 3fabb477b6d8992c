package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDependencies(t *testing.T) {
	m := Collect(Release{}, parseHistory(t, `
@renovate[bot] fix(deps): update dependency motion from 12.42.2 to 12.43.0 (#3379)
@renovate[bot] chore(deps): bump undici from 6.27.0 to 7.1.0 (#3400)
@renovate[bot] Update motion from 12.43.0 to 13.0.0 (#3422)
@renovate[bot] Bump undici from 7.1.0 to 8.10.0 (#3430)
@renovate[bot] build(deps): bump motion from 13.0.0 to 13.0.0 (#3431)
@renovate[bot] chore(deps): bump github.com/go-git/go-git/v5 from 5.9.0 to 5.10.0 in /tools (#3440)
@renovate[bot] chore(deps): bump the actions group with 3 updates (#3441)
chore(deps): update rust crate git2 to 0.21.0
chore(deps): update actions/checkout action to v5 [security]
Bump yaml.v2 version to 2.2.8
chore(deps): lock file maintenance
feat(deps): drop lerna
Bump timeout from 10 to 30
chore(deps): bump gone from 1.0.0 to 2.0.0
Revert "chore(deps): bump gone from 1.0.0 to 2.0.0"`), nil)
	var got strings.Builder
	for _, d := range m.Dependencies {
		fmt.Fprintf(&got, "%s %q %q %s\n", d.Name, d.From, d.To, strings.Join(d.Changes, " "))
	}
	want := `motion "12.42.2" "13.0.0" c1 c3 c5
undici "6.27.0" "8.10.0" c2 c4
github.com/go-git/go-git/v5 "5.9.0" "5.10.0" c6
git2 "" "0.21.0" c8
actions/checkout "" "v5" c9
yaml.v2 "" "2.2.8" c10
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	kinds := ""
	for _, c := range m.Changes[6:13] {
		kinds += string(c.Kind) + " "
	}
	if want := "dependency dependency dependency dependency dependency removal other "; kinds != want {
		t.Errorf("kinds %s, want %s", kinds, want)
	}
}

func TestBotBodies(t *testing.T) {
	body := `| Bumps release-please from 16.13.0 to 16.14.0.
| ### BREAKING CHANGES
| * drop node 16
|
| feat!: remove everything
|
| BREAKING CHANGE: upstream only
|
| ---
| updated-dependencies:
|   dependency-version: 2.0.0
| ...
|
| Signed-off-by: dependabot[bot] <support@github.com>`
	m := Collect(Release{}, parseHistory(t, "@dependabot[bot] fix: bump release-please from 16.13.0 to 16.14.0 (#1032)\n|\n"+body+
		"\nchore(deps): bump foo from 1 to 2\n|\n"+body), nil)
	for _, c := range m.Changes {
		if c.Breaking || c.Kind != DependencyUpdate || c.Hidden || len(c.Details) > 0 {
			t.Errorf("got %+v", c)
		}
		if want := []Trailer{{"Signed-off-by", "dependabot[bot]"}}; !cmp.Equal(want, c.Trailers) {
			t.Errorf("trailers %v, want %v", c.Trailers, want)
		}
		if !strings.Contains(c.Body, "dependency-version: 2.0.0") {
			t.Errorf("the body is cut: %q", c.Body)
		}
	}
	if got := Bump(m.Changes); got != Patch {
		t.Errorf("raises %d", got)
	}
}
