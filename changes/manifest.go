package changes

// A Manifest is the facts of one release: everything a draft may say, and
// nothing it may not. It is made by code alone and never by a model.
type Manifest struct {
	Release      Release
	NextVersion  string   // version that the changes ask for, in the form of the previous tag; empty when there are no changes
	Changes      []Change // oldest first, ids c1, c2, …; hidden and reverted ones included
	Dependencies []Dependency
	Contributors []Contributor
}

// Visible returns the changes that the notes must account for: those that are
// neither hidden by their kind nor cancelled by a revert.
func (m Manifest) Visible() []Change {
	var visible []Change
	for _, c := range m.Changes {
		if !c.Hidden && !c.Reverted {
			visible = append(visible, c)
		}
	}
	return visible
}

// Hidden counts, by kind, the changes that are not shown because of their
// kind. A change that was reverted is not counted: it did not happen.
func (m Manifest) Hidden() map[Kind]int {
	hidden := map[Kind]int{}
	for _, c := range m.Changes {
		if c.Hidden && !c.Reverted {
			hidden[c.Kind]++
		}
	}
	return hidden
}

// A Release names the two ends of a range of commits.
type Release struct {
	Name          string `json:"name"`         // heading of the notes: the tag, the version given for it, or "Unreleased"
	Tag           string `json:"tag"`          // short tag name of the end, empty when the end carries no release tag
	PreviousTag   string `json:"previous_tag"` // short tag name of the start, empty for a first release
	Date          string `json:"date"`         // 2006-01-02 of the tag or the end commit, in the zone it was written in
	From          string `json:"from"`         // full hash of the start commit, empty for a first release
	To            string `json:"to"`           // full hash of the end commit
	CommitCount   int    `json:"commit_count"` // as git rev-list --count from..to
	Complete      bool   `json:"complete"`     // false when history is missing, as in a shallow clone
	RepositoryURL string `json:"repository_url"`
	CompareURL    string `json:"compare_url"`
}

// A Change is one thing that a reader of the notes would call a change: a pull
// request, or a commit that came without one.
type Change struct {
	ID           string      `json:"id"`
	Kind         Kind        `json:"kind"`
	Type         string      `json:"type"`  // Conventional Commits type in lower case, empty outside the convention
	Scope        string      `json:"scope"` // as written, without parentheses
	Title        string      `json:"title"` // subject without type, scope and pull request number, otherwise as written
	Body         string      `json:"body"`  // message or pull request text without trailers
	Breaking     bool        `json:"breaking"`
	BreakingNote string      `json:"breaking_note"` // text of the BREAKING CHANGE footer, empty when only "!" says so
	PullRequest  int         `json:"pull_request"`  // 0 when there is none
	URL          string      `json:"url"`           // of the pull request, otherwise of the commit; empty without a known forge
	Labels       []string    `json:"labels"`
	Commits      []string    `json:"commits"` // full hashes, the one that stands for the change first
	Authors      []string    `json:"authors"` // display names, bots left out
	References   []Reference `json:"references"`
	Trailers     []Trailer   `json:"trailers"`
	Details      []string    `json:"-"`        // bullets of a squashed message, subjects of a branch; the entries of a document carry them
	Hidden       bool        `json:"hidden"`   // not shown because of its kind
	Reverted     bool        `json:"reverted"` // cancelled by another change of the release, or itself such a revert
}

// A Reference is an issue or pull request that a change names.
type Reference struct {
	Repository string `json:"repository"`    // "owner/name", empty for the repository itself
	Number     int    `json:"number"`        // 0 for a Key
	Key        string `json:"key,omitempty"` // of a tracker that does not count in plain numbers: "PROJ-12"
	Closes     bool   `json:"closes"`        // "fixes", "closes", "resolves"
	Title      string `json:"-"`             // of the issue, for those who put the change into words; empty when nobody has asked
}

// A Trailer is a "Key: value" line of the last paragraph of a message, as git
// interpret-trailers reads it. E-mail addresses are left out of the value.
type Trailer struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Dependency is what became of one dependency over the whole release.
type Dependency struct {
	Name    string   `json:"name"`
	From    string   `json:"from"` // empty when the first version is not stated
	To      string   `json:"to"`
	Changes []string `json:"changes"` // ids, oldest first
}

// A Contributor is a person with at least one change in the release.
type Contributor struct {
	Name    string `json:"name"`
	Login   string `json:"login"`   // on the forge, empty when not known
	New     bool   `json:"new"`     // authored nothing before the release
	Commits int    `json:"commits"` // authored or co-authored in the release
}

// Kind says what a change means to a reader. The set is closed.
type Kind string

// The kinds. Whether a change is breaking is not a kind but a flag of its own.
const (
	Security         Kind = "security"
	Feature          Kind = "feature"
	Fix              Kind = "fix"
	Performance      Kind = "performance"
	Deprecation      Kind = "deprecation"
	Removal          Kind = "removal"
	Revert           Kind = "revert" // of something released earlier
	Documentation    Kind = "documentation"
	DependencyUpdate Kind = "dependency"
	Internal         Kind = "internal" // build, ci, test, style, refactor, chore: hidden by default
	Other            Kind = "other"
)

// Kinds lists every kind, in the order of the notes.
func Kinds() []Kind {
	return []Kind{Security, Feature, Fix, Performance, Deprecation, Removal, Revert, Documentation, DependencyUpdate, Other, Internal}
}
