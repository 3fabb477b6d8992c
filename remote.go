package main

import (
	"net/url"
	"strings"

	"release-notes-agent/changes"
)

const githubDotCom = "github.com"

// forgeOf finds the website of the repository: that of the remote origin, or the one
// that --github-repo names.
func forgeOf(cfg config, remoteURL func(name string) string) changes.Forge {
	origin := changes.ParseRemote(remoteURL("origin"), hostOf(cfg.githubHost))
	if cfg.githubRepo == "" {
		return origin
	}
	host := hostOf(origin.URL)
	if !onGitHub(origin, cfg.githubHost) {
		host = firstNonEmpty(hostOf(cfg.githubHost), githubDotCom)
	}
	return changes.ParseRemote("https://"+host+"/"+cfg.githubRepo, hostOf(cfg.githubHost))
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
