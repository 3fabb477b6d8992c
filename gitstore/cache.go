package gitstore

import (
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// baseCacheBytes bounds the memory for bases of deltas.
const baseCacheBytes = 8 << 20

// A base is an object that deltas build on. Its data must not be changed.
type base struct {
	kind plumbing.ObjectType
	data []byte
}

type basePlace struct {
	pack   *pack
	offset int64
}

// A baseCache keeps the bases of deltas that were used lately, in two generations:
// when the younger one is full the older one is dropped. It is safe for concurrent use.
type baseCache struct {
	mu           sync.Mutex
	young, old   map[basePlace]base
	youngBytes   int
	halfCapacity int
}

func newBaseCache(capacity int) *baseCache {
	return &baseCache{young: map[basePlace]base{}, halfCapacity: capacity / 2}
}

func (c *baseCache) get(p *pack, offset int64) (base, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := basePlace{p, offset}
	if b, ok := c.young[at]; ok {
		return b, true
	}
	b, ok := c.old[at]
	if ok {
		c.add(at, b)
	}
	return b, ok
}

func (c *baseCache) put(p *pack, offset int64, b base) {
	if len(b.data) > c.halfCapacity/4 {
		return // one large file would push out all commits and trees
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(basePlace{p, offset}, b)
}

func (c *baseCache) add(at basePlace, b base) {
	if c.youngBytes+len(b.data) > c.halfCapacity {
		c.old, c.young, c.youngBytes = c.young, map[basePlace]base{}, 0
	}
	c.young[at] = b
	c.youngBytes += len(b.data)
}
