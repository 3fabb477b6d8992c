package changes

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
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
//
// An unknown host counts as GitHub Enterprise, unless its name or the path say
// otherwise. The hosts in github do so whatever their names say.
func ParseRemote(remote string, github ...string) Forge {
	base, path, ok := splitRemote(remote)
	if !ok {
		return Forge{}
	}
	host := strings.ToLower(base.Hostname())
	if noForge.MatchString(host) {
		return Forge{}
	}
	if root, rest, found := strings.Cut(path, "/_git/"); found && !azureHost(host) {
		return azureServer(base, root, rest)
	}
	if azureHost(host) {
		if plain, err := url.PathUnescape(path); err == nil && !strings.Contains(remote, "://") {
			path = plain // Azure DevOps shows its scp-like addresses escaped
		}
		return azureForge(host, path)
	}
	kind := forgeKind(host, path)
	if slices.Contains(github, host) {
		kind = GitHub
	}
	return hostedForge(base, kind, path)
}

// noForge are hosts of repositories whose pages are shaped like those of no forge here.
var noForge = regexp.MustCompile(`^git-codecommit\.[\w.-]+$|(?:^|\.)(?:git\.kernel\.org|googlesource\.com|source\.developers\.google\.com|savannah\.(?:non)?gnu\.org|sourceware\.org|sourceforge\.net|code\.sf\.net|launchpad\.net|repo\.or\.cz|git\.sr\.ht)$`)

// scpLike is "user@host:path" and "host:path" as git reads it: no "://" in front,
// no slash before the first colon. A single letter is a drive of Windows.
var scpLike = regexp.MustCompile(`^(?:[^/\s]*@)?(\[[0-9a-fA-F:.]+\]|[^/:@\s]{2,}):(.*)$`)

// splitRemote returns the website's root and the path of the repository.
func splitRemote(remote string) (base *url.URL, path string, ok bool) {
	remote = strings.TrimSpace(remote)
	if !strings.Contains(remote, "://") {
		found := scpLike.FindStringSubmatch(remote)
		if found == nil {
			return nil, "", false
		}
		if remote, _, _ = strings.Cut(found[2], "?"); strings.Contains(remote, "::") {
			return nil, "", false
		}
		return website("https", found[1]), cleanPath(remote), isHost(found[1]) && strings.Contains(found[1], ".")
	}
	u, err := url.Parse(remote)
	if err != nil || !isHost(u.Host) {
		return nil, "", false
	}
	path = cleanPath(u.Path)
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return website(strings.ToLower(u.Scheme), u.Host), path, true
	case "ssh", "git", "git+ssh", "ssh+git", "git+https":
		// The port is not the website's, and a host without a dot is a name for ssh alone.
		return website("https", u.Hostname()), path, strings.Contains(u.Hostname(), ".")
	}
	return nil, "", false
}

// website is the root of the site on host, without credentials. Hosts that take
// ssh on port 443 for those behind a firewall are the sites themselves.
func website(scheme, host string) *url.URL {
	host = strings.ToLower(host)
	switch host {
	case "ssh.github.com", "www.github.com":
		host = "github.com"
	case "altssh.gitlab.com":
		host = "gitlab.com"
	case "altssh.bitbucket.org":
		host = "bitbucket.org"
	}
	if strings.Contains(host, ":") && !strings.Contains(host, "[") && strings.Count(host, ":") > 1 {
		host = "[" + host + "]"
	}
	return &url.URL{Scheme: scheme, Host: host}
}

var hostName = regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$`)

func isHost(host string) bool {
	_, err := url.Parse("https://" + host)
	return err == nil && hostName.MatchString(host)
}

func cleanPath(path string) string {
	path = strings.Trim(path, "/")
	path = strings.TrimSuffix(path, ".git")
	return strings.Trim(path, "/")
}

// forgeKind tells the software from the host's name, or from paths that only one
// of them has.
func forgeKind(host, path string) ForgeKind {
	switch {
	case strings.Contains(host, "github"):
		return GitHub
	case strings.Contains(host, "gitlab") || host == "salsa.debian.org" || host == "invent.kde.org" || host == "framagit.org":
		return GitLab
	case strings.Contains(host, "bitbucket") || strings.HasPrefix(path, "scm/"):
		return Bitbucket
	case strings.Contains(host, "codeberg") || strings.Contains(host, "gitea") || strings.Contains(host, "forgejo") || host == "git.disroot.org" || host == "gitee.com":
		return Gitea
	case strings.Count(path, "/") > 1:
		return GitLab // the only one with groups in groups
	}
	return GitHub
}

func hostedForge(base *url.URL, kind ForgeKind, path string) Forge {
	i := strings.LastIndex(path, "/")
	if i <= 0 || !isPlainPath(path) {
		return Forge{}
	}
	owner, name := path[:i], path[i+1:]
	if kind == Bitbucket && strings.ToLower(base.Hostname()) != "bitbucket.org" {
		return bitbucketServer(base, owner, name)
	}
	if kind != GitLab && strings.Contains(owner, "/") && kind != Gitea {
		return Forge{}
	}
	return Forge{Kind: kind, URL: base.String() + "/" + escapePath(owner) + "/" + url.PathEscape(name), Owner: owner, Name: name}
}

// isPlainPath keeps out what would lead elsewhere, or nowhere.
func isPlainPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.HasPrefix(part, "~") || strings.ContainsAny(part, "@:") {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' })
}

// bitbucketServer links to Bitbucket Data Center: cloned from /scm/PROJECT/name,
// seen at /projects/PROJECT/repos/name.
func bitbucketServer(base *url.URL, owner, name string) Forge {
	prefix, project := "", owner
	if i := strings.LastIndex(owner, "/"); i >= 0 {
		prefix, project = strings.TrimSuffix(owner[:i], "scm"), owner[i+1:]
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix = "/" + escapePath(prefix)
	}
	return Forge{Kind: Bitbucket, URL: base.String() + prefix + "/projects/" + url.PathEscape(project) + "/repos/" + url.PathEscape(name), Owner: project, Name: name}
}

func azureHost(host string) bool {
	return host == "dev.azure.com" || host == "ssh.dev.azure.com" || strings.HasSuffix(host, ".visualstudio.com")
}

// azureForge reads "organization/project/_git/name" and, over ssh,
// "v3/organization/project/name". Old hosts carry the organization in their name.
func azureForge(host, path string) Forge {
	parts := strings.Split(path, "/")
	if organization, ok := strings.CutSuffix(host, ".visualstudio.com"); ok && organization != "vs-ssh" {
		if len(parts) > 0 && strings.EqualFold(parts[0], "DefaultCollection") {
			parts = parts[1:]
		}
		parts = append([]string{organization}, parts...)
	}
	if len(parts) == 4 && (parts[0] == "v3" || parts[0] == "v2") {
		parts = []string{parts[1], parts[2], "_git", parts[3]}
	}
	if len(parts) == 3 && parts[1] == "_git" { // a project and its repository of one name
		parts = []string{parts[0], parts[2], "_git", parts[2]}
	}
	if len(parts) != 4 || parts[2] != "_git" || !isPlainPath(path) {
		return Forge{}
	}
	return Forge{Kind: AzureDevOps, URL: "https://dev.azure.com/" + escapePath(strings.Join(parts, "/")), Owner: parts[0] + "/" + parts[1], Name: parts[3]}
}

// azureServer links to an Azure DevOps Server, formerly Team Foundation Server, which
// is seen where it is cloned from: "collection/project/_git/name" on any host.
func azureServer(base *url.URL, root, name string) Forge {
	if !isPlainPath(root) || !isPlainPath(name) || strings.Contains(name, "/") {
		return Forge{}
	}
	return Forge{Kind: AzureDevOps, URL: base.String() + "/" + escapePath(root) + "/_git/" + url.PathEscape(name), Owner: root, Name: name}
}

func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// onServer reports whether f is a Bitbucket Data Center.
func (f Forge) onServer() bool { return strings.Contains(f.URL, "/projects/") }

// CompareURL links to the changes between two tags.
func (f Forge) CompareURL(from, to string) string {
	if f.URL == "" || from == "" || to == "" {
		return ""
	}
	from, to = escapeRef(from), escapeRef(to)
	switch f.Kind {
	case GitLab:
		return f.URL + "/-/compare/" + from + "..." + to
	case Bitbucket:
		if f.onServer() {
			return f.URL + "/compare/commits?sourceBranch=" + to + "&targetBranch=" + from
		}
		return f.URL + "/branches/compare/" + to + "%0D" + from
	case AzureDevOps:
		return f.URL + "/branchCompare?baseVersion=" + azureVersion(from) + "&targetVersion=" + azureVersion(to)
	}
	return f.URL + "/compare/" + from + "..." + to
}

// escapeRef escapes everything that has a meaning in URLs; tags may hold "/", "@" and "#".
func escapeRef(ref string) string {
	return strings.ReplaceAll(url.QueryEscape(ref), "+", "%20")
}

var fullHash = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// azureVersion says of a ref what it is: GT for tags, GC for commits.
func azureVersion(ref string) string {
	if fullHash.MatchString(ref) {
		return "GC" + ref
	}
	return "GT" + ref
}

// CommitURL links to one commit.
func (f Forge) CommitURL(hash string) string {
	if f.URL == "" || hash == "" {
		return ""
	}
	switch f.Kind {
	case GitLab:
		return f.URL + "/-/commit/" + hash
	case Bitbucket:
		return f.URL + "/commits/" + hash
	}
	return f.URL + "/commit/" + hash
}

// PullRequestURL links to a pull or merge request.
func (f Forge) PullRequestURL(number int) string {
	if f.URL == "" || number <= 0 {
		return ""
	}
	return f.URL + fmt.Sprintf(f.requestPath(), number)
}

func (f Forge) requestPath() string {
	switch f.Kind {
	case GitLab:
		return "/-/merge_requests/%d"
	case Gitea:
		return "/pulls/%d"
	case Bitbucket:
		return "/pull-requests/%d"
	case AzureDevOps:
		return "/pullrequest/%d"
	}
	return "/pull/%d"
}

// repository returns "owner/name", or "" for the zero Forge.
func (f Forge) repository() string {
	if f.Name == "" {
		return ""
	}
	return f.Owner + "/" + f.Name
}
