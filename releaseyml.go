package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// A releaseYML is the file with which a repository tells GitHub how to sort its
// generated release notes. See "Automatically generated release notes" in GitHub's
// documentation.
type releaseYML struct {
	Changelog struct {
		Exclude    pullFilter
		Categories []struct {
			Title   string
			Labels  []string
			Exclude pullFilter
		}
	}
}

// A pullFilter matches pull requests by a label or by their author.
type pullFilter struct{ Labels, Authors []string }

// readReleaseYML reads .github/release.yml as it is in the release. A repository
// without one has the zero value.
func (r *release) readReleaseYML(ctx context.Context) (releaseYML, error) {
	for _, name := range []string{".github/release.yml", ".github/release.yaml"} {
		text, err := r.repo.File(ctx, r.manifest.Release.To, name)
		if err != nil {
			continue
		}
		var rules releaseYML
		if err := yaml.Unmarshal(text, &rules); err != nil {
			return releaseYML{}, fmt.Errorf("%s: %w", name, err)
		}
		return rules, nil
	}
	return releaseYML{}, nil
}

func (f pullFilter) matches(pull changes.PullRequest) bool {
	for _, label := range f.Labels {
		if label == "*" || slices.ContainsFunc(pull.Labels, func(l string) bool { return strings.EqualFold(l, label) }) {
			return true
		}
	}
	return slices.ContainsFunc(f.Authors, func(author string) bool {
		return strings.EqualFold(withoutBot(author), withoutBot(pull.Author))
	})
}

// withoutBot cuts off what GitHub adds to the logins of apps: both forms are in use.
func withoutBot(login string) string { return strings.TrimSuffix(login, "[bot]") }

// apply hides the changes that the rules exclude, breaking ones aside, and sorts the
// others into categories: the first that has one of their labels.
func (rules releaseYML) apply(m *changes.Manifest, pulls map[int]changes.PullRequest) []notes.Category {
	categories := make([]notes.Category, len(rules.Changelog.Categories))
	for i, c := range rules.Changelog.Categories {
		categories[i].Title = c.Title
	}
	for i := range m.Changes {
		c := &m.Changes[i]
		pull, ok := pulls[c.PullRequest]
		if !ok {
			continue
		}
		if rules.Changelog.Exclude.matches(pull) {
			c.Hidden = !c.Breaking
			continue
		}
		for j, category := range rules.Changelog.Categories {
			wanted := pullFilter{Labels: category.Labels}
			if wanted.matches(pull) && !category.Exclude.matches(pull) {
				categories[j].Changes = append(categories[j].Changes, c.ID)
				break
			}
		}
	}
	return categories
}
