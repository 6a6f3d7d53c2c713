package recorder

import (
	"fmt"
	"time"
	"unsafe"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
)

// What happens at the limit of memory, Config.MaxMemory, which buffers.Pool keeps:
//
//   - A goroutine whose chunk is full waits, writes, or drops: [buffer.space] in buffer_room.go.
//     One that has no chunk: [buffer.first], there.
//   - A thread, a name or a level of a stack gets its memory from [Recorder.reserve].
//   - Both take chunks away from other threads, idle ones first: [flusher.reclaim].
//   - Trace points without room are counted, and noted in the trace: [writer.lose].

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

// Resting threads may take an eighth of the memory that can be reserved, and there may be at
// most mostResting.
const (
	shareOfResting = 8
	mostResting    = 1000
)

func (k *kept) begin(p *buffers.Pool) {
	k.most = min(max(p.Reservable()/shareOfResting/threadSize, 1), mostResting)
}

func (k *kept) add(t *Thread) {
	k.mu.Lock()
	t.from.element = k.list.PushBack(t)
	k.mu.Unlock()
}

func (k *kept) remove(t *Thread) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := t.from.element; e != nil {
		t.from.element = nil
		k.list.Remove(e)
	}
}

// forget forgets all threads: they have ended.
func (k *kept) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for e := k.list.Front(); e != nil; e = e.Next() {
		e.Value.(*Thread).from.element = nil
	}
	k.list.Init()
}

// idlest evicts a resting thread and returns it, or nil if there is none. It takes the first in
// the list that has not rested since idlest last looked at it.
func (k *kept) idlest() *Thread {
	k.mu.Lock()
	defer k.mu.Unlock()
	for n := 2 * k.list.Len(); n > 0 && k.resting.Load() > 0; n-- {
		e := k.list.Front()
		t := e.Value.(*Thread)
		if f := t.from; !f.recent.Swap(false) && f.state.CompareAndSwap(resting, evicted) {
			k.resting.Add(-1)
			f.element = nil
			k.list.Remove(e)
			return t
		}
		k.list.MoveToBack(e)
	}
	return nil
}

// evict ends one of the resting threads, and reports whether there was one.
func (r *Recorder) evict() bool {
	if r.kept.resting.Load() == 0 {
		return false
	}
	t := r.kept.idlest()
	if t == nil {
		return false
	}
	r.goroutines.CompareAndDelete(t.from.goroutine, t)
	r.ends(&t.buffer)
	return true
}
