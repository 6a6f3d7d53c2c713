package recorder

import (
	"errors"
	"math/bits"
	"runtime"
	"time"

	"tracex/recorder/internal/buffers"
)

// Making room when there is none at once. Only the owner runs this.

// purpose is what room is made for.
type purpose int

const (
	forLeaf purpose = iota
	forHeader
	forFooter
)

// errTwice is how the use of a thread by two goroutines is mostly detected.
var errTwice = errors.New("an event began before the one before it was complete")

// room makes room for an object of need bytes, and returns where it is. It returns nil if the
// object must be left out.
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

// twice reports whether another goroutine is in the middle of a point, and if so puts the
// thread aside.
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
		c = nil // the data written before did not get to the file
	case c != nil && from+need > len(c.Data):
		t.r.putAside(t, errTwice) // another goroutine is using the thread by now
		c = nil
	}
	return c, from
}

// deepen adds a segment to the stack of open containers, if there is memory for it.
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

// at returns the chunk in which there is room for an object of need bytes at t.bytes.
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

// space returns a chunk with room for need bytes, to replace one without.
func (t *Thread) space(c *buffers.Chunk, need int) (next *buffers.Chunk) {
	switch config := &t.r.config; {
	case c == nil:
	case config.Strategy == CollectAndDump:
		next = t.keep(c, need)
	case config.OnFull == Drop:
		if t.wants.Load() > 0 {
			return nil // the recorder's goroutine has not looked yet
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

// writeOut puts the published data into the sink, and returns a chunk with room for need bytes,
// or nil if the thread has none: there is no memory for a larger one, or it was taken away
// meanwhile.
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

// relieved leaves a full chunk to the recorder's goroutine, if that has taken the previous one
// and there is memory for another.
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

// waitForMemory is how long a goroutine waits before it checks for memory again.
const waitForMemory = 50 * time.Microsecond

// first gets a chunk for a thread that has none. It waits for memory if the policy is to stall;
// the thread then holds nothing that another one could wait for. Its earlier data may be on its
// way to the sink, by the holder of mu; the content of the new chunk is put after that.
func (t *Thread) first(need int) *buffers.Chunk {
	size := sizeFor(need, buffers.First)
	if t.wants.Load() > 0 {
		return nil // the recorder's goroutine has not looked yet
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
			time.Sleep(waitForMemory) // the others that have it are writing
		}
	}
	return nil
}

// grown gives a thread whose chunk is in the sink one with room for need bytes: a larger one
// while there is memory, or a smaller one than a large object needed; else the same one. mu is
// held.
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

// nextSize returns the size of the chunk that follows a full one.
func (t *Thread) nextSize(c *buffers.Chunk, need int) int {
	return sizeFor(need, min(4*len(c.Data), t.r.config.BlockSize))
}

// keep keeps a full chunk for the dump and continues in another one.
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

// handOver leaves a full chunk to the recorder's goroutine, and continues in another one while
// there is memory, or in the same one once all of it is written. It never waits.
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
		if t.chunk.Load() == c { // otherwise it was taken away, and there may be memory now
			t.want(t.r.pool.Cost(least))
		}
		return nil
	}
	t.r.later(t)
	// Without this, many busy goroutines would leave the recorder's goroutine no processor, and
	// most of what they record would be dropped.
	runtime.Gosched()
	return next
}

// again returns the thread's chunk, emptied, if all of it is in the sink and no other goroutine
// is using the thread. So a thread with a chunk can always continue once that is written.
func (t *Thread) again(c *buffers.Chunk, need int) *buffers.Chunk {
	if need > len(c.Data) || !t.mu.TryLock() {
		return nil
	}
	defer t.mu.Unlock()
	if t.chunk.Load() != c || t.setAside() || len(c.Pending().Data) > 0 {
		return nil
	}
	t.file.Passed(c)
	t.r.pool.Prepare(c)
	t.install(c)
	return c
}

// want asks the recorder's goroutine for so many bytes of memory: to write the thread's chunk,
// or, if it has none, to take those of others.
func (t *Thread) want(bytes int64) {
	t.wants.Store(bytes)
	t.r.later(t)
}

// follow sets a full chunk aside and continues in next. It returns nil if next is nil, or the
// chunk was taken away meanwhile.
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

// install gives the thread an empty chunk, or none. If it has one, mu is held.
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

// sizeFor returns the size of a chunk with room for need bytes: least, or the next power of
// two.
func sizeFor(need, least int) int {
	if need <= least {
		return least
	}
	return 1 << bits.Len(uint(need-1))
}

// takeEvents takes the next event ids for this thread: few at first, as most goroutines are
// short.
func (t *Thread) takeEvents() bool {
	t.batch = min(max(2*t.batch, firstBatch), lastBatch)
	end := t.r.events.Add(int64(t.batch))
	t.next, t.limit = int32(min(end-int64(t.batch), eventIDs)), int32(min(end, eventIDs))
	if t.next == t.limit {
		t.r.problems.fail(ErrEvents)
		return false
	}
	return true
}

const (
	firstBatch = 16
	lastBatch  = 1 << 12
	// eventIDs is how many exist for trace points. The last one is reserved for the notes of
	// missing points after that.
	eventIDs  = 1<<31 - 1
	lastEvent = eventIDs
)
