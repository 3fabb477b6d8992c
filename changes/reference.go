package changes

import (
	"regexp"
	"slices"
)

// reference is an issue or pull request as text names it, with the keyword that
// closes it, if one stands before it.
var reference = regexp.MustCompile(`(?i)(\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+)?(?:^|[\s(\[,;:]|\b)(?:([\w.-]+/[\w.-]+)?#|GH-)(\d{1,9})\b`)

func references(text string, own int) []Reference {
	var refs []Reference
	for _, g := range reference.FindAllStringSubmatch(text, -1) {
		ref := Reference{Repository: g[2], Number: atoi(g[3]), Closes: g[1] != ""}
		if ref.Number == 0 || ref.Number == own && ref.Repository == "" || slices.Contains(refs, ref) {
			continue
		}
		refs = append(refs, ref)
	}
	return refs
}
