package recorder

import (
	"weak"

	"tracex/recorder/internal/buffers"
)

// park notes that a chunk which was taken away from the thread is in the sink. When its owner
// next calls unpark, the chunk is no longer in use. If the owner does not, the garbage
// collector finds it.
func (t *Thread) park(c *buffers.Chunk) {
	if !c.IsLive() {
		return
	}
	t.swap.Lock()
	t.parked = weak.Make(c)
	t.swap.Unlock()
	t.robbed.Store(true)
}

// unpark frees the memory of a parked chunk. The owner must call it while using no chunk but
// the current one.
func (t *Thread) unpark() {
	if !t.robbed.Load() {
		return
	}
	t.robbed.Store(false)
	t.swap.Lock()
	c := t.parked.Value()
	t.parked = weak.Pointer[buffers.Chunk]{}
	t.swap.Unlock()
	if c != nil && c != t.chunk.Load() {
		c.Release()
	}
}

// forgetLive frees what the live file has of a thread. mu is held.
func (t *Thread) forgetLive() {
	if t.r.live == nil {
		return
	}
	t.swap.Lock() // a chunk that begins looks at the record
	had := t.file.Live.Take()
	t.swap.Unlock()
	t.file.Free(t.r.live, had)
}
