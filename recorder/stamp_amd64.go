//go:build !race

package recorder

import "sync/atomic"

// canRelease says that release is cheaper than an atomic store.
const canRelease = true

// stamp writes a mark with a reading of the counter, then publishes.
//
//go:noescape
func stamp(m *mark, place uint64, published *atomic.Uint64, now uint64)

// release publishes: who reads now sees all that was written before, but may see
// it a little later. See chunk.
//
//go:noescape
func release(published *atomic.Uint64, now uint64)
