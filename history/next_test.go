package history

import "testing"

func TestNextVersion(t *testing.T) {
	for _, tc := range []struct {
		previous, prefix string
		raise            Raise
		want             string
	}{
		{"v1.2.3", "", RaiseNothing, "v1.2.3"},
		{"v1.2.3", "", RaisePatch, "v1.2.4"},
		{"v1.2.3", "", RaiseMinor, "v1.3.0"},
		{"v1.2.3", "", RaiseMajor, "v2.0.0"},
		{"1.9.9", "", RaisePatch, "1.9.10"},
		{"v0.2.3", "", RaiseMajor, "v0.3.0"},
		{"v0.2.3", "", RaiseMinor, "v0.3.0"},
		{"v0.2.3", "", RaisePatch, "v0.2.4"},
		{"api/v1.1.0", "api/", RaiseMinor, "api/v1.2.0"},
		{"packages-0.2.1", "", RaisePatch, "packages-0.2.2"},
		{"@acme/web@1.1.0", "", RaiseMajor, "@acme/web@2.0.0"},
		{"v1.2", "", RaisePatch, "v1.2.1"},
		{"v1.2.3+build.5", "", RaisePatch, "v1.2.4"},
		{"v2.0.0-rc.1", "", RaisePatch, "v2.0.0-rc.2"},
		{"v2.0.0-rc.9", "", RaiseMajor, "v2.0.0-rc.10"},
		{"v1.1.0-rc.1", "", RaiseMinor, "v1.1.0-rc.2"},
		{"v1.1.0-rc.3", "", RaiseMajor, "v2.0.0-rc.1"},
		{"v1.1.1-beta2", "", RaiseMinor, "v1.2.0-beta1"},
		{"v0.2.0-rc.1", "", RaiseMajor, "v0.2.0-rc.2"},
		{"v1.0.0-alpha", "", RaisePatch, "v1.0.0-alpha.1"},
		{"8.1.0.beta1", "", RaisePatch, "8.1.0.beta2"},
		{"", "", RaiseMinor, "v0.1.0"},
		{"", "api/", RaiseMinor, "api/v0.1.0"},
		{"", "api/v", RaiseMinor, "api/v0.1.0"},
		{"v255", "", RaisePatch, "v256"},
		{"nightly", "", RaiseMinor, "nightly"},
		{"v1.2", "", RaiseMinor, "v1.3"},
		{"v1.2", "", RaiseMajor, "v2.0"},
		{"v0", "", RaisePatch, "v1"},
		{"1.2.3.10", "", RaiseMinor, "1.3.0.0"},
		{"v1_2_4", "", RaiseMinor, "v1_3_0"},
		{"REL_9_6_2", "", RaisePatch, "REL_9_6_3"},
		{"curl-7_88_1", "", RaiseMinor, "curl-7_89_0"},
		{"1-2-4", "", RaiseMinor, "1-3-0"},
		{"v01.02.04", "", RaiseMinor, "v01.03.00"},
		{"1.08", "", RaiseMinor, "1.09"},
		{"v1.2.3-1", "", RaiseMinor, "v1.3.0-1"},
		{"v1.2.3-1", "", RaisePatch, "v1.2.3-2"},
		{"1.0.1.Final", "", RaiseMinor, "1.1.0.Final"},
		{"jetty-9.4.2.v20170220", "", RaisePatch, "jetty-9.4.3"},
		{"r100", "", RaisePatch, "r101"},
		{"2024.02.10", "", RaiseMinor, ""},
		{"release-2024-02-01", "", RaiseMinor, ""},
		{"nightly-20240105", "", RaisePatch, ""},
	} {
		if got := NextVersion(tc.previous, tc.prefix, tc.raise); got != tc.want {
			t.Errorf("NextVersion(%q, %q, %d) = %q, want %q", tc.previous, tc.prefix, tc.raise, got, tc.want)
		}
	}
}
