package changes

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Forge makes web links for a repository. The zero value stands for a
// repository without a known website; all its methods return "".
type Forge struct {
	Kind  ForgeKind
	URL   string // of the repository's page, without credentials and without a slash at the end
	Owner string // group path or workspace; "acme", "group/sub"
	Name  string
}

// ForgeKind is the software behind a forge, which decides the shape of links.
type ForgeKind string

const (
	GitHub      ForgeKind = "github" // github.com and GitHub Enterprise
	GitLab      ForgeKind = "gitlab"
	Gitea       ForgeKind = "gitea" // Gitea, Forgejo, Codeberg
	Bitbucket   ForgeKind = "bitbucket"
	AzureDevOps ForgeKind = "azure"
)

// ParseRemote finds the forge behind a git remote URL in any form that git
// accepts: scp-like, ssh with a port, https with credentials. A URL that leads
// to no known website (a local path, an unknown scheme) gives the zero Forge.
func ParseRemote(remote string) Forge {
	host, path := splitRemote(strings.TrimSpace(remote))
	kind := forgeOf(host)
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if kind == "" || path == "" {
		return Forge{}
	}
	if kind == AzureDevOps {
		host, path = "dev.azure.com", strings.TrimPrefix(path, "v3/")
		if !strings.Contains(path, "/_git/") {
			if parts := strings.Split(path, "/"); len(parts) == 3 {
				path = parts[0] + "/" + parts[1] + "/_git/" + parts[2]
			}
		}
	}
	slash := strings.LastIndex(path, "/")
	if slash <= 0 {
		return Forge{}
	}
	return Forge{Kind: kind, URL: "https://" + host + "/" + path, Owner: path[:slash], Name: path[slash+1:]}
}

// splitRemote takes a remote apart into its host, without user and port, and path.
func splitRemote(remote string) (host, path string) {
	if !strings.Contains(remote, "://") {
		user, rest, scp := strings.Cut(remote, ":")
		if !scp || strings.ContainsAny(user, "/\\") || len(user) == 1 {
			return "", ""
		}
		return strings.ToLower(user[strings.LastIndex(user, "@")+1:]), rest
	}
	u, err := url.Parse(remote)
	if err != nil || !slices.Contains([]string{"http", "https", "ssh", "git", "git+ssh", "git+https"}, u.Scheme) {
		return "", ""
	}
	return strings.ToLower(u.Hostname()), u.Path
}

func forgeOf(host string) ForgeKind {
	switch {
	case strings.Contains(host, "github"):
		return GitHub
	case strings.Contains(host, "gitlab"):
		return GitLab
	case host == "bitbucket.org":
		return Bitbucket
	case host == "dev.azure.com", host == "ssh.dev.azure.com":
		return AzureDevOps
	case host == "codeberg.org", strings.Contains(host, "gitea"), strings.Contains(host, "forgejo"):
		return Gitea
	}
	return ""
}

// CompareURL links to the changes between two tags.
func (f Forge) CompareURL(from, to string) string {
	from, to = url.PathEscape(from), url.PathEscape(to)
	from, to = strings.ReplaceAll(from, "@", "%40"), strings.ReplaceAll(to, "@", "%40")
	switch f.Kind {
	case GitHub, Gitea:
		return f.URL + "/compare/" + from + "..." + to
	case GitLab:
		return f.URL + "/-/compare/" + from + "..." + to
	case Bitbucket:
		return f.URL + "/branches/compare/" + to + "%0D" + from
	case AzureDevOps:
		return f.URL + "/branchCompare?baseVersion=GT" + from + "&targetVersion=GT" + to
	}
	return ""
}

// CommitURL links to one commit.
func (f Forge) CommitURL(hash string) string {
	switch f.Kind {
	case GitHub, Gitea, AzureDevOps:
		return f.URL + "/commit/" + hash
	case GitLab:
		return f.URL + "/-/commit/" + hash
	case Bitbucket:
		return f.URL + "/commits/" + hash
	}
	return ""
}

// PullRequestURL links to a pull or merge request; to none for number 0.
func (f Forge) PullRequestURL(number int) string {
	if number == 0 {
		return ""
	}
	switch n := strconv.Itoa(number); f.Kind {
	case GitHub:
		return f.URL + "/pull/" + n
	case Gitea:
		return f.URL + "/pulls/" + n
	case GitLab:
		return f.URL + "/-/merge_requests/" + n
	case Bitbucket:
		return f.URL + "/pull-requests/" + n
	case AzureDevOps:
		return f.URL + "/pullrequest/" + n
	}
	return ""
}
