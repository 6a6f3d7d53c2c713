package recorder

import (
	"encoding/binary"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Thread records what one goroutine does: a thread of the trace. Only one goroutine at a time
// may call its methods. Those of a nil Thread do nothing: that is how recording is switched
// off.
//
// It has more methods than other types: one for each kind of event that a program records, and
// for each of these one that writes it. Everything that a recorded call touches is side by side
// in it: a part reached by a pointer or an interface would cost each call.
type Thread struct {
	writer
	// panics are those that may be passing through open calls; nil if there are none, and
	// recover tells of all.
	panics *panics
	from   *origin // if a context returned the thread
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
