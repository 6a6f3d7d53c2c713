package recorder

import (
	"errors"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/values"
)

// Making room for an object: event ids, a level of the stack, then bytes of the buffer. Only the
// owner runs this. memory.go has the overview.

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
func (w *writer) room(need int, what purpose) (*buffers.Chunk, int) {
	if what == forHeader && !w.open.fits() && w.open.up() {
		if c, from := w.chunk.Load(), w.bytes; w.fits(c, from, need) {
			return c, from
		}
	}
	if w.r == nil || w.lost.on || w.ended || w.resting || w.nonsense.Load() {
		return nil, 0
	}
	return w.makeRoom(need, what)
}

// twice reports whether another goroutine is in the middle of a point, and if so puts the
// thread into quarantine.
func (w *writer) twice() bool {
	if w.bytes != writing && !w.slow {
		return false
	}
	w.r.quarantine(&w.buffer, errTwice)
	w.r.problems.tell()
	return true
}

func (w *writer) makeRoom(need int, what purpose) (c *buffers.Chunk, from int) {
	if w.r.state.Load() != running || w.twice() {
		return nil, 0
	}
	defer w.guard(&c)
	w.slow = true
	w.unpark()
	switch {
	case what != forFooter && w.next == w.limit && !w.takeEvents():
		return nil, 0
	case what == forHeader && !w.open.fits() && !w.deepen():
		return nil, 0
	case !w.catchUp(need):
		return nil, 0
	}
	c, from = w.at(need), w.bytes
	switch {
	case w.r.state.Load() != running:
		c = nil // the data written before did not get to the file
	case c != nil && from+need > len(c.Data):
		w.r.quarantine(&w.buffer, errTwice) // another goroutine is using the thread by now
		c = nil
	}
	return c, from
}

// deepen adds a segment to the stack of open containers, if there is memory for it.
func (w *writer) deepen() bool {
	s := &w.open
	if !w.r.reserve(segmentSize) {
		w.r.outOf("another call", int64(s.depth))
		return false
	}
	w.reserved += segmentSize
	s.top.above = &levels{below: s.top}
	return s.up()
}

// leafRoom returns the chunk for a leaf of at most need bytes, and where in it, or nil if the
// leaf is dropped.
func (w *writer) leafRoom(need int) (c *buffers.Chunk, from int, b []byte) {
	c, from = w.chunk.Load(), w.bytes
	if !w.fits(c, from, need) {
		if c, from = w.room(need, forLeaf); c == nil {
			if !w.ended && !w.resting {
				w.drop()
			}
			return nil, 0, nil
		}
	}
	w.bytes = writing
	return c, from, c.Data[from : from+need]
}

// closeLoop writes the footer of the innermost loop or iteration.
func (w *writer) closeLoop() {
	c, from := w.chunk.Load(), w.bytes
	if !w.footerFits(c, from, format.LoopFooterSize) {
		if c, from = w.room(format.LoopFooterSize, forFooter); c == nil {
			w.owe()
			return
		}
	}
	w.bytes = writing
	to := from + format.FooterSize
	b := c.Data[from : from+format.LoopFooterSize]
	b[0] = byte(format.KindFooter)
	if l := w.open.down(); l != nil && l.class == format.ClassLoop {
		values.PutInt32(b[format.LoopIterationsAt:], l.count)
		to = from + format.LoopFooterSize
	}
	w.open.pop()
	w.mark(c, buffers.FooterAt(from, to), to)
}

// roomToEnd makes room for the footer of the innermost container. It returns nil if that is
// left for later.
func (w *writer) roomToEnd(need int) (*buffers.Chunk, int) {
	if c, from := w.chunk.Load(), w.bytes; w.footerFits(c, from, need) {
		return c, from
	}
	c, from := w.room(need, forFooter)
	if c == nil {
		w.owe()
	}
	return c, from
}
