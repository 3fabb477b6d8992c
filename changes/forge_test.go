package changes

import (
	"net/url"
	"strings"
	"testing"
)

func TestParseRemote(t *testing.T) {
	tests := []struct {
		remote string
		kind   ForgeKind
		url    string
		owner  string
	}{
		{"ssh://git@github.com:22/acme/my.repo-x.git", GitHub, "https://github.com/acme/my.repo-x", "acme"},
		{"git@github.com:acme/widget.git", GitHub, "https://github.com/acme/widget", "acme"},
		{"git@github.com:/acme/widget/", GitHub, "https://github.com/acme/widget", "acme"},
		{"github.com:acme/widget", GitHub, "https://github.com/acme/widget", "acme"},
		{"ssh://git@ssh.github.com:443/acme/widget.git", GitHub, "https://github.com/acme/widget", "acme"},
		{"git://github.com/acme/widget.git", GitHub, "https://github.com/acme/widget", "acme"},
		{"git+ssh://git@github.com/acme/widget", GitHub, "https://github.com/acme/widget", "acme"},
		{"https://x-access-token:s3cret@GitHub.com/acme/widget.git/", GitHub, "https://github.com/acme/widget", "acme"},
		{"https://github.acme.example/acme/widget.git", GitHub, "https://github.acme.example/acme/widget", "acme"},
		{"http://git.acme.example:8080/acme/widget", GitHub, "http://git.acme.example:8080/acme/widget", "acme"},
		{"git@gitlab.example.com:group/sub/proj.git", GitLab, "https://gitlab.example.com/group/sub/proj", "group/sub"},
		{"ssh://git@git.acme.example:2222/group/sub/proj.git", GitLab, "https://git.acme.example/group/sub/proj", "group/sub"},
		{"https://bitbucket.org/acme/w.git", Bitbucket, "https://bitbucket.org/acme/w", "acme"},
		{"https://git.acme.example/scm/PRJ/w.git", Bitbucket, "https://git.acme.example/projects/PRJ/repos/w", "PRJ"},
		{"ssh://git@bitbucket.acme.example:7999/prj/w.git", Bitbucket, "https://bitbucket.acme.example/projects/prj/repos/w", "prj"},
		{"https://acme@dev.azure.com/acme/Proj/_git/w", AzureDevOps, "https://dev.azure.com/acme/Proj/_git/w", "acme/Proj"},
		{"git@ssh.dev.azure.com:v3/acme/My%20Proj/w", AzureDevOps, "https://dev.azure.com/acme/My%20Proj/_git/w", "acme/My Proj"},
		{"https://acme.visualstudio.com/DefaultCollection/Proj/_git/w", AzureDevOps, "https://dev.azure.com/acme/Proj/_git/w", "acme/Proj"},
		{"https://tfs.acme.example/tfs/DefaultCollection/Proj/_git/w", AzureDevOps, "https://tfs.acme.example/tfs/DefaultCollection/Proj/_git/w", "tfs/DefaultCollection/Proj"},
		{"https://gitee.com/acme/w.git", Gitea, "https://gitee.com/acme/w", "acme"},
		{"https://git-codecommit.us-east-1.amazonaws.com/v1/repos/w", "", "", ""},
		{"https://git.kernel.org/pub/scm/git/git.git", "", "", ""},
		{"https://go.googlesource.com/tools/gopls", "", "", ""},
		{"https://user:s3cret@codeberg.org/acme/w", Gitea, "https://codeberg.org/acme/w", "acme"},
		{"/srv/git/widget.git", "", "", ""},
		{"../widget", "", "", ""},
		{`C:\git\widget`, "", "", ""},
		{"C:/git/widget", "", "", ""},
		{"file:///srv/git/widget.git", "", "", ""},
		{"javascript://github.com/acme/widget", "", "", ""},
		{"https://github.com/acme", "", "", ""},
		{"https://github.com/../widget", "", "", ""},
		{"https://github.com/acme/wid)get", GitHub, "https://github.com/acme/wid%29get", "acme"},
		{"", "", "", ""},
	}
	for _, test := range tests {
		got := ParseRemote(test.remote)
		if got.Kind != test.kind || got.URL != test.url || got.Owner != test.owner {
			t.Errorf("%s: got %+v, want %s %s %s", test.remote, got, test.kind, test.url, test.owner)
		}
	}
}

func TestLinks(t *testing.T) {
	tests := []struct{ remote, compare, commit, request string }{
		{"https://github.com/acme/w", "/compare/%40acme%2Fweb%401.0.0...v1.1.0", "/commit/abc", "/pull/7"},
		{"https://gitlab.com/acme/w", "/-/compare/%40acme%2Fweb%401.0.0...v1.1.0", "/-/commit/abc", "/-/merge_requests/7"},
		{"https://codeberg.org/acme/w", "/compare/%40acme%2Fweb%401.0.0...v1.1.0", "/commit/abc", "/pulls/7"},
		{"https://bitbucket.org/acme/w", "/branches/compare/v1.1.0%0D%40acme%2Fweb%401.0.0", "/commits/abc", "/pull-requests/7"},
		{"https://dev.azure.com/acme/p/_git/w", "/branchCompare?baseVersion=GT%40acme%2Fweb%401.0.0&targetVersion=GTv1.1.0", "/commit/abc", "/pullrequest/7"},
	}
	for _, test := range tests {
		f := ParseRemote(test.remote)
		got := []string{f.CompareURL("@acme/web@1.0.0", "v1.1.0"), f.CommitURL("abc"), f.PullRequestURL(7)}
		for i, want := range []string{test.compare, test.commit, test.request} {
			if got[i] != test.remote+want {
				t.Errorf("got %s, want %s%s", got[i], test.remote, want)
			}
		}
	}
	if zero := (Forge{}); zero.CompareURL("a", "b")+zero.CommitURL("a")+zero.PullRequestURL(1) != "" {
		t.Error("links without a website")
	}
}

func FuzzParseRemote(f *testing.F) {
	for _, remote := range []string{"git@github.com:acme/widget.git", "ssh://git@[::1]:22/a/b", "https://u:s3cret@codeberg.org/a/b", "https://acme.visualstudio.com/_git/w", "a:b:c/d"} {
		f.Add(remote)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		forge := ParseRemote(remote)
		link := forge.CommitURL("abc")
		if forge.URL == "" && link != "" {
			t.Errorf("%q: link %q without a website", remote, link)
		}
		u, err := url.Parse(forge.URL)
		if err != nil || forge.URL != "" && (u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http") {
			t.Errorf("%q: %q is no plain website", remote, forge.URL)
		}
		if strings.ContainsAny(forge.URL, " \"<>()\n\r") {
			t.Errorf("%q: %q is not safe to print", remote, forge.URL)
		}
	})
}
