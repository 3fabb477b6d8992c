package history

import (
	"context"
	"fmt"
	"path"
	"strings"

	"release-notes-agent/gitstore"
)

// A pathspec is a list of git pathspecs: a path matches when one of them matches
// and none that excludes does. Paths are those from the top of the work tree.
type pathspec []pathPattern

type pathPattern struct {
	pattern                          string
	literal, glob, foldCase, exclude bool
	top                              bool // seen from the top of the work tree
}

// parsePathspec reads git's pathspecs, magic words and signs included, as they are
// meant in the directory that prefix leads to.
func parsePathspec(prefix string, specs []string) (pathspec, error) {
	var list pathspec
	onlyExcludes := true
	for _, spec := range specs {
		p, err := parsePattern(prefix, spec)
		if err != nil {
			return nil, err
		}
		onlyExcludes = onlyExcludes && p.exclude
		list = append(list, p)
	}
	if onlyExcludes && len(list) > 0 {
		list = append(list, pathPattern{literal: true}) // from everything, also in a subdirectory
	}
	return list, nil
}

func parsePattern(prefix, spec string) (pathPattern, error) {
	var p pathPattern
	rest := spec
	switch {
	case strings.HasPrefix(spec, ":("):
		words, after, ok := strings.Cut(spec[2:], ")")
		if !ok {
			return p, fmt.Errorf("path %q has no closing parenthesis", spec)
		}
		for word := range strings.SplitSeq(words, ",") {
			if err := p.magic(word); err != nil {
				return p, fmt.Errorf("path %q: %w", spec, err)
			}
		}
		rest = after
	case strings.HasPrefix(spec, ":"):
		signs := spec[1:]
		rest = strings.TrimLeft(signs, "/!^")
		signs = signs[:len(signs)-len(rest)]
		p.exclude, p.top = strings.ContainsAny(signs, "!^"), strings.Contains(signs, "/")
		rest = strings.TrimPrefix(rest, ":")
	}
	if !p.top && !strings.HasPrefix(rest, "/") {
		rest = path.Join(prefix, rest)
	}
	if strings.HasPrefix(path.Clean(rest), "..") {
		return p, fmt.Errorf("path %q lies outside of the repository", spec)
	}
	if rest = path.Clean("/" + rest)[1:]; strings.HasSuffix(spec, "/") && rest != "" {
		rest += "/"
	}
	p.pattern = rest
	if p.foldCase {
		p.pattern = strings.ToLower(rest)
	}
	p.literal = p.literal || !strings.ContainsAny(rest, "*?[\\")
	return p, nil
}

func (p *pathPattern) magic(word string) error {
	switch word {
	case "":
	case "top":
		p.top = true
	case "literal":
		p.literal = true
	case "glob":
		p.glob = true
	case "icase":
		p.foldCase = true
	case "exclude":
		p.exclude = true
	default:
		return fmt.Errorf("%q is not supported; known are top, literal, glob, icase and exclude", word)
	}
	return nil
}

// PathFilter returns a function that tells whether a path from the top of the repository
// is one of paths: git pathspecs, seen from the directory that was opened. Without any,
// all are.
func (r *Repository) PathFilter(paths []string) (func(path string) bool, error) {
	filter, err := parsePathspec(r.prefix, paths)
	if err != nil {
		return nil, err
	}
	return func(path string) bool { return filter == nil || filter.matches(path) }, nil
}

func (s pathspec) matches(path string) bool {
	included := false
	for _, p := range s {
		if p.exclude && p.matches(path) {
			return false
		}
		included = included || !p.exclude && p.matches(path)
	}
	return included
}

// reachesInto tells whether something below dir, which ends in a slash, can match.
func (s pathspec) reachesInto(dir string) bool {
	for _, p := range s {
		if !p.exclude && p.reachesInto(dir) {
			return true
		}
	}
	return false
}

func (p pathPattern) matches(path string) bool {
	if p.foldCase {
		path = strings.ToLower(path)
	}
	dir := strings.TrimSuffix(p.pattern, "/")
	if dir == "" || strings.HasPrefix(path, dir+"/") {
		return true
	}
	if p.literal {
		return path == p.pattern
	}
	return gitstore.MatchGlob(p.pattern, path, p.glob)
}

func (p pathPattern) reachesInto(dir string) bool {
	if p.foldCase {
		dir = strings.ToLower(dir)
	}
	start := p.pattern
	if !p.literal {
		start = start[:strings.IndexAny(start, "*?[\\")]
	} else if !strings.HasSuffix(start, "/") && start != "" {
		start += "/"
	}
	return strings.HasPrefix(dir, start) || strings.HasPrefix(start, dir)
}

// touching finds the commits that touch the paths: those that differ there from a
// parent in the range, or, when no parent lies in it, from any parent. That is
// what git does with --full-history.
func (r *Repository) touching(ctx context.Context, w *walk, nodes []*node, paths pathspec) (map[string]bool, error) {
	found := map[string]bool{}
	for _, n := range nodes {
		touches, err := r.touches(ctx, w, n, paths)
		if err != nil {
			return nil, fmt.Errorf("reading what %s changed: %w", n.hash, err)
		}
		if touches {
			found[n.hash.String()] = true
		}
	}
	return found, nil
}

func (r *Repository) touches(ctx context.Context, w *walk, n *node, paths pathspec) (bool, error) {
	parents := w.relevantParents(n)
	if len(parents) == 0 {
		return r.differs(ctx, &node{}, n, paths)
	}
	for _, p := range parents {
		if differs, err := r.differs(ctx, p, n, paths); differs || err != nil {
			return differs, err
		}
	}
	return false, nil
}

func (r *Repository) differs(ctx context.Context, old, new *node, paths pathspec) (bool, error) {
	found := false
	d := treeDiff{repo: r, paths: paths, visit: func(change) bool {
		found = true
		return false
	}}
	err := d.compare(ctx, "", old.tree, new.tree)
	return found, err
}

// relevantParents are the parents in the range and its start, or else all of them.
func (w *walk) relevantParents(n *node) []*node {
	var all, relevant []*node
	for _, h := range n.parents {
		p := w.nodes[h]
		if p == nil {
			continue
		}
		all = append(all, p)
		if !p.excluded || p.bottom {
			relevant = append(relevant, p)
		}
	}
	if len(relevant) > 0 {
		return relevant
	}
	return all
}
