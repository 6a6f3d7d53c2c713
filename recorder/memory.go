package recorder

import (
	"fmt"
	"time"
	"unsafe"

	"tracex/recorder/internal/files"
)

// What happens at the limit of memory, Config.MaxMemory, which buffers.Pool keeps:
//
//   - A goroutine whose chunk is full waits, writes, or drops: [buffer.space] in buffer_room.go.
//     One that has no chunk: [buffer.first], there.
//   - A thread, a name or a level of a stack gets its memory from [Recorder.reserve], below.
//   - Both take chunks away from other threads, idle ones first: [flusher.reclaim], below.
//   - Trace points without room are counted, and noted in the trace: writer_dropped.go.

// Sizes, in bytes, of what the recorder keeps besides chunks and the files' share. Memory is
// reserved before it is allocated.
const (
	// The sink has a container for each level of a stack, in a slice with up to twice the
	// capacity.
	segmentSize = int64(unsafe.Sizeof(levels{}) + 2*segmentLevels*unsafe.Sizeof(files.Container{}))

	// A thread contains the first segment of its stack, and is in four lists, which may have
	// twice the capacity they need.
	threadSize = int64(unsafe.Sizeof(Thread{}) + segmentLevels*unsafe.Sizeof(files.Container{}) + 8*unsafe.Sizeof((*Thread)(nil)))

	// An entry of the map by return address.
	entrySize = 200
)

// reserve reserves bytes. If chunks use the memory, they are written and taken away, idle ones
// first; resting threads are ended. If the caller must not wait, that is done for the next one.
// No lock may be held.
func (r *Recorder) reserve(bytes int64) bool {
	for {
		ok, full := r.pool.Reserve(bytes)
		if ok && r.config.OnFull == Drop && r.pool.Left() < 0 {
			r.worker.kick() // so that the next one finds room too
		}
		if full && r.config.Strategy != CollectAndDump && r.evict() && r.config.OnFull != Drop {
			continue
		}
		if ok && r.config.OnFull == Drop && r.kept.resting.Load() > 0 && r.pool.Scarce() {
			r.evict() // so that the next one finds room too
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
			time.Sleep(waitForMemory) // others hold them
		}
	}
}

// reserveName reserves bytes for a name beside so many others.
func (r *Recorder) reserveName(bytes int64, names int) bool {
	if r.reserve(bytes) {
		return true
	}
	r.outOf("another name", int64(names))
	r.problems.tell()
	return false
}

// outOf reports that there is no memory for something. It does nothing if the recording ended
// while the caller was waiting.
func (r *Recorder) outOf(what string, n int64) {
	if !r.on() {
		return
	}
	r.problems.fail(fmt.Errorf("%w: no room for %s beside %d: raise MaxMemory", ErrMemory, what, n))
}

// reclaim takes chunks away from threads until need bytes are free, first from those that
// recorded nothing since its last visit. It reports whether it took any. The caller has no
// chunk.
func (f *flusher) reclaim(need int64) bool {
	won := f.reclaimFrom(need, true)
	if won < need {
		won += f.reclaimFrom(need-won, false)
	}
	return won > 0
}

// reclaimFrom takes chunks away, from idle threads or from any, and returns how many bytes that
// frees.
func (f *flusher) reclaimFrom(need int64, idle bool) (won int64) {
	for n := f.holders.count(); n > 0 && won < need; n-- {
		b := f.holders.walk()
		if b == nil || !b.mu.TryLock() {
			continue
		}
		if idle && b.busy() {
			b.mu.Unlock()
			continue
		}
		won += f.take(b)
	}
	return won
}

// take takes a thread's chunk away and returns how many bytes that frees. Called with b.mu
// held; releases it.
func (f *flusher) take(b *buffer) int64 {
	defer b.mu.Unlock()
	defer f.guard(b)
	c := b.chunk.Load()
	if c == nil {
		return 0
	}
	if b.nonsense.Load() {
		f.bury(b)
	} else if c = f.retire(b); c == nil {
		return 0
	}
	return f.pool.Cost(len(c.Data))
}
