package gittest

// mergeFiles brings what other has changed since it parted from head into files.
func mergeFiles(files map[string]string, head, other *commit) {
	base := map[string]string{}
	if c := commonAncestor(head, other); c != nil {
		base = c.files
	}
	applyDifference(files, base, other.files)
}

// applyDifference changes files as from was changed to become to.
func applyDifference(files, from, to map[string]string) {
	for path, content := range to {
		if was, ok := from[path]; !ok || was != content {
			files[path] = content
		}
	}
	for path := range from {
		if _, ok := to[path]; !ok {
			delete(files, path)
		}
	}
}

// commonAncestor returns the newest commit that both have in their history.
func commonAncestor(a, b *commit) *commit {
	ofA := ancestors(a)
	var newest *commit
	for mark, c := range ancestors(b) {
		if ofA[mark] != nil && (newest == nil || mark > newest.mark) {
			newest = c
		}
	}
	return newest
}

func ancestors(c *commit) map[int]*commit {
	seen := map[int]*commit{}
	var visit func(*commit)
	visit = func(c *commit) {
		if c == nil || seen[c.mark] != nil {
			return
		}
		seen[c.mark] = c
		for _, p := range c.parents {
			visit(p)
		}
	}
	visit(c)
	return seen
}
