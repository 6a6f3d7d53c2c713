package recorder

import (
	"sync/atomic"
	"weak"

	"tracex/recorder/internal/buffers"
)

// parked is a chunk that was taken away from its thread and is in the sink. Its owner may be
// using it: as soon as it does not, the chunk's memory can be reused. If the owner never says so,
// the garbage collector finds it. The buffer's swap guards the chunk.
type parked struct {
	chunk weak.Pointer[buffers.Chunk]
	waits atomic.Bool // for the owner
}

// put parks a chunk. swap is held.
func (p *parked) put(c *buffers.Chunk) {
	p.chunk = weak.Make(c)
	p.waits.Store(true)
}

// take returns the parked chunk, if it still exists, and parks none. swap is held.
func (p *parked) take() *buffers.Chunk {
	p.waits.Store(false)
	c := p.chunk.Value()
	p.chunk = weak.Pointer[buffers.Chunk]{}
	return c
}

// park parks a chunk that was taken away from the thread, once it is in the sink.
func (b *buffer) park(c *buffers.Chunk) {
	if !c.IsLive() {
		return
	}
	b.swap.Lock()
	b.parked.put(c)
	b.swap.Unlock()
}

// unpark frees the memory of a parked chunk. The owner must call it while using no chunk but
// the current one.
func (b *buffer) unpark() {
	if !b.parked.waits.Load() {
		return
	}
	b.swap.Lock()
	c := b.parked.take()
	b.swap.Unlock()
	if c != nil && c != b.chunk.Load() {
		c.Release()
	}
}
