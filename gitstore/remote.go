package gitstore

import "strings"

// RemoteURL returns the fetch URL of a remote, with insteadOf applied as git does:
// the longest match wins. Empty when there is none. It may hold credentials: never print it.
func (s *Store) RemoteURL(name string) string {
	url := ""
	for _, set := range s.settings {
		if set.key != "remote."+name+".url" {
			continue
		}
		if set.value == "" {
			url = "" // an empty value clears the list
		} else if url == "" {
			url = set.value // fetch uses the first
		}
	}
	return s.rewrite(url)
}

// rewrite applies url.<base>.insteadOf.
func (s *Store) rewrite(url string) string {
	base, prefix := "", ""
	for _, set := range s.settings {
		rest, ok := strings.CutPrefix(set.key, "url.")
		if !ok || set.value == "" || !strings.HasPrefix(url, set.value) {
			continue
		}
		if to, ok := strings.CutSuffix(rest, ".insteadof"); ok && len(set.value) > len(prefix) {
			base, prefix = to, set.value
		}
	}
	if prefix == "" {
		return url
	}
	return base + url[len(prefix):]
}
