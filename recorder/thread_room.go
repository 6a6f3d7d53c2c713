package recorder

import (
	"errors"
	"math/bits"
	"runtime"
	"time"

	"tracex/recorder/internal/buffers"
)

// What a Thread does where there is no room at once. All here is the owner's.

// purpose is what room is made for.
type purpose int

const (
	forLeaf purpose = iota
	forHeader
	forFooter
)

// errTwice is how a thread that two goroutines use is mostly found out.
var errTwice = errors.New("an event began before the one before it was complete")

// room makes room for an object of need bytes, and returns where it is. It
// returns nil when what was to be recorded must be left out.
func (t *Thread) room(need int, what purpose) (*buffers.Chunk, int) {
	if what == forHeader && !t.open.fits() && t.open.up() {
		if c, from := t.chunk.Load(), t.bytes; t.fits(c, from, need) {
			return c, from
		}
	}
	if t.r == nil || t.lost.on || t.ended || t.handsOn() || t.nonsense.Load() {
		return nil, 0
	}
	return t.makeRoom(need, what)
}

// twice reports whether another goroutine is in the middle of a point, and puts the
// thread aside if so.
func (t *Thread) twice() bool {
	if t.bytes != writing && !t.slow {
		return false
	}
	t.r.putAside(t, errTwice)
	t.r.problems.tell()
	return true
}

func (t *Thread) makeRoom(need int, what purpose) (c *buffers.Chunk, from int) {
	if t.r.state.Load() != running || t.twice() {
		return nil, 0
	}
	defer t.guard(&c)
	t.slow = true
	t.unpark()
	switch {
	case what != forFooter && t.next == t.limit && !t.takeEvents():
		return nil, 0
	case what == forHeader && !t.open.fits() && !t.deepen():
		return nil, 0
	case !t.catchUp(need):
		return nil, 0
	}
	c, from = t.at(need), t.bytes
	switch {
	case t.r.state.Load() != running:
		c = nil // what was written before did not get to the file
	case c != nil && from+need > len(c.Data):
		t.r.putAside(t, errTwice) // another goroutine is at it by now
		c = nil
	}
	return c, from
}

// deepen adds a piece to the stack of open containers, if there is memory for it.
func (t *Thread) deepen() bool {
	s := &t.open
	if !t.r.reserve(pieceSize) {
		t.r.outOf("another call", int64(s.depth))
		return false
	}
	t.reserved += pieceSize
	s.top.above = &levels{below: s.top}
	return s.up()
}

// at returns the chunk in which there is room for an object of need bytes, behind
// t.bytes.
func (t *Thread) at(need int) *buffers.Chunk {
	c := t.chunk.Load()
	if c == nil || t.bytes+need > len(c.Data) || t.marks == len(c.Marks) {
		if need = max(need, buffers.BytesPerMark); need > t.r.largest {
			return nil
		}
		return t.space(c, need)
	}
	return c
}

// space returns a chunk with room for need bytes, instead of one that has not.
func (t *Thread) space(c *buffers.Chunk, need int) (next *buffers.Chunk) {
	switch config := &t.r.config; {
	case c == nil:
	case config.Strategy == CollectAndDump:
		next = t.keep(c, need)
	case config.OnFull == Drop:
		if t.wants.Load() > 0 {
			return nil // the recorder's goroutine has not come by yet
		}
		next = t.handOver(c, need)
	default:
		if next = t.relieved(c, need); next == nil {
			next = t.writeOut(c, need)
		}
	}
	if next == nil && t.chunk.Load() == nil { // it was taken away, or given up
		return t.first(need)
	}
	return next
}

// writeOut puts what is published into the sink, and returns a chunk with room
// for need bytes, or nil when the thread has none: there is no memory for a
// larger one, or it was taken away meanwhile.
func (t *Thread) writeOut(c *buffers.Chunk, need int) *buffers.Chunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.chunk.Load() != c {
		return nil
	}
	t.r.putAll(t)
	next := t.grown(c, need)
	if next == nil {
		t.install(nil)
		t.r.pool.Put(c)
	}
	return next
}

// relieved leaves a full chunk to the recorder's goroutine, if that has taken the
// one before it and there is memory for another.
func (t *Thread) relieved(c *buffers.Chunk, need int) *buffers.Chunk {
	if t.r.worker.wake == nil || len(c.Data) < t.r.config.BlockSize || need > len(c.Data) || t.setAside() {
		return nil
	}
	next := t.follow(c, t.r.pool.Get(len(c.Data)))
	if next != nil {
		t.r.later(t)
	}
	return next
}

// waitForMemory is how long a goroutine waits before it looks again whether there
// is memory.
const waitForMemory = 50 * time.Microsecond

// first gets a chunk for a thread that has none. It waits for memory where the
// policy is to stall. The thread holds nothing then that another one could wait
// for. What it had may be on its way to the sink, by who holds mu; what comes into
// the new chunk is put behind that.
func (t *Thread) first(need int) *buffers.Chunk {
	size := sizeFor(need, buffers.First)
	if t.wants.Load() > 0 {
		return nil // the recorder's goroutine has not come by yet
	}
	for t.r.state.Load() == running {
		if c := t.r.pool.Get(size); c != nil {
			t.install(c)
			return c
		}
		if t.r.config.Strategy == CollectAndDump {
			t.r.problems.fail(ErrMemory)
			return nil
		}
		if t.r.config.OnFull == Drop {
			t.want(t.r.pool.Cost(size))
			return nil
		}
		if !t.r.reclaim(t.r.pool.Cost(size)) {
			time.Sleep(waitForMemory) // who has it all is writing
		}
	}
	return nil
}

// grown gives a thread whose chunk is in the sink one with room for need bytes:
// a larger one while there is memory, or a smaller one than was needed for a
// large object; else the same again. mu is held.
func (t *Thread) grown(c *buffers.Chunk, need int) *buffers.Chunk {
	if size := t.nextSize(c, need); size != len(c.Data) {
		if other := t.r.pool.Get(size); other != nil {
			t.install(other)
			t.r.pool.Put(c)
			return other
		}
	}
	if need > len(c.Data) {
		return nil
	}
	t.r.pool.Prepare(c)
	t.install(c)
	return c
}

// nextSize is the size of the chunk behind one that is full.
func (t *Thread) nextSize(c *buffers.Chunk, need int) int {
	return sizeFor(need, min(4*len(c.Data), t.r.config.BlockSize))
}

// keep keeps a full chunk for the dump and goes on in another one.
func (t *Thread) keep(c *buffers.Chunk, need int) *buffers.Chunk {
	next := t.r.pool.Get(t.nextSize(c, need))
	if next == nil {
		if next = t.r.pool.Get(sizeFor(need, buffers.First)); next == nil {
			t.r.problems.fail(ErrMemory)
			return nil
		}
	}
	return t.follow(c, next)
}

// handOver leaves a full chunk to the recorder's goroutine, and goes on in
// another one while there is memory, or in the same one when all of it is
// written. It waits for nobody.
func (t *Thread) handOver(c *buffers.Chunk, need int) *buffers.Chunk {
	size, least := t.nextSize(c, need), sizeFor(need, buffers.First)
	other := t.r.pool.Get(size)
	if other == nil && size > least {
		other = t.r.pool.Get(least)
	}
	next := t.follow(c, other)
	if next == nil {
		if next = t.again(c, need); next != nil {
			return next
		}
		if t.chunk.Load() == c { // else it was taken away, and there may be memory now
			t.want(t.r.pool.Cost(least))
		}
		return nil
	}
	t.r.later(t)
	// Without this, many busy goroutines would leave the recorder's one no
	// processor, and most of what they record would be dropped.
	runtime.Gosched()
	return next
}

// again returns the thread's chunk as an empty one if all of it is in the sink,
// and nobody is looking at the thread. So a thread that has one can always go on,
// as soon as it is written.
func (t *Thread) again(c *buffers.Chunk, need int) *buffers.Chunk {
	if need > len(c.Data) || !t.mu.TryLock() {
		return nil
	}
	defer t.mu.Unlock()
	if t.chunk.Load() != c || t.setAside() || len(c.Pending().Data) > 0 {
		return nil
	}
	t.file.passed(c)
	t.r.pool.Prepare(c)
	t.install(c)
	return c
}

// want asks the recorder's goroutine for so many bytes of memory: to write what
// is in the thread's chunk, and where it has none, to take that of others.
func (t *Thread) want(bytes int64) {
	t.wants.Store(bytes)
	t.r.later(t)
}

// follow sets a full chunk aside and goes on in next. It returns nil when there
// is no next, or the chunk was taken away meanwhile.
func (t *Thread) follow(c, next *buffers.Chunk) *buffers.Chunk {
	if next == nil {
		return nil
	}
	t.r.clock.Notice()
	t.swap.Lock()
	defer t.swap.Unlock()
	if t.chunk.Load() != c {
		t.r.pool.Put(next)
		return nil
	}
	t.starts(next)
	t.full.Add(c)
	t.bytes, t.marks = 0, 0
	t.chunk.Store(next)
	return next
}

// setAside reports whether chunks wait to be put into the sink.
func (t *Thread) setAside() bool {
	t.swap.Lock()
	defer t.swap.Unlock()
	return t.full.First != nil
}

// install makes an empty chunk the thread's, or none. mu is held where it has one.
func (t *Thread) install(c *buffers.Chunk) {
	if c != nil {
		t.r.clock.Notice()
	}
	t.swap.Lock()
	defer t.swap.Unlock()
	if c != nil {
		t.starts(c)
	}
	t.bytes, t.marks = 0, 0
	switch had := t.chunk.Swap(c) != nil; {
	case c != nil && !had:
		t.r.holders.add(t)
	case c == nil && had:
		t.r.holders.remove(t)
	}
}

// sizeFor is the size of a chunk that has room for need bytes: least, or the
// power of two above.
func sizeFor(need, least int) int {
	if need <= least {
		return least
	}
	return 1 << bits.Len(uint(need-1))
}

// takeEvents takes the next event ids for this thread: few at first, as most
// goroutines are short.
func (t *Thread) takeEvents() bool {
	t.batch = min(max(2*t.batch, firstBatch), lastBatch)
	end := t.r.events.Add(int64(t.batch))
	t.next, t.limit = min(end-int64(t.batch), eventIDs), min(end, eventIDs)
	if t.next == t.limit {
		t.r.problems.fail(ErrEvents)
		return false
	}
	return true
}

const (
	firstBatch = 16
	lastBatch  = 1 << 12
	// eventIDs is how many there are for trace points. The last one is kept for
	// the notes of what is missing when they are used up.
	eventIDs  = 1<<31 - 1
	lastEvent = eventIDs
)
