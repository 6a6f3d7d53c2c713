package recorder

import (
	"sync"
	"sync/atomic"
	"weak"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// buffer is what one goroutine records into: the current chunk, and those that are set aside
// until they are put into the sink. The goroutine is its owner; flushers are other goroutines,
// which hold mu or swap. See [buffers.Chunk] for who may do what.
type buffer struct {
	to    *flusher
	chunk atomic.Pointer[buffers.Chunk] // nil if there is none yet, or it was taken away

	fill
	memory

	// mu is held while published data is put into the sink, by one goroutine at a time, which
	// may wait for a disk.
	mu    sync.Mutex
	file  files.Stream
	taken *buffers.Chunk // the first of those that were set aside and are being put into the sink
	seen  uint64         // what was published at reclaim's last look

	// swap is held while the chunk is replaced or taken away. Lock order: mu, the list of
	// threads, swap.
	swap   sync.Mutex
	full   buffers.Chunks // set aside: their parts precede the chunk's
	begun  uint64         // how many chunks it has begun
	parked parked
	missing

	flags
	clocked clocking // the owner's
	sunk    sunk
	listed  listed
	over    atomic.Uint64 // the clock's reading when it ended; 0 if it has not
}

// fill is how much of the chunk is filled. It is the owner's.
type fill struct {
	bytes int // writing while a point is written
	marks int
}

// lacks reports whether a chunk has no room for need more bytes and a mark.
func (f *fill) lacks(c *buffers.Chunk, need int) bool {
	return f.bytes+need > len(c.Data) || f.marks == len(c.Marks)
}

// memory is how much of the recorder's memory the thread of a buffer has, besides chunks, and
// how much it lacks.
type memory struct {
	reserved int64        // bytes; the owner's
	wants    atomic.Int64 // bytes, see want
}

// sunk says what of a buffer is in the sink. Its mu guards it.
type sunk struct {
	all  bool // nothing follows
	idle bool // nothing new at the timer's last look
}

// missing counts the points that were dropped since the last note. It is reset with
// swap held, so that it is noted once, by the owner or by a flusher. Only the owner adds to it.
type missing struct {
	dropped atomic.Int64 // trace points
	noteID  int32        // the event id of the note, if any were dropped
	shut    bool         // the last note was taken: nothing more is counted
}

// flags are what all goroutines may see of a buffer.
type flags struct {
	due      atomic.Bool // in the list of threads to be written
	left     atomic.Bool // ended, but its last block is not written
	nonsense atomic.Bool // several goroutines used it: its data is not to be trusted
}

// listed is where a buffer is in the lists, each guarded by the lock of the list.
type listed struct {
	threads, holders int32
}

// clocking is the source of a thread's times.
type clocking uint8

const (
	noTimes clocking = iota
	byCounter
	byTime
)

// now returns a reading of the clock, or 0 if no times are wanted.
func (b *buffer) now() uint64 {
	if b.clocked == byCounter {
		return counter()
	}
	return b.time()
}

// time is now for a processor without a usable counter.
func (b *buffer) time() uint64 {
	if b.clocked == byTime {
		return b.to.clock.Read()
	}
	return 0
}

// starts makes an empty chunk the thread's. swap is held.
func (b *buffer) starts(c *buffers.Chunk) {
	b.begun++
	c.Begins(b.begun, b.to.clock.Restarts())
	c.KeepFor(b.file.Live.Slot(), b.file.ID)
}

// takeFull moves the chunks that are set aside to where putTaken finds them. It returns the
// current one, which follows them. b.mu and b.swap are held.
func (b *buffer) takeFull() *buffers.Chunk {
	b.full, b.taken = buffers.Chunks{}, b.full.First
	return b.chunk.Load()
}

// takeAway takes a thread's chunk away, and returns it with its published part that is not in
// the sink; nil if there was none. Chunks that were set aside are where putTaken finds them.
// b.mu and b.swap are held.
func (b *buffer) takeAway() (*buffers.Chunk, buffers.Part) {
	c := b.takeFull()
	if c == nil {
		return nil, buffers.Part{}
	}
	b.chunk.Store(nil)
	b.to.holders.remove(b)
	c.Taken = c.Published.Load()
	c.KeepLimit()
	return c, c.UpTo(c.Taken)
}

// takeIdle is takeAway from a thread that continues. b.mu is held.
func (b *buffer) takeIdle() (*buffers.Chunk, buffers.Part) {
	b.swap.Lock()
	defer b.swap.Unlock()
	return b.takeAway()
}

// takeLast takes the thread's chunk away. It returns the chunk, its published part, and the
// note of the dropped points after that. mu is held.
func (b *buffer) takeLast() (c *buffers.Chunk, p, note buffers.Part) {
	b.swap.Lock()
	defer b.swap.Unlock()
	c, p = b.takeAway()
	b.shut = true
	return c, p, b.takeNote()
}

// putNote writes the note of the dropped points, and resets the count. swap is held.
func (b *buffer) putNote(note []byte) int {
	n := b.to.layout.PutDropped(note, b.file.ID, b.noteID, b.to.registry.Dropped(), b.dropped.Swap(0))
	b.file.Live.KeepDropped(b.noteID, 0)
	return n
}

// takeNote returns the note of the dropped points as its own part; an empty part if nothing
// was. Everything published before must have been taken already, with swap held since.
func (b *buffer) takeNote() buffers.Part {
	if b.dropped.Load() == 0 {
		return buffers.Part{}
	}
	note, missing := make([]byte, values.DroppedRoom), b.dropped.Load()
	return buffers.Part{Data: note[:b.putNote(note)], Missing: missing}
}

// busy reports whether the thread recorded anything since the last call. mu is held.
func (b *buffer) busy() bool {
	c, before := b.chunk.Load(), b.seen
	if c == nil {
		return true
	}
	b.seen = c.Published.Load()
	return b.seen != before
}

// forgetLive frees what the live file has of a thread. mu is held.
func (b *buffer) forgetLive() {
	if b.to.live == nil {
		return
	}
	b.swap.Lock() // a chunk that begins looks at the record
	had := b.file.Live.Take()
	b.swap.Unlock()
	b.file.Free(b.to.live, had)
}

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

// flusher puts what goroutines recorded into the sink, and manages the memory for it. Any
// goroutine may call its methods at any time. A buffer goes to the sink
//
//   - when it is full: by its goroutine, in [buffer.writeOut], or by the recorder's, in sweepDue
//   - by the timer of [Recorder.run], and on demand, in [Recorder.Flush]: sweep
//   - when memory is needed: reclaim
//   - when its thread ends, and at the end of the recording: finish and end
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
