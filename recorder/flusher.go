package recorder

import (
	"fmt"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// flusher puts what goroutines recorded into the sink, and manages the memory for it. Any
// goroutine may call its methods at any time. A buffer goes to the sink
//
//   - when it is full: by its goroutine, in [buffer.writeOut], or by the recorder's, in sweepDue
//   - by the timer of [Recorder.run], and on demand, in [Recorder.Flush]: sweep
//   - when memory is needed: reclaim
//   - when its thread ends, and at the end of the recording: finish and end, in flusher_end.go
//
// From a file sink, bytes reach the disk in [files.Files.Write].
type flusher struct {
	config   Config
	layout   *values.Layout // of the version written
	registry *registry.Registry
	clock    clock.Clock
	pool     *buffers.Pool
	largest  int // largest chunk, in bytes
	sink     partSink
	live     *live.File // unwritten data; nil if that is in the program's own memory
	state    atomic.Int32
	lists
	sweeper  sweeper
	worker   worker
	counts   counts
	problems problems
}

// lists are those of buffers.
type lists struct {
	threads     threadList  // those whose last block is not written
	holders     holders     // those that have a chunk
	due         dueList     // those that set chunks aside, or have ended
	quarantined quarantined // those used by several goroutines
}

// sweeper is what a sweep of all threads needs.
type sweeper struct {
	mu   sync.Mutex // held meanwhile
	list []*buffer  // scratch
}

// occasion is why all threads are swept.
type occasion int

const (
	onDemand occasion = iota // write all
	byTimer                  // write all, and take the chunks of idle threads away
	byNeed                   // write the chunks that are full
)

// sweep writes what threads have published.
func (f *flusher) sweep(why occasion) {
	f.sweeper.mu.Lock()
	defer f.sweeper.mu.Unlock()
	f.clock.Refresh()
	f.sweeper.list = f.threads.appendTo(f.sweeper.list[:0])
	for i, b := range f.sweeper.list {
		f.sweeper.list[i] = nil
		f.sweepThread(b, why)
	}
	f.sink.write()
}

// later asks the recorder's goroutine to write what a thread has set aside.
func (f *flusher) later(b *buffer) {
	if !b.due.Swap(true) {
		f.due.add(b)
	}
	f.worker.kick()
}

// sweepDue writes what threads have set aside, and makes room for those without a chunk.
func (f *flusher) sweepDue() {
	due := f.due.take()
	lacking := f.counts.lacking.Swap(0)
	for _, b := range due {
		b.due.Store(false)
		if wants := b.wants.Load(); b.chunk.Load() == nil && !b.left.Load() {
			lacking += wants
		}
		f.sweepThread(b, byNeed)
	}
	if lacking -= f.pool.Left(); lacking > 0 {
		f.reclaim(lacking)
	}
	for _, b := range due {
		b.wants.Store(0) // it may look again
	}
	f.sink.write()
}

func (f *flusher) sweepThread(b *buffer, why occasion) {
	if b.left.Load() {
		f.endThread(b, false)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer f.guard(b)
	if b.nonsense.Load() {
		f.bury(b)
		return
	}
	if why == byNeed {
		f.putFull(b, b.wants.Load() > 0)
		return
	}
	b.wants.Store(0)
	before := b.file.Blocks()
	switch c := f.putAll(b); {
	case why != byTimer || c == nil:
	case b.file.Blocks() > before:
		b.sunk.idle = false
	default:
		if b.sunk.idle {
			f.retire(b)
		}
		b.sunk.idle = !b.sunk.idle
	}
}

// put puts a part of a chunk into the sink. b.mu is held.
func (f *flusher) put(b *buffer, p buffers.Part) {
	if len(p.Data) == 0 {
		b.file.Passed(p.Chunk) // the sink does not look at it
	}
	f.sink.put(b, p, false)
}

// putAll puts everything a thread has published into the sink, then the note of what it dropped
// after that, and returns its chunk. b.mu is held.
func (f *flusher) putAll(b *buffer) *buffers.Chunk {
	var p buffers.Part
	b.swap.Lock()
	c := b.takeFull()
	if c != nil {
		p = c.Pending()
	}
	note := b.takeNote()
	b.swap.Unlock()
	f.putTaken(b)
	if c != nil {
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Written(p)
	}
	f.sink.put(b, note, false)
	return c
}

// putFull puts the chunks that a thread has set aside into the sink, and, if all is set, the
// current one. b.mu is held.
func (f *flusher) putFull(b *buffer, all bool) {
	b.swap.Lock()
	c := b.takeFull()
	b.swap.Unlock()
	f.putTaken(b)
	if c != nil && all {
		p := c.Pending()
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Written(p)
	}
}

// putTaken puts the taken chunks into the sink. b.mu is held.
func (f *flusher) putTaken(b *buffer) {
	for c := b.taken; c != nil; c = b.taken {
		p := c.Pending()
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Next, b.taken = nil, c.Next
		if f.state.Load() == running {
			f.pool.Put(c)
		} else {
			f.pool.Lost(c) // what is written at the end need not stay in memory
		}
	}
}

// retire takes a thread's chunk away, puts its published part into the sink, and returns it, or
// nil if there was none. b.mu is held.
func (f *flusher) retire(b *buffer) *buffers.Chunk {
	c, p := b.takeIdle()
	f.putTaken(b)
	if c == nil {
		return nil
	}
	b.file.Rebase(&f.clock, &b.swap, p)
	f.put(b, p)
	b.park(c)
	f.pool.Lost(c)
	return c
}

// guard must be deferred when reading what a thread published: if two goroutines share the
// thread, it may be anything.
func (f *flusher) guard(b *buffer) {
	if v := recover(); v != nil {
		f.quarantine(b, fmt.Errorf("%v", v))
	}
}

// clockRestarted notes in all chunks that the clock's counter restarted: the data published
// from now on was read after that, and readings from before are mapped to the clock's line, see
// package clock. The caller may hold a thread's mu, but no swap.
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

type counts struct {
	dropped atomic.Int64 // trace points
	refused atomic.Int64 // threads
	misuse  misuse
	lacking atomic.Int64 // bytes for the recorder's goroutine to free
}

// worker is the recorder's only goroutine, as others see it.
type worker struct {
	wake chan struct{} // nil if it writes nothing
	done chan struct{} // closed to end it; nil if it does not exist
	gone chan struct{} // closed when it has ended
}

// kick wakes the goroutine.
func (w *worker) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end ends the goroutine and waits until it has ended.
func (w *worker) end() {
	if w.done != nil {
		close(w.done)
		<-w.gone
	}
}

// States of a Recorder.
const (
	unstarted int32 = iota
	running
	stopped
	failed // the file cannot be written
)

// partSink is where recorded bytes go. The encoder before it is the same for all sinks: a
// [Thread] writes objects and marks into its chunks; when a chunk is full, or by the timer, its
// published part is put into the sink. The state that a sink keeps of a thread between parts is
// in its buffer.
//
// A reference object must precede its first user, or be put with it. So a sink takes the
// pending objects of the registry when it decides where a part goes, not before, and puts them
// in front of that part. Parts of one thread are put in order, those of different threads
// concurrently.
//
// Lock order: a thread's mu, the sink's own, the registry's.
type partSink interface {
	// put takes a part. b.mu is held, and the part's chunk does not change until put returns.
	// If last is set, nothing of b follows, and the open containers ended at the reading
	// b.file.Ended.
	put(b *buffer, p buffers.Part, last bool)
	// write writes the parts that were put.
	write()
	// opened returns the classes of the containers that a thread has open after the parts put
	// so far, outermost first. b.mu is held.
	opened(b *buffer) []format.Class
	// finish writes, and ends the trace. Parts put later are ignored.
	finish()
	// saved returns how much is written.
	saved() Saved
}
