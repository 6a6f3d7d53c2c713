package recorder

import (
	"fmt"
	"time"
	"unsafe"
)

// What the recorder keeps besides chunks and what the files take. Each is
// reserved before it is made. Sizes are in bytes.
const (
	// A level of a stack has a container on the other side, in a slice that
	// has up to twice as many.
	pieceSize = int64(unsafe.Sizeof(levels{}) + 2*levelsPiece*unsafe.Sizeof(container{}))

	// A thread has the first piece of its stack in it, and stands in four
	// lists, which may be twice as long as they are full.
	threadSize = int64(unsafe.Sizeof(Thread{}) + levelsPiece*unsafe.Sizeof(container{}) + 8*unsafe.Sizeof((*Thread)(nil)))

	// A name takes its entry in a map and its key, its cell, and three times
	// its bytes in the file: waiting for them, in a slice that may be twice
	// as long, and on their way.
	nameSize = 200

	// An entry of the maps from return addresses and types.
	entrySize = 200
)

// reserve reserves bytes. Where chunks are in the way, idle ones first, they are
// written and taken away; threads that rest are ended. Where the caller must not
// wait, that is for the next one who comes. No lock may be held.
func (r *Recorder) reserve(bytes int64) bool {
	for {
		ok, full := r.pool.Reserve(bytes)
		if ok && r.config.OnFull == Drop && r.pool.Left() < 0 {
			r.worker.kick() // so that the next one finds room, too
		}
		if full && r.config.Strategy != CollectAndDump && r.evict() && r.config.OnFull != Drop {
			continue
		}
		if ok && r.config.OnFull == Drop && r.kept.resting.Load() > 0 && r.pool.Scarce() {
			r.evict() // likewise
		}
		if ok || full || r.config.Strategy == CollectAndDump || r.state.Load() != running {
			return ok
		}
		if r.config.OnFull == Drop {
			r.counts.lacking.Add(bytes)
			r.worker.kick()
			return false
		}
		if !r.reclaim(bytes) {
			time.Sleep(waitForMemory) // others have them in hand
		}
	}
}

// outOf says what there is no memory for. Who waited for it until the recording
// ended lacks nothing.
func (r *Recorder) outOf(what string, n int64) {
	if !r.on() {
		return
	}
	r.problems.fail(fmt.Errorf("%w: no room for %s beside %d: raise MaxMemory", ErrMemory, what, n))
}
