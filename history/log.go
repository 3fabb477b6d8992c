package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// Log is what Commits returns.
type Log struct {
	Commits  []Commit        // in the order of git log
	Complete bool            // false when a shallow boundary, or a missing commit, lies in the range
	Touching map[string]bool // with paths: the hashes of those that touch them; otherwise nil
}

// Commits returns the commits reachable from to and not from from, exactly as git
// rev-list from..to, in the order of git log. An empty from means all of them.
// With paths (git pathspecs, seen from the directory that was opened) it also tells which of them touch those: the ones that
// git rev-list --full-history lists.
func (r *Repository) Commits(ctx context.Context, from, to string, paths []string) (Log, error) {
	filter, err := parsePathspec(r.prefix, paths)
	if err != nil {
		return Log{}, err
	}
	w := newWalk(r)
	end, err := parseHash(to)
	if err != nil {
		return Log{}, fmt.Errorf("reading the commits of a range: its end %v", err)
	}
	if from != "" {
		start, err := parseHash(from)
		if err != nil {
			return Log{}, fmt.Errorf("reading the commits of a range: its start %v", err)
		}
		if err := w.start(start, false); err != nil {
			return Log{}, err
		}
	}
	if err := w.start(end, true); err != nil {
		return Log{}, err
	}
	nodes, err := w.run(ctx)
	if err != nil {
		return Log{}, err
	}
	log := Log{Complete: w.complete(nodes)}
	if filter != nil {
		if log.Touching, err = r.touching(ctx, w, nodes, filter); err != nil {
			return Log{}, err
		}
	}
	r.commits.forget()
	log.Commits = make([]Commit, len(nodes))
	for i, n := range nodes {
		log.Commits[i] = parseCommit(n.hash.String(), n.data)
		log.Commits[i].Parents = n.parentNames()
		n.data = nil // may be garbage before the last one is parsed
	}
	return log, nil
}

// isMissing tells whether an error says that an object is not there.
func isMissing(err error) bool { return errors.Is(err, plumbing.ErrObjectNotFound) }
