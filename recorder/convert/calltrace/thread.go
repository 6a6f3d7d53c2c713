package calltrace

import (
	"math"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// Why the Writer itself leaves something out.
var (
	backwards = fit.Why("time before that of the event before; moved to it", "times before those of the events before; moved to them")
	early     = fit.Why("event from before the beginning; moved to it", "events from before the beginning; moved to it")
	noBegin   = fit.Why("end without a begin", "ends without a begin")
	tooDeep   = fit.Why("call nested too deeply", "calls nested too deeply")
)

const (
	maxOpen  = 1 << 21 // calls that are open in all threads
	maxDepth = 1 << 19 // in one
)

// Thread makes a thread.
func (w *Writer) Thread(name string) *Thread {
	t := &Thread{w: w, last: math.MinInt64}
	t.block.Name, t.block.Named = fit.Name(name), true
	return t
}

// SetName names the thread anew, at any time before Close and Finish.
func (t *Thread) SetName(name string) {
	if t.block.Name != name {
		t.block.Name = fit.Name(name)
	}
}

// Depth returns how many calls are open.
func (t *Thread) Depth() int { return len(t.stack) + t.buried }

// begin numbers the thread, unless it has a number.
func (t *Thread) begin() error {
	w := t.w
	switch {
	case w.err != nil:
		return w.err
	case t.closed || w.finished:
		return errFinished
	case t.begun:
		return nil
	case w.probe:
		w.err = errProbed
		return w.err
	}
	if w.blocks.To == nil {
		w.setOrigin(min(0, w.first))
	}
	var ok bool
	if t.block.Thread, ok = w.blocks.To.NextThread(); !ok {
		w.err = errNumbers
		return w.err
	}
	t.begun = true
	t.prev, t.next = w.live.prev, &w.live
	t.prev.next, t.next.prev = t, t
	w.blocks.Equip(&t.block)
	return w.unspillDescriptors(t)
}

// wrote looks after what was added to the thread's block.
func (t *Thread) wrote() error {
	if err := t.w.blocks.Wrote(&t.block); err != nil {
		t.w.err = err
	}
	return t.w.err
}

// Begin begins a call at a time, in ns. c and what it refers to may be used again afterwards.
func (t *Thread) Begin(ns int64, c *Call) error {
	ns = t.w.note(ns)
	if err := t.begin(); err != nil {
		return err
	}
	ns = t.at(ns)
	if t.deep() {
		t.buried++
		return nil
	}
	event, err := t.w.number()
	if err != nil {
		return err
	}
	return t.push(ns, event, t.w.encoder.call(t.block.Bytes(), t.block.Thread, event, c))
}

// deep reports whether the thread has no room for another call inside the open ones, and counts it.
func (t *Thread) deep() bool {
	if t.buried > 0 || len(t.stack) >= maxDepth || t.w.open >= maxOpen {
		t.w.left.Count(tooDeep, 1, -1)
		return true
	}
	return false
}

// push begins a call, whose header data ends with.
func (t *Thread) push(ns int64, event int32, data []byte) error {
	t.stack = append(t.stack, t.block.Begin(data, event, ns-t.w.blocks.To.Origin))
	t.w.open++
	return t.wrote()
}

// End ends the innermost call. Without one it is counted and left out.
func (t *Thread) End(ns int64, e *End) error {
	ns = t.w.note(ns)
	if err := t.begin(); err != nil {
		return err
	}
	ns = t.at(ns)
	switch {
	case t.buried > 0:
		t.buried--
		return nil
	case len(t.stack) == 0:
		t.w.left.Count(noBegin, 1, -1)
		return nil
	}
	return t.pop(ns, t.w.encoder.footer(t.block.Bytes(), e))
}

// pop ends the innermost call, whose footer data ends with.
func (t *Thread) pop(ns int64, data []byte) error {
	top := len(t.stack) - 1
	t.block.End(data, &t.stack[top], ns-t.w.blocks.To.Origin)
	t.stack = t.stack[:top]
	t.w.open--
	return t.wrote()
}

// Set writes that a variable got a value, at the current moment of the thread.
func (t *Thread) Set(name string, v *format.Value) error {
	return t.leaf(format.ClassVariableWrite, t.w.variable(name), v)
}

// variable returns the number of a variable.
func (w *Writer) variable(name string) int32 {
	id := w.dict.Variable([]byte(name), Anything)
	w.described()
	return id
}

// Throw writes that an exception was thrown, or caught, at the current moment.
func (t *Thread) Throw(v *format.Value, caught bool) error {
	class := format.ClassThrow
	if caught {
		class = format.ClassCatch
	}
	return t.leaf(class, none, v)
}

func (t *Thread) leaf(class format.Class, ref int32, v *format.Value) error {
	if t.w.probe { // it has no time of its own
		return t.w.err
	}
	if err := t.begin(); err != nil {
		return err
	}
	event, err := t.w.number()
	if err != nil {
		return err
	}
	t.block.Leaf(t.w.encoder.leaf(t.block.Bytes(), class, t.block.Thread, event, ref, v))
	return t.wrote()
}

// Close ends the thread at a time: the calls that are open end as unknown. It frees its memory;
// nothing may be added afterwards.
func (t *Thread) Close(ns int64) error {
	if t.closed {
		return t.w.err
	}
	if !t.begun {
		t.closed = true
		return t.w.err
	}
	ns = t.at(t.w.note(ns))
	for len(t.stack) > 0 && t.w.err == nil {
		_ = t.pop(ns, t.w.encoder.footer(t.block.Bytes(), &End{Unknown: true}))
	}
	return t.end()
}

// end writes the rest of a thread without open calls.
func (t *Thread) end() error {
	t.closed = true
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
	t.w.open -= len(t.stack)
	if t.w.err != nil {
		return t.w.err
	}
	t.w.err = t.w.blocks.End(&t.block)
	t.stack = nil
	return t.w.err
}

// unspillDescriptors writes the descriptors in the temporary file, in blocks of a thread that has no
// events yet.
func (w *Writer) unspillDescriptors(t *Thread) error {
	if w.spilled == nil {
		return nil
	}
	records := w.spool.OpenBeside(w.spilled)
	w.spilled = nil
	for records.Next() && w.err == nil {
		t.block.Reference(records.Body, w.options.Version)
		_ = t.wrote()
	}
	if w.err == nil {
		w.err = records.Err()
	}
	return w.err
}
