package changes

import (
	"regexp"
	"strconv"
	"strings"
)

// A commit is a Commit with its message taken apart.
type commit struct {
	Commit
	message
	header
	position int  // in the range, oldest first
	number   int  // of the pull request that the subject names, 0 without
	quotes   bool // the body quotes other projects and says nothing about this one
}

// parseCommits takes the messages apart and puts the commits oldest first.
func parseCommits(commits []Commit, forge ForgeKind) []*commit {
	parsed := make([]*commit, len(commits))
	sideBySide(len(commits), func(i int) {
		at := len(commits) - 1 - i
		parsed[at] = parseCommit(commits[i], forge)
		parsed[at].position = at
	})
	return parsed
}

func parseCommit(c Commit, forge ForgeKind) *commit {
	c.Message = unsquash(cleanText(c.Message))
	m := parseMessage(c.Message)
	quotes := quotesOthers(c.Author, m)
	if quotes {
		m = splitMessage(c.Message)
	}
	subject, number := cutNumber(m.subject)
	if (forge == GitLab || forge == AzureDevOps) && issueNumber.MatchString(m.subject) {
		subject, number = m.subject, 0
	}
	return &commit{Commit: c, message: m, header: parseHeader(subject), number: number, quotes: quotes}
}

func (c *commit) isMerge() bool { return len(c.Parents) > 1 }

// reviewedOn reads the trailer that Gitea gives a squashed pull request.
func (c *commit) reviewedOn() (number int) {
	for _, t := range c.trailers {
		if found := reviewedOn.FindStringSubmatch(t.value); found != nil && t.key == "Reviewed-on" {
			number, _ = strconv.Atoi(found[1])
		}
	}
	return number
}

// trailingNumber is how forges put the number of a pull request at the end of the
// subject of a squashed one: GitHub, Gitea and others "(#12)", GitLab "(!12)",
// Bitbucket "(pull request #12)".
var trailingNumber = regexp.MustCompile(`(?i)\s*\((?:(?:pull request|pr|mr) )?[#!](\d{1,9})\)\.?$`)

// noBuild is what tells a build server to leave a commit alone.
var noBuild = regexp.MustCompile(`(?i)\s*(?:\[(?:skip|no)[ -](?:ci|actions|travis|netlify|cd|circle|appveyor)\]|\[(?:ci|actions|travis|netlify)[ -]skip\]|\*{3}NO_CI\*{3})$`)

// issueNumber is an issue of GitLab and a work item of Azure DevOps, where pull requests
// have other signs.
var issueNumber = regexp.MustCompile(`\(#\d{1,9}\)$`)

// maxNumbers is how many numbers may stand at the end of a subject, and maxNumber how
// long one of them may be: bounds for a subject that is nothing but numbers.
const (
	maxNumbers = 8
	maxNumber  = 64
)

// cutNumber splits the pull request number off the end of subject, and marks for build
// servers beside it. Of several numbers, as a backport has them, the last one is its own.
func cutNumber(subject string) (rest string, number int) {
	for range maxNumbers {
		if mark := noBuild.FindString(subject[max(0, len(subject)-maxNumber):]); mark != "" && len(mark) < len(subject) {
			subject = strings.TrimSpace(subject[:len(subject)-len(mark)])
		}
		tail := subject[max(0, len(subject)-maxNumber):]
		found := trailingNumber.FindStringSubmatch(tail)
		if found == nil || len(found[0]) == len(subject) {
			break
		}
		if number == 0 {
			number, _ = strconv.Atoi(found[1])
		}
		subject = strings.TrimSpace(subject[:len(subject)-len(found[0])])
	}
	return subject, number
}
