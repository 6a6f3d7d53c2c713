package recorder

import (
	"errors"
	"math/bits"
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
	t.r.putAside(&t.buffer, errTwice)
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
		t.r.putAside(&t.buffer, errTwice) // another goroutine is using the thread by now
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

// waitForMemory is how long a goroutine waits before it checks for memory again.
const waitForMemory = 50 * time.Microsecond

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
