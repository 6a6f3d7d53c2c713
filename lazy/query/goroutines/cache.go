package goroutines

import (
	"context"
	"sync"

	"tracex/lazy"
)

// Cache keeps the last Forest. It is safe for concurrent use.
type Cache struct {
	mu   sync.Mutex // held while a Forest is made
	last *Forest
}

// Get returns the Forest of a list. It makes one unless the list is that of the last call: see [NewForest].
func (c *Cache) Get(ctx context.Context, list *lazy.ThreadList, tell lazy.Progress) (*Forest, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && c.last.of.Same(list) {
		return c.last, nil
	}
	f, err := NewForest(ctx, list, tell)
	if err == nil {
		c.last = f
	}
	return f, err
}

// Last returns the last Forest, which may be of an older list. It is nil if there is none, or if one is
// being made.
func (c *Cache) Last() *Forest {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	return c.last
}
