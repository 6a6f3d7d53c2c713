package recorder

import (
	"math"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/values"
)

// writer writes trace points into the buffer of its goroutine. It leaves out those for which there
// is no room, and what is in them: see writer_dropped.go.
type writer struct {
	buffer
	terms
	next, limit int32 // event ids left: next to limit-1
	open        stack
	lagging     bool // something is owed, lost or was dropped: take the slow path
	slow        bool // the slow path is being taken
	ended       bool
	resting     bool  // the thread rests, see origin
	owed        int32 // ended containers above those of open, without room for their footers
	batch       int32 // how many event ids to take next
	lost        lost
}

// writing is the value of buffer.bytes while a point is being written: nothing fits after it.
// So a second goroutine that records meanwhile is detected.
const writing = math.MaxInt/2 + 1

// threwFooter writes the footer of a call that threw.
func (w *writer) threwFooter(b []byte, result *Value, exception string) int {
	b[0] = byte(format.KindFooter)
	n := format.CallResultAt + result.v.Put(b[format.CallResultAt:], &w.terms.Terms)
	return n + w.terms.Layout.PutThrown(b[n:], exception)
}

// fits reports whether a point of need bytes can be written to c at once. A container also
// needs a level of the stack.
func (w *writer) fits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !w.lagging && from+need <= len(c.Data) && w.marks < len(c.Marks) && w.next < w.limit
}

func (w *writer) footerFits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !w.lagging && from+need <= len(c.Data) && w.marks < len(c.Marks)
}

// head writes what all points begin with. For a container that includes that it has no diff
// statuses.
func (w *writer) head(b []byte, class format.Class, location int32) {
	w.terms.Layout.PutPointHead(b, class, location, w.file.ID, w.next)
}

// mark publishes a header or a footer, which ends at to, with a mark.
func (w *writer) mark(c *buffers.Chunk, at uint64, to int) {
	i := w.marks
	if i >= len(c.Marks) {
		w.bytes = to
		return // two goroutines were here at once
	}
	m := &c.Marks[i]
	m.Range = at
	if w.clocked == byCounter {
		m.Reading = counter()
	} else {
		m.Reading = w.time()
	}
	w.marks, w.bytes = i+1, to
	c.Published.Store(buffers.Pack(to, i+1))
	if w.chunk.Load() != c {
		w.rescue(c)
	}
}

// marked is mark for an owed footer.
func (w *writer) marked(c *buffers.Chunk, m buffers.Mark, to int) {
	c.Marks[w.marks] = m
	w.marks, w.bytes = w.marks+1, to
	w.publish(c)
}

func (w *writer) leaf(c *buffers.Chunk, to int) {
	w.next++
	w.bytes = to
	w.publish(c)
}

// publish makes the written data visible to flushers.
func (w *writer) publish(c *buffers.Chunk) {
	c.Published.Store(buffers.Pack(w.bytes, w.marks))
	if w.chunk.Load() != c {
		w.rescue(c)
	}
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

// has reports whether the call of a handle is open.
func (w *writer) has(h Call) bool {
	i := int(h.level)
	if i >= w.open.depth {
		return false
	}
	segment := w.open.segment(i)
	if segment == nil || i < 0 {
		return false // two goroutines were here at once
	}
	l := &segment.level[uint(i)%segmentLevels]
	return l.class == boundCall && l.count == h.event
}

// leaveIteration ends the open iteration. It returns the loop that is innermost then, or nil.
func (w *writer) leaveIteration() *level {
	l := w.open.down()
	if l != nil && l.class == format.ClassIteration {
		w.closeLoop()
		l = w.open.down()
	}
	if l == nil || l.class != format.ClassLoop {
		return nil
	}
	return l
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
