package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Loop begins a loop. Each Iteration begins an iteration; EndLoop ends the loop, and so does
// the Exit of the call around it. A loop is identified by its location, which should have
// [CodeLocation.Loop] set.
func (t *Thread) Loop(at Location) {
	if t == nil {
		return
	}
	t.openLoop(format.ClassLoop, at, 0)
}

// Iteration begins the next iteration of the innermost loop, and ends the one before it.
// Outside of a loop it does nothing.
func (t *Thread) Iteration(at Location) {
	if t == nil || t.iterateLost() {
		return
	}
	if t.handsOn() {
		t.hands(false).Iteration(at)
		return
	}
	if loop := t.leaveIteration(); loop != nil {
		loop.count++
		t.openLoop(format.ClassIteration, at, loop.count-1)
	}
}

// EndLoop ends the innermost loop with its last iteration. Outside of a loop it does nothing.
func (t *Thread) EndLoop() {
	if t == nil || t.endLostLoop() {
		return
	}
	if t.handsOn() {
		t.hands(false).EndLoop()
		return
	}
	if t.leaveIteration() != nil {
		t.closeLoop()
	}
	t.returned()
}

// openLoop writes the header of a loop or an iteration.
func (t *Thread) openLoop(class format.Class, at Location, number int32) {
	c, from := t.chunk.Load(), t.bytes
	if !t.fits(c, from, format.IterationHeadSize) || !t.open.fits() {
		if c, from = t.room(format.IterationHeadSize, forHeader); c == nil {
			if t.handsOn() {
				if own := t.hands(true); own != nil {
					own.openLoop(class, at, number)
				}
				return
			}
			t.lose(class)
			return
		}
	}
	t.bytes = writing
	b := c.Data[from : from+format.IterationHeadSize]
	location := t.terms.location(at)
	t.head(b, class, location)
	values.PutInt32(b[format.LoopIDAt:], registry.LoopAt(location))
	n := format.LoopHeadSize
	if class == format.ClassIteration {
		values.PutInt32(b[format.IterationNumberAt:], number)
		n = format.IterationHeadSize
	}
	t.next++
	t.open.push(class, 0)
	t.mark(c, buffers.HeaderAt(from, from+n), from+n)
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
