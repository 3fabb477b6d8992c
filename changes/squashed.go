package changes

import (
	"regexp"
	"slices"
	"strings"
)

// squashedTitle is the subject that git merge --squash proposes. Below it stand the
// squashed commits as git log shows them, newest first.
const squashedTitle = "Squashed commit of the following:"

var (
	squashedCommit = regexp.MustCompile(`(?m)^commit [0-9a-f]{7,64}\n`)
	squashedAuthor = regexp.MustCompile(`(?m)^Author: +(.+)$`)
)

// unsquash puts the messages of the squashed commits, oldest first, and their authors
// in the place of what git proposes. Any other message stays as it is.
func unsquash(text string) string {
	rest, ok := strings.CutPrefix(text, squashedTitle)
	if !ok {
		return text
	}
	var messages, people []string
	for _, one := range slices.Backward(squashedCommit.Split(strings.ReplaceAll(rest, "\r\n", "\n"), -1)) {
		if found := squashedAuthor.FindStringSubmatch(one); found != nil {
			people = append(people, "Co-authored-by: "+found[1])
		}
		if message := indentedLines(one); message != "" {
			messages = append(messages, message)
		}
	}
	if len(messages) == 0 {
		return text
	}
	// The first that follows the convention speaks for all.
	speaker := max(0, slices.IndexFunc(messages, func(m string) bool { return typeKinds[parseHeader(firstLine(m)).typ] != "" }))
	messages[0], messages[speaker] = messages[speaker], messages[0]
	return strings.Join(append(messages, strings.Join(people, "\n")), "\n\n")
}

// indentedLines are the lines of a message as git log indents them.
func indentedLines(entry string) string {
	var lines []string
	for line := range strings.SplitSeq(entry, "\n") {
		if text, ok := strings.CutPrefix(line, "    "); ok || line == "" {
			lines = append(lines, text)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
