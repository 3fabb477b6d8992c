package gitstore

import "strings"

// matchGlob matches as git's wildmatch does with path names: "*" and "?" stop at
// slashes, "**" between slashes crosses them. It takes time in proportion to the
// product of both lengths at worst.
func matchGlob(pattern, name string) bool { return MatchGlob(pattern, name, true) }

// MatchGlob reports whether name matches a pattern of git's wildmatch. With
// pathname "*", "?" and "[...]" stop at slashes and only "**" crosses them.
func MatchGlob(pattern, name string, pathname bool) bool {
	m := globMatcher{pathname: pathname, failed: map[[2]int]bool{}, pattern: pattern, name: name}
	return m.match(0, 0)
}

type globMatcher struct {
	pattern, name string
	pathname      bool
	failed        map[[2]int]bool // places that were tried from a star, so that stars can't multiply
}

// match tells whether the pattern from p on matches the name from n on.
func (m *globMatcher) match(p, n int) bool {
	for p < len(m.pattern) {
		switch c := m.pattern[p]; {
		case c == '*':
			return m.star(p, n)
		case n == len(m.name):
			return false
		case c == '?':
			if m.pathname && m.name[n] == '/' {
				return false
			}
			p++
		case c == '[':
			next, ok := m.class(p+1, m.name[n])
			if !ok {
				return false
			}
			p = next
		default:
			if c == '\\' && p+1 < len(m.pattern) {
				p++
			}
			if m.pattern[p] != m.name[n] {
				return false
			}
			p++
		}
		n++
	}
	return n == len(m.name)
}

// star matches the stars at p and what follows.
func (m *globMatcher) star(p, n int) bool {
	if m.failed[[2]int{p, n}] {
		return false
	}
	end := p
	for end < len(m.pattern) && m.pattern[end] == '*' {
		end++
	}
	crosses := !m.pathname || m.isDoubleStar(p, end)
	if m.pathname && crosses && strings.HasPrefix(m.pattern[end:], "/") && m.match(end+1, n) {
		return true // "**/" also stands for nothing
	}
	for i := n; ; i++ {
		if m.match(end, i) {
			return true
		}
		if i == len(m.name) || !crosses && m.name[i] == '/' {
			break
		}
	}
	m.failed[[2]int{p, n}] = true
	return false
}

// isDoubleStar tells whether the stars from p to end stand alone between slashes.
func (m *globMatcher) isDoubleStar(p, end int) bool {
	return end-p == 2 && (p == 0 || m.pattern[p-1] == '/') && (end == len(m.pattern) || m.pattern[end] == '/')
}

// class matches c against the bracket expression at p, after its "[", and returns
// where the pattern goes on.
func (m *globMatcher) class(p int, c byte) (next int, ok bool) {
	if m.pathname && c == '/' {
		return 0, false
	}
	negated := p < len(m.pattern) && (m.pattern[p] == '!' || m.pattern[p] == '^')
	if negated {
		p++
	}
	found := false
	for first := true; ; first = false {
		if p >= len(m.pattern) {
			return 0, false
		}
		if m.pattern[p] == ']' && !first {
			return p + 1, found != negated
		}
		if m.pattern[p] == '\\' && p+1 < len(m.pattern) {
			p++
		}
		low, high := m.pattern[p], m.pattern[p]
		if p+2 < len(m.pattern) && m.pattern[p+1] == '-' && m.pattern[p+2] != ']' {
			high = m.pattern[p+2]
			p += 2
		}
		found = found || low <= c && c <= high
		p++
	}
}
