package history

import (
	"fmt"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"release-notes-agent/gitstore"
)

// cacheBytes bounds the commits that are remembered: those of some 30,000.
const cacheBytes = 24 << 20

// A commitCache remembers commits, because the walk that finds the previous release
// meets those that the range is made of; then they are forgotten. It is safe for
// concurrent use; the zero value is empty.
type commitCache struct {
	mu    sync.Mutex
	data  map[plumbing.Hash][]byte
	bytes int
}

// read returns the content of a commit, which must not be changed.
func (c *commitCache) read(store *gitstore.Store, h plumbing.Hash) ([]byte, error) {
	if data, ok := c.get(h); ok {
		return data, nil
	}
	kind, data, err := store.Object(h)
	if err != nil {
		return nil, err
	}
	if kind != plumbing.CommitObject {
		return nil, fmt.Errorf("reading commit %s: it is a %s: %w", h, kind, plumbing.ErrObjectNotFound)
	}
	c.put(h, data)
	return data, nil
}

// forget frees the memory.
func (c *commitCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data, c.bytes = nil, 0
}

func (c *commitCache) get(h plumbing.Hash) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.data[h]
	return data, ok
}

func (c *commitCache) put(h plumbing.Hash, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.data == nil {
		c.data = map[plumbing.Hash][]byte{}
	}
	if c.bytes+len(data) <= cacheBytes {
		c.data[h] = data
		c.bytes += len(data)
	}
}
