package goroutines

import (
	"context"
	"sync"

	"tracex/lazy"
)

// Cache keeps the Forest made last. Any goroutine may use it.
type Cache struct {
	mu   sync.Mutex // held while one is made
	last *Forest
}

// Get returns the Forest of a list, which it makes unless it is that of the last call: see [NewForest].
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

// Has returns the Forest of a list if it is there.
func (c *Cache) Has(list *lazy.ThreadList) *Forest {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	if c.last != nil && c.last.of.Same(list) {
		return c.last
	}
	return nil
}
