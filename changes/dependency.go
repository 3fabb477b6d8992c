package changes

import (
	"regexp"
	"strings"
)

// bump is a subject of dependabot, of renovate, or of a person who writes like
// them: a name, perhaps a version, and a version with a digit.
var bump = regexp.MustCompile(`(?i)^(?:bumps?|upgrade|update)\s+(?:(?:dependency|module|rust crate|docker image|the)\s+)?([@A-Za-z0-9][\w@./:-]*)\s+(?:(?:action|docker tag|digest)\s+)?(?:from\s+(\S*\d\S*)\s+)?to\s+\^?(v?\d\S*)(?:\s+in\s+\S+)?(?:\s+\[\w+\])?$`)

var bumpOfGroup = regexp.MustCompile(`(?i)^bumps? the \S+ group|^update (?:all )?(?:non-major |dev |minor |patch )*dependencies\b`)

func isBump(title string) bool { return bump.MatchString(title) || bumpOfGroup.MatchString(title) }

// chainDependencies joins the bumps of each dependency, from its first version to
// its last.
func chainDependencies(list []Change) []Dependency {
	var all []Dependency
	at := map[string]int{}
	for _, c := range list {
		g := bump.FindStringSubmatch(c.Title)
		if g == nil || c.Kind != DependencyUpdate || c.Reverted {
			continue
		}
		name, from, to := strings.Trim(g[1], "`,"), g[2], g[3]
		i, known := at[name]
		if !known {
			at[name] = len(all)
			all = append(all, Dependency{Name: name, From: from, To: to, Changes: []string{c.ID}})
			continue
		}
		all[i].To = to
		all[i].Changes = append(all[i].Changes, c.ID)
	}
	return all
}
