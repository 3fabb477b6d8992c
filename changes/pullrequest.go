package changes

import (
	"regexp"
	"slices"
	"strings"
)

// A PullRequest is what a forge knows of a pull request. Nothing in it is trusted.
type PullRequest struct {
	Number int      `json:"number"`
	Title  string   `json:"title"`
	Body   string   `json:"body"`
	Labels []string `json:"labels"`
	Author string   `json:"author"` // login
}

// WithPullRequests returns m with what the forge knows of its pull requests: the
// title, which may have been mended after the merge, the labels, which decide the
// kind, the description where the commits have none, the issues that it closes, and the
// login of the author in place of the name. Changes without one in pulls stay as they are. m is not changed.
func WithPullRequests(m Manifest, pulls map[int]PullRequest) Manifest {
	m.Changes = slices.Clone(m.Changes)
	logins := map[string]string{}
	forge := ParseRemote(m.Release.RepositoryURL)
	for i := range m.Changes {
		c := &m.Changes[i]
		pull, ok := pulls[c.PullRequest]
		if !ok || c.PullRequest == 0 {
			continue
		}
		c.label(pull.Labels)
		c.retitle(pull)
		c.closeWith(pull, forge)
		if login := plain(pull.Author); len(c.Authors) == 1 && login != "" && !isBot(Person{Name: login}) {
			logins[c.Authors[0]] = login
		}
		c.Hidden = c.Kind == Internal && !c.Breaking || c.Hidden && hiding(pull.Labels)
	}
	m.Contributors = slices.Clone(m.Contributors)
	for i := range m.Contributors {
		if login, ok := logins[m.Contributors[i].Name]; ok {
			m.Contributors[i].Name, m.Contributors[i].Login = login, login
		}
	}
	return m
}

// retitle takes over the words of a pull request. The title of a bump is kept: it is
// what the dependency was read from.
func (c *Change) retitle(pull PullRequest) {
	if body := pullRequestText(pull.Body); c.Body == "" && c.Kind != DependencyUpdate {
		c.Body = body
	}
	title, _ := cutNumber(plain(pull.Title))
	if title == "" || c.Kind == DependencyUpdate || c.Kind == Revert {
		return
	}
	h := parseHeader(title)
	c.Type, c.Scope, c.Title = h.typ, h.scope, h.title
	c.Breaking = c.Breaking || h.breaking
	if kind, known := kindOf(h); known == told && len(c.Labels) == 0 {
		c.Kind = kind
	}
}

// closeWith adds the issues that the description of a pull request closes. Those of a
// bump are the dependency's.
func (c *Change) closeWith(pull PullRequest, forge Forge) {
	if c.Kind == DependencyUpdate {
		return
	}
	var named referenceList
	named.readBody(pullRequestText(pull.Body), forge)
	all := referenceList(slices.Clone(c.References))
	for _, r := range named.without(pull.Number) {
		if r.Closes {
			all.add(r)
		}
	}
	c.References = all
}

// WithIssues returns m with the titles of issues of the repository where a change
// closes them. They are words for a draft and decide nothing. m is not changed.
func WithIssues(m Manifest, titles map[int]string) Manifest {
	m.Changes = slices.Clone(m.Changes)
	for i := range m.Changes {
		c := &m.Changes[i]
		c.References = slices.Clone(c.References)
		for j := range c.References {
			if r := &c.References[j]; r.Closes && r.Repository == "" && r.Number != 0 {
				r.Title = plain(titles[r.Number])
			}
		}
	}
	return m
}

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// pullRequestText is a description without what its template says to its author.
func pullRequestText(body string) string {
	body = htmlComment.ReplaceAllString(cleanText(body), "")
	return strings.TrimSpace(withoutAddresses(strings.ReplaceAll(body, "\r\n", "\n")))
}

// label keeps the labels and lets them decide what kind the change is.
func (c *Change) label(labels []string) {
	c.Labels = nil
	best := -1
	for _, label := range labels {
		label = plain(label)
		c.Labels = append(c.Labels, label)
		word := labelWord(label)
		if breakingLabels[word] {
			c.Breaking = true
		}
		kind, ok := labelKinds[word]
		if order := slices.Index(Kinds(), kind); ok && (best < 0 || order < best) {
			best = order
			c.Kind = kind
		}
	}
}

// hiding reports whether a label says that the change is not for the notes.
func hiding(labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return labelKinds[labelWord(label)] == Internal })
}

// labelPrefix is how projects mark the labels that tell a kind: "kind/bug", "type:
// bug", "C-bug". Labels with other prefixes, such as "area/docs", tell where.
var labelPrefix = regexp.MustCompile(`^(?:(?:kind|type|category|changelog|change|impact|release[- ]notes?|semver|pr|t|c)\s*[:/-]\s*)`)

// labelWord is what a label says, in lower case with dashes.
func labelWord(label string) string {
	word := labelPrefix.ReplaceAllString(strings.ToLower(strings.TrimSpace(label)), "")
	return strings.Join(strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "-")
}

var breakingLabels = map[string]bool{
	"breaking": true, "breaking-change": true, "breaking-changes": true, "semver-major": true, "major": true, "api-break": true, "backward-incompatible": true,
	"backwards-incompatible": true, "incompatible": true,
}

// labelKinds are the labels that GitHub proposes and those that are usual beside them.
var labelKinds = map[string]Kind{
	"security": Security, "vulnerability": Security,
	"enhancement": Feature, "feature": Feature, "features": Feature, "new-feature": Feature, "semver-minor": Feature, "minor": Feature,
	"bug": Fix, "bugfix": Fix, "bug-fix": Fix, "fix": Fix, "regression": Fix,
	"performance": Performance, "perf": Performance,
	"deprecation": Deprecation, "deprecated": Deprecation, "removal": Removal, "removed": Removal,
	"documentation": Documentation, "docs": Documentation,
	"dependencies": DependencyUpdate, "dependency": DependencyUpdate, "deps": DependencyUpdate,
	"internal": Internal, "chore": Internal, "refactor": Internal, "refactoring": Internal, "ci": Internal, "tests": Internal, "test": Internal, "testing": Internal,
	"skip-changelog": Internal, "no-changelog": Internal, "skip-release-notes": Internal, "ignore-for-release": Internal, "no-release-note": Internal,
}
