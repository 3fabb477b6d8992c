package history

import (
	"slices"
	"testing"
)

func TestParseTag(t *testing.T) {
	for _, tc := range []struct{ tag, family, v, pre string }{
		{"v1.2.3", "", "v", ""},
		{"1.2.3", "", "", ""},
		{"api/v1.1.0", "api/", "v", ""},
		{"packages-0.2.1", "packages-", "", ""},
		{"ui-kit2_4.10.0", "ui-kit2_", "", ""},
		{"@acme/web@1.1.0", "@acme/web@", "", ""},
		{"Proj1-1.0.0", "Proj1-", "", ""},
		{"release-v2.0.0-rc.1", "release-", "v", "-rc.1"},
		{"release-2.0/v2.0.1", "release-2.0/", "v", ""},
		{"go1.22rc1", "go", "", "-rc.1"},
		{"log4j-1.2-api-2.17.0", "log4j-1.2-api-", "", ""},
		{"v8.1.0.beta1", "", "v", "-beta.1"},
		{"v1.0.0rc10", "", "v", "-rc.10"},
		{"1.0a2", "", "", "-alpha.2"},
		{"5.3.0.Final", "", "", ""},
		{"1.2.3+build.7", "", "", ""},
		{"2024.01.05", "", "", ""},
		{"2024-01-05", "", "", ""},
		{"curl-7_88_1", "curl-", "", ""},
		{"v255", "", "v", ""},
		{"v255-rc2", "", "v", "-rc.2"},
		{"nightly-20240105", "nightly-", "", ""},
	} {
		got, ok := parseTag(tc.tag)
		if !ok || got.family != tc.family || got.v != tc.v || got.version.pre != tc.pre {
			t.Errorf("parseTag(%q) = %+v, %v; want %+v", tc.tag, got, ok, tc)
		}
	}
	for _, tag := range []string{"", "latest", "nightly", "utf8", "v", "v1.0.0/x", "1.2.3 beta", "1.2.3é"} {
		if got, ok := parseTag(tag); ok {
			t.Errorf("parseTag(%q) = %+v, want none", tag, got)
		}
	}
}

func TestVersionOrder(t *testing.T) {
	ordered := []string{
		"v0.9", "v1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-beta.2", "v1.0.0.beta11", "v1.0.0-rc.9", "v1.0.0rc10", "v1.0.0",
		"v1.0.0.post1", "v1.0.0.1", "v1.2", "v1.02.1", "v1.2.3.4", "v1.10.0", "v2", "v2024.01.05", "v2024.1.10", "v20240105123456789012345.0",
	}
	shuffled := slices.Clone(ordered)
	slices.Reverse(shuffled)
	slices.SortStableFunc(shuffled, func(a, b string) int {
		x, okX := parseTag(a)
		y, okY := parseTag(b)
		if !okX || !okY {
			t.Fatalf("%q or %q is no version", a, b)
		}
		return x.version.compare(y.version)
	})
	if !slices.Equal(shuffled, ordered) {
		t.Errorf("order %q, want %q", shuffled, ordered)
	}
}

func FuzzParseTag(f *testing.F) {
	for _, seed := range []string{"v1.2.3", "a/v1.0.0-rc.1+b", "2024-01-05", "v00.00", "1_2", "x@1.2.3.4.5.6.7"} {
		f.Add(seed, "v1.0.0")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := parseTag(a)
		y, okY := parseTag(b)
		if okX && len(x.family)+len(x.v) >= len(a) {
			t.Errorf("parseTag(%q): no room for a version behind %q", a, x.family)
		}
		if okX && okY && x.version.compare(y.version) != -y.version.compare(x.version) {
			t.Errorf("%q and %q compare differently from both sides", a, b)
		}
	})
}
