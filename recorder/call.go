package recorder

import (
	"encoding/binary"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Call is a call that [Thread.Call] began. Its End ends this call and no other: everything
// still open in it ends with it, and a second End does nothing. The End of a zero Call does
// nothing.
type Call struct {
	t *Thread
	// level is how many containers are open around the call, and event its event id. For a call
	// that was not recorded, level is how many lost calls are open including it, and event is
	// minus the number of the loss.
	level, event int32
}

// Call begins a call of a method, as Enter does, and returns a handle to end it. One line
// records a function, however it ends:
//
//	defer t.Call(method, location, recorder.Null(), recorder.Int(n)).End(&result)
func (t *Thread) Call(m Method, at Location, receiver Value, args ...Value) Call {
	if t == nil {
		return Call{}
	}
	return t.begin(m, at, &receiver, args)
}

func (t *Thread) begin(m Method, at Location, receiver *Value, args []Value) Call {
	if t.handsOn() {
		if t = t.hands(true); t == nil {
			return Call{}
		}
	}
	t.enter(m, at, receiver, args, boundCall)
	if t.lost.on {
		return Call{t, t.lost.calls, -t.lost.number}
	}
	l := t.open.innermost()
	if l == nil {
		return Call{} // two goroutines were here at once
	}
	return Call{t, int32(t.open.depth - 1), l.event()}
}

// endRoom makes room for the footer of a call that a handle ends, and ends the containers open
// in it. It returns nil if nothing is to be written: the call has ended, it was lost, or its
// footer is left for later.
func (t *Thread) endRoom(h Call, need int) (*buffers.Chunk, int) {
	if h.event < 0 {
		t.endLost(h)
		return nil, 0
	}
	if !t.has(h) {
		t.misused(ends, 1)
		return nil, 0
	}
	if t.lost.on {
		t.misused(inside, int64(t.lost.calls))
		t.found()
	}
	for depth := t.open.depth; depth-1 > int(h.level); depth = t.open.depth {
		l := t.open.down()
		switch {
		case l == nil:
		case l.call():
			t.misused(inside, 1)
			t.leave(&unfinished, "", l.class, Call{t, int32(t.open.depth - 1), l.count})
		default:
			t.closeLoop()
		}
		if t.open.depth >= depth {
			return nil, 0 // two goroutines were here at once
		}
	}
	t.open.down()
	return t.roomToEnd(need)
}

// endLost ends a call that was not recorded, with those in it.
func (t *Thread) endLost(h Call) {
	l := &t.lost
	if !l.on || l.number != -h.event || l.calls < h.level {
		t.misused(ends, 1)
		return
	}
	t.misused(inside, int64(l.calls-h.level))
	if l.calls = h.level - 1; l.calls == 0 && l.class == format.ClassCall {
		t.found()
	}
}

// unfinished is the result of a call that was never ended.
var unfinished = Value{values.Unfinished}

// footerRoom makes room for the footer of the innermost call, and ends the containers open
// within it. It returns nil if nothing is to be written: there is no call that an Exit ends, it
// was lost, or its footer is left for later.
func (t *Thread) footerRoom(need int) (*buffers.Chunk, int) {
	if t.leaveLost() {
		return nil, 0
	}
	if !t.open.toExit() {
		t.extraExit()
		return nil, 0
	}
	for l := t.open.down(); l != nil && !l.call(); l = t.open.down() {
		t.closeLoop()
	}
	return t.roomToEnd(need)
}

// leaveLost ends the innermost call while the thread is lost. It reports whether nothing is to
// be written: that was a lost call, or there is none.
func (t *Thread) leaveLost() bool {
	l := &t.lost
	if !l.on {
		return false
	}
	if l.calls > 0 {
		if l.calls--; l.calls == 0 && l.class == format.ClassCall {
			t.found()
		}
		return true
	}
	if !t.open.toExit() {
		t.extraExit()
		return true
	}
	t.found() // the call that ends was recorded; the loops in it end with it
	return false
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

// misused counts a wrong use of a thread, unless the thread or the recording has ended. For a
// thread from a context its own end does not matter.
func (t *Thread) misused(count func(m *misuse) *atomic.Int64, n int64) {
	if t.r != nil && t.r.on() && (!t.ended || t.from != nil) {
		count(&t.r.counts.misuse).Add(n)
	}
}

// extraExit counts an Exit that has no call to end. It is not counted if the Exit is handed on,
// since the other thread counts it, or if a thread was refused, since its calls were not
// recorded.
func (t *Thread) extraExit() {
	if t.ended && t.from != nil && (t.hands(false) != nil || t.r.counts.refused.Load() > 0) {
		return
	}
	t.misused(exits, 1)
}

// leaveWith ends a call that has several results. They are recorded as one text, (1, nil),
// which costs an allocation.
func (t *Thread) leaveWith(c Call, results []any) {
	text := make([]byte, 0, 128)
	text = append(text, '(')
	for i, x := range results {
		if i > 0 {
			text = append(text, ", "...)
		}
		v := t.result(x)
		text = t.r.appendValue(text, &v)
	}
	text = append(text, ')')
	result := Value{values.Exact(string(text))}
	t.leave(&result, "", boundCall, c)
}

// Sizes in the file, in bytes, of the larger version.
const (
	callRoom  = format.CallReceiverAt + countSize + format.CallFlagsSize // a call without its values
	countSize = 4                                                        // of the number of arguments
)

// Enter begins a call of a method; what is recorded until its Exit or Panic is within it.
// receiver is Null for a function. Enter does not keep args.
//
// Enter, Exit and Panic are for generated code: Exit ends whatever call is open. [Thread.Call]
// is for functions that a person instruments.
func (t *Thread) Enter(m Method, at Location, receiver Value, args ...Value) {
	if t != nil {
		t.enter(m, at, &receiver, args, format.ClassCall)
	}
}

// enter begins a call. class says what ends it: ClassCall for Exit, boundCall for a handle.
func (t *Thread) enter(m Method, at Location, receiver *Value, args []Value, class format.Class) {
	method := int32(m) - 1
	if up := registry.Upper(int64(m)); up != t.terms.Tag|uint32(len(args)+1) && up != t.terms.Tag {
		method = t.terms.method(m)
	}
	need := callRoom + receiver.v.Room(&t.terms.Terms)
	for i := range args {
		need += args[i].v.Room(&t.terms.Terms)
	}
	c, from := t.chunk.Load(), t.bytes
	if !t.fits(c, from, need) || !t.open.fits() {
		if c, from = t.room(need, forHeader); c == nil {
			if t.handsOn() {
				if own := t.hands(true); own != nil {
					own.enter(m, at, receiver, args, class)
				}
				return
			}
			t.lose(format.ClassCall)
			return
		}
	}
	t.bytes = writing
	b := c.Data[from : from+need]
	t.head(b, format.ClassCall, t.terms.location(at))
	values.PutInt32(b[format.CallMethodAt:], method)
	n := format.CallReceiverAt
	if receiver.v.Kind == values.NullKind {
		n += t.terms.Layout.Put32(b[n:], values.NullKind, uint32(len(args)))
	} else {
		n += receiver.v.Put(b[n:], &t.terms.Terms)
		values.PutInt32(b[n:], int32(len(args)))
		n += countSize
	}
	for i := range args {
		n += args[i].v.Put(b[n:], &t.terms.Terms)
	}
	b[n], b[n+1] = 0, 0 // flags
	t.open.push(class, t.next)
	t.next++
	n += format.CallFlagsSize
	t.mark(c, buffers.HeaderAt(from, from+n), from+n)
}

// Exit ends the innermost call, and the loops still open in it. Without an open call, or if a
// [Call] ends the open one, it does nothing and is counted in [Saved.Misuse].
func (t *Thread) Exit(result Value) {
	if t != nil {
		t.leave(&result, "", format.ClassCall, Call{})
	}
}

// Panic ends the innermost call as one that threw, and the loops still open in it. exception is
// the name of a type, see [PanicType]; "" is shown as "<unknown>".
func (t *Thread) Panic(exception string) {
	if t != nil {
		if exception == "" {
			exception = "<unknown>"
		}
		if t.terms.Layout == nil {
			return // nothing is recorded
		}
		result := Value{t.terms.Layout.Thrown()}
		t.leave(&result, exception, format.ClassCall, Call{})
	}
}

// result makes a value of the result that x points to, as Of does.
func (t *Thread) result(x any) Value {
	switch p := x.(type) {
	case *int:
		if p != nil {
			return Int(*p)
		}
	case *string:
		if p != nil {
			return String(*p)
		}
	case *bool:
		if p != nil {
			return Bool(*p)
		}
	case *error:
		if p != nil {
			return t.r.errorOf(*p)
		}
	case *int64:
		if p != nil {
			return Int64(*p)
		}
	case *float64:
		if p != nil {
			return Float64(*p)
		}
	case *Value:
		if p != nil {
			return *p
		}
	case Value:
		return p
	default:
		if v, ok := t.r.otherResult(hidden(x)); ok {
			return v
		}
	}
	// What End was given need not be what the function returns.
	t.misused(results, 1)
	return Value{values.Untracked}
}

// leave ends a call: the innermost one that an Exit ends, or, if class is boundCall, that of
// the handle.
func (t *Thread) leave(result *Value, exception string, class format.Class, h Call) {
	need := values.CallFooterRoom + result.v.Room(&t.terms.Terms)
	if exception != "" {
		need += 1 + 3*min(len(exception), values.MaxException) + len(values.Ellipsis)
	}
	c, from := t.chunk.Load(), t.bytes
	if l := t.open.innermost(); l == nil || l.class != class || class == boundCall && l.count != h.event || !t.footerFits(c, from, need) {
		if class == boundCall {
			c, from = t.endRoom(h, need)
		} else {
			c, from = t.footerRoom(need)
		}
		if c == nil {
			if own := t.hands(false); own != nil && class != boundCall {
				own.leave(result, exception, class, h)
			}
			t.returned()
			return
		}
	}
	t.bytes = writing
	b := c.Data[from : from+need]
	var n int
	switch {
	case exception != "":
		n = t.threwFooter(b, result, exception)
	case result.v.Kind == values.VoidKind:
		binary.BigEndian.PutUint64(b, t.terms.Layout.Void)
		n = t.terms.Layout.VoidSize
	default:
		b[0] = byte(format.KindFooter)
		n = format.CallResultAt + result.v.Put(b[format.CallResultAt:], &t.terms.Terms)
		b[n], b[n+1] = 0, 0
		n += t.terms.Layout.Returned
	}
	t.open.pop()
	t.mark(c, buffers.FooterAt(from, from+n), from+n)
	if t.open.depth == 0 && t.from != nil {
		t.returned()
	}
}
