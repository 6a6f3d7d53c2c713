//go:build !amd64 || race

package recorder

import "sync/atomic"

// canRelease is false: an atomic store costs little more, or is what the race
// detector understands.
const canRelease = false

// stamp writes a mark with a reading of the counter, then publishes.
func stamp(m *mark, place uint64, published *atomic.Uint64, now uint64) {
	*m = mark{place, counter()}
	published.Store(now)
}

// release publishes.
func release(published *atomic.Uint64, now uint64) { published.Store(now) }
