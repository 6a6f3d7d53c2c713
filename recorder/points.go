package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Leaves: what happens within a call besides other calls.

// ReadVariable records that a local variable was read.
func (t *Thread) ReadVariable(v Variable, at Location, value Value) {
	if t != nil {
		t.variable(format.ClassVariableRead, v, at, &value)
	}
}

// WriteVariable records that a local variable was set.
func (t *Thread) WriteVariable(v Variable, at Location, value Value) {
	if t != nil {
		t.variable(format.ClassVariableWrite, v, at, &value)
	}
}

func (t *Thread) variable(class format.Class, v Variable, at Location, value *Value) {
	c, from, b := t.leafRoom(format.LeafValueAt + value.v.Room(&t.terms.Terms))
	if c == nil {
		if own := t.hands(true); own != nil {
			own.variable(class, v, at, value)
			own.returned()
		}
		return
	}
	t.head(b, class, t.terms.location(at))
	values.PutInt32(b[format.LeafIDAt:], t.terms.variable(v))
	n := format.LeafValueAt
	n += value.v.Put(b[n:], &t.terms.Terms)
	t.leaf(c, from+n)
}

// ReadField records that a field was read. object is Null for a package variable.
func (t *Thread) ReadField(f Field, at Location, object, value Value) {
	if t != nil {
		t.field(format.ClassFieldRead, f, at, &object, &value)
	}
}

// WriteField records that a field was set. object is Null for a package variable.
func (t *Thread) WriteField(f Field, at Location, object, value Value) {
	if t != nil {
		t.field(format.ClassFieldWrite, f, at, &object, &value)
	}
}

func (t *Thread) field(class format.Class, f Field, at Location, object, value *Value) {
	c, from, b := t.leafRoom(format.LeafValueAt + object.v.Room(&t.terms.Terms) + value.v.Room(&t.terms.Terms))
	if c == nil {
		if own := t.hands(true); own != nil {
			own.field(class, f, at, object, value)
			own.returned()
		}
		return
	}
	t.head(b, class, t.terms.location(at))
	values.PutInt32(b[format.LeafIDAt:], t.terms.field(f))
	n := format.LeafValueAt
	n += object.v.Put(b[n:], &t.terms.Terms)
	n += value.v.Put(b[n:], &t.terms.Terms)
	t.leaf(c, from+n)
}

// ReadElement records that an element of a slice or array was read.
func (t *Thread) ReadElement(array Value, index int, at Location, value Value) {
	if t != nil {
		t.element(format.ClassArrayRead, &array, index, at, &value)
	}
}

// WriteElement records that an element of a slice or array was set.
func (t *Thread) WriteElement(array Value, index int, at Location, value Value) {
	if t != nil {
		t.element(format.ClassArrayWrite, &array, index, at, &value)
	}
}

func (t *Thread) element(class format.Class, array *Value, index int, at Location, value *Value) {
	c, from, b := t.leafRoom(format.ArrayAt + format.ArrayIndexSize + array.v.Room(&t.terms.Terms) + value.v.Room(&t.terms.Terms))
	if c == nil {
		if own := t.hands(true); own != nil {
			own.element(class, array, index, at, value)
			own.returned()
		}
		return
	}
	t.head(b, class, t.terms.location(at))
	n := format.ArrayAt
	n += array.v.Put(b[n:], &t.terms.Terms)
	values.PutInt32(b[n:], int32(index))
	n += format.ArrayIndexSize
	n += value.v.Put(b[n:], &t.terms.Terms)
	t.leaf(c, from+n)
}

// Throw records that a value was thrown: a panic began, an error was made.
func (t *Thread) Throw(exception Value, at Location) {
	if t != nil {
		t.thrown(format.ClassThrow, &exception, at)
	}
}

// Catch records that a value was caught: a panic was recovered, an error handled.
func (t *Thread) Catch(exception Value, at Location) {
	if t != nil {
		t.thrown(format.ClassCatch, &exception, at)
	}
}

func (t *Thread) thrown(class format.Class, exception *Value, at Location) {
	c, from, b := t.leafRoom(format.ThrownAt + exception.v.Room(&t.terms.Terms))
	if c == nil {
		if own := t.hands(true); own != nil {
			own.thrown(class, exception, at)
			own.returned()
		}
		return
	}
	t.head(b, class, t.terms.location(at))
	n := format.ThrownAt
	n += exception.v.Put(b[n:], &t.terms.Terms)
	t.leaf(c, from+n)
}

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
