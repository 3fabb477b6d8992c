package changes

import (
	"regexp"
	"strconv"
	"strings"
)

// A request is a pull or merge request as the commit that merged it tells of it.
type request struct {
	number int
	text   string // title, empty line, description; empty when the commit holds none
	head   string // the merged branch, with its owner as forges write it; may be empty
}

// mergeSubjects are the subjects that forges and merge bots give a merge commit.
// The groups are the number, the title and the head branch.
var mergeSubjects = []*regexp.Regexp{
	// Gitea and Forgejo.
	regexp.MustCompile(`^Merge pull request '(?P<title>.*)' \(#(?P<number>\d{1,9})\) from (?P<head>\S+)(?: into \S+)?$`),
	// GitHub; Bitbucket Server with "in PROJECT/repository" before the branches.
	regexp.MustCompile(`^Merge pull request #(?P<number>\d{1,9})(?: in \S+)? from (?P<head>\S+)(?: (?:in)?to \S+)?$`),
	// GitHub, for a security advisory worked on in private.
	regexp.MustCompile(`^Merge (?:pull request|commit) from (?P<head>GHSA-\S+|fork)$`),
	// Bitbucket Cloud.
	regexp.MustCompile(`^Merged in (?P<head>\S+) \(pull request #(?P<number>\d{1,9})\)$`),
	// Bitbucket Data Center since version 7.
	regexp.MustCompile(`^Pull request #(?P<number>\d{1,9}): (?P<title>.+)$`),
	// Azure DevOps.
	regexp.MustCompile(`^Merged PR (?P<number>\d{1,9}): (?P<title>.+)$`),
	// homu and its successors.
	regexp.MustCompile(`^(?:Auto|Rollup) merge of #(?P<number>\d{1,9}) - (?P<head>[^\s,]+)(?:, r=.*)?$`),
	// By hand and by scripts: "Merge PR #12: title".
	regexp.MustCompile(`^Merge (?:PR|MR|pull request) [#!](?P<number>\d{1,9})(?:[:,]? (?:- )?(?P<title>.+))?$`),
	// git, for a pull request that was fetched by number.
	regexp.MustCompile(`^Merge (?:remote-tracking )?branch '(?:[\w.-]+/)?(?:pr|pull)/(?P<number>\d{1,9})(?:/head)?'`),
}

// GitLab names the merge request in the last line of the body, bors-ng numbers
// the titles there.
var (
	gitLabRequest = regexp.MustCompile(`^See merge request (?:\S*?)!(\d{1,9})$`)
	mergeOfBranch = regexp.MustCompile(`^Merge (?:remote-tracking )?branch '([^']*)'`)
	borsSubject   = regexp.MustCompile(`^Merge((?: #\d{1,9})+)$`)
	borsTitle     = regexp.MustCompile(`^(\d{1,9}): (.*?)(?: r=\S.*)?$`)
	// Bitbucket Server lists the merged commits, an indented subject below each.
	bitbucketList = regexp.MustCompile(`^\* commit '[0-9a-f]{7,}':`)
	reviewedOn    = regexp.MustCompile(`^https?://\S+/pulls/(\d{1,9})$`)
)

// requests finds the pull requests that c merged; more than one only where a bot
// merges several at once.
func (c *commit) requests() []request {
	text := c.textBelowSubject()
	if found := borsSubject.FindStringSubmatch(c.subject); found != nil && c.isMerge() {
		return borsRequests(strings.Fields(found[1]), text)
	}
	for _, form := range mergeSubjects {
		if found := form.FindStringSubmatch(c.subject); found != nil {
			return []request{newRequest(form, found, text)}
		}
	}
	if r, ok := gitLab(c.subject, text); ok {
		return []request{r}
	}
	if c.isMerge() && (c.number != 0 || typeKinds[c.typ] != "") {
		// GitHub can be told to use the title of the pull request as the subject.
		return []request{{number: c.number, text: c.subject + "\n\n" + text}}
	}
	return nil
}

// textBelowSubject returns everything below the first paragraph.
func (c *commit) textBelowSubject() string {
	_, rest := splitTitle(messageLines(c.Message))
	return strings.Trim(strings.Join(rest, "\n"), "\n")
}

func newRequest(form *regexp.Regexp, found []string, text string) request {
	r := request{text: text}
	for i, name := range form.SubexpNames() {
		switch name {
		case "number":
			r.number, _ = strconv.Atoi(found[i])
		case "head":
			r.head = found[i]
		case "title":
			if found[i] != "" {
				r.text = found[i] + "\n\n" + text
			}
		}
	}
	if bitbucketList.MatchString(r.text) {
		r.text = ""
	}
	if title, rest, ok := strings.Cut(r.text, "\n\nMerge in "); ok && strings.Contains(rest, " from ") {
		r.text = title // below stand the branches and the list of commits
	}
	return r
}

// gitLab reads "See merge request group/project!12". Below a merge the text is
// that of the merge request, below a squashed commit the subject belongs to it.
func gitLab(subject, text string) (request, bool) {
	var kept []string
	var r request
	for line := range strings.SplitSeq(text, "\n") {
		if found := gitLabRequest.FindStringSubmatch(line); found != nil {
			r.number, _ = strconv.Atoi(found[1])
		} else {
			kept = append(kept, line)
		}
	}
	r.text = joinTrimmed(kept)
	if branch := mergeOfBranch.FindStringSubmatch(subject); branch != nil {
		r.head = branch[1]
	} else {
		r.text = subject + "\n\n" + r.text
	}
	return r, r.number != 0
}

// borsRequests reads the body of "Merge #12 #13": "12: title r=reviewer", its
// description, and so on for each.
func borsRequests(numbers []string, text string) []request {
	found := make([]request, len(numbers))
	var open *request
	for i, number := range numbers {
		found[i].number, _ = strconv.Atoi(number[1:])
	}
	for line := range strings.SplitSeq(text, "\n") {
		if title := borsTitle.FindStringSubmatch(line); title != nil {
			number, _ := strconv.Atoi(title[1])
			for i := range found {
				if found[i].number == number && found[i].text == "" {
					open, line = &found[i], title[2]
				}
			}
		}
		if open != nil {
			open.text += line + "\n"
		}
	}
	return found
}

// syncTitle is the title of a pull request that brings one branch into another.
var syncTitle = regexp.MustCompile(`(?i)^(?:(?:chore|build|ci)(?:\([^)]*\))?: ?)?(?:back-?merge\b|(?:merge|sync)\b.*\b(?:in)?to (?:main|master|develop|trunk|next|release)\b)`)

// pureSync is a title that says nothing but that one long-lived branch was brought into
// another: "Merging from v1", "Merge origin/master into v2".
var pureSync = regexp.MustCompile(`(?i)^(?:back-?)?(?:merge|merging|sync|syncing)(?: back)?(?: changes)?(?: from)?(?: (?:remote-tracking )?branch)? ['"]?(?:(?:origin|upstream)/)?(?:main|master|trunk|develop|development|dev|next|v?\d+(?:\.(?:\d+|x))*)(?:/v?\d+)?['"]?(?: (?:in)?to \S+)?$`)

// isSync reports whether the request brings one long-lived branch into another,
// as gitflow does for a release; owner is that of the repository itself.
func (r request) isSync(owner string) bool {
	head := strings.ToLower(r.head)
	if prefix := strings.ToLower(owner) + "/"; owner != "" {
		head = strings.TrimPrefix(head, prefix)
	} else if _, branch, ok := strings.Cut(head, "/"); ok && longLived.MatchString(branch) {
		return true
	}
	return longLived.MatchString(head)
}

var longLived = regexp.MustCompile(`^(?:main|master|trunk|dev|devel|develop|development|next|staging|stable|prod|production|release|hotfix|beta|alpha|canary|v?\d+(?:\.\d+)*(?:\.x)?|(?:release|releases|rc)[-/].+)$`)
