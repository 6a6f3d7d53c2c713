package recorder

import (
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// Restarts of the clock's counter: readings that are in chunks by then are mapped to the
// clock's line, see package clock.

// clockRestarted notes in all chunks that the counter restarted: the data published
// from now on was read after that. The caller may hold a thread's mu, but no swap.
func (f *flusher) clockRestarted() {
	restarts := f.clock.Restarts()
	f.threads.each(func(b *buffer) {
		b.swap.Lock()
		if c := b.chunk.Load(); c != nil {
			_, n := buffers.Unpack(c.Published.Load())
			c.Restarts = clock.WithRestart(c.Restarts, n, restarts)
		}
		b.swap.Unlock()
	})
}
