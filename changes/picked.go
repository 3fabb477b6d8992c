package changes

// A pick is what git cherry-pick keeps of a commit.
type pick struct {
	author  Person
	at      int64 // Unix time
	subject string
}

// pickedAlready finds the change that c says it was picked from.
func pickedAlready(c *commit, byHash map[string]int) (at int, ok bool) {
	for _, origin := range c.pickedFrom() {
		if at, ok = byHash[origin]; ok {
			return at, true
		}
	}
	return 0, false
}

// joinPicked makes one change of a commit and its cherry-picks, which reach a
// range when branches that both have it are merged. What is reverted stays apart,
// since picking it again is how people bring it back.
func joinPicked(list []Change, groups []group) ([]Change, []group) {
	first := map[pick]int{}
	byHash := map[string]int{} // of those that are kept
	kept := 0
	for i := range groups {
		c := groups[i].lead
		if at, ok := pickedAlready(c, byHash); ok && !list[i].Reverted && len(groups[i].members) == 0 {
			list[at].Commits = append(list[at].Commits, c.Hash)
			continue
		}
		if !list[i].Reverted && len(groups[i].members) == 0 {
			byHash[c.Hash] = kept
		}
		key := pick{c.Author, c.AuthorTime.Unix(), c.subject}
		if !list[i].Reverted && len(groups[i].members) == 0 && !c.AuthorTime.IsZero() && c.subject != "" {
			if at, known := first[key]; known {
				list[at].Commits = append(list[at].Commits, c.Hash)
				continue
			}
			first[key] = kept
		}
		list[kept], groups[kept] = list[i], groups[i]
		kept++
	}
	return list[:kept], groups[:kept]
}
