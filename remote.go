package main

import (
	"fmt"
	"net/url"
	"strings"

	"release-notes-agent/changes"
)

const githubDotCom = "github.com"

// forgeOf finds the website of the repository: that of the remote origin, or the one
// that --github-repo names. Where pull requests are read and both remotes are on GitHub,
// it is that of upstream: origin is a fork then, and has none.
func forgeOf(cfg config, remoteURL func(name string) string) changes.Forge {
	parse := func(address string) changes.Forge { return changes.ParseRemote(address, hostOf(cfg.githubHost)) }
	origin, upstream := parse(remoteURL("origin")), parse(remoteURL("upstream"))
	switch {
	case cfg.githubRepo == "" && cfg.mcp && onGitHub(origin, cfg.githubHost) && onGitHub(upstream, cfg.githubHost):
		return upstream
	case cfg.githubRepo == "":
		return origin
	}
	host := hostOf(origin.URL)
	if !onGitHub(origin, cfg.githubHost) {
		host = firstNonEmpty(hostOf(cfg.githubHost), githubDotCom)
	}
	return parse("https://" + host + "/" + cfg.githubRepo)
}

// fork says whose pull requests are read when they are not those of origin and nobody
// asked for that.
func (r *release) fork(cfg config) string {
	origin := changes.ParseRemote(r.repo.RemoteURL("origin"), hostOf(cfg.githubHost))
	if cfg.githubRepo != "" || strings.EqualFold(origin.URL, r.forge.URL) {
		return ""
	}
	return fmt.Sprintf("pull requests and links are those of the remote upstream, %s", r.forge.URL)
}

// onGitHub reports whether a repository is on github.com, or on the GitHub Enterprise
// that GITHUB_HOST names.
func onGitHub(repo changes.Forge, githubHost string) bool {
	host := hostOf(repo.URL)
	return repo.Kind == changes.GitHub && (host == githubDotCom || host != "" && host == hostOf(githubHost))
}

// hostOf is the name of the host in an address, which may have no scheme.
func hostOf(address string) string {
	u, err := url.Parse(withScheme(address))
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func withScheme(address string) string {
	if address = strings.TrimSpace(address); address == "" || strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}
