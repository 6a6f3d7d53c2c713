package recorder

import (
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// Restarts of the clock's counter: readings that are in chunks by then are mapped to the
// clock's line, see package clock.

// turn notes in all chunks that the counter restarted: what is published from now on was read
// after that. The caller may hold a thread's mu, but no swap.
func (r *Recorder) turn() {
	again := r.clock.Turns()
	r.threads.each(func(t *Thread) {
		t.swap.Lock()
		if c := t.chunk.Load(); c != nil {
			_, n := buffers.Unpack(c.Published.Load())
			c.Turns = clock.Turned(c.Turns, n, again)
		}
		t.swap.Unlock()
	})
}

// starts makes an empty chunk the thread's. swap is held.
func (t *Thread) starts(c *buffers.Chunk) {
	t.begun++
	c.Begins(t.begun, t.r.clock.Turns())
	c.KeepFor(t.file.Live.Slot(), t.file.ID)
}
