package recorder

import (
	"runtime"
	"strings"
	"sync"
)

// Recording a panic that passes through many calls.
//
// When a function recovers a panic and panics again with the same value, the runtime searches a
// stack that still has all functions which did so before. If each of n calls does it, that
// takes time proportional to n². So only the innermost End does it, and notes the panic. An End
// further out finds among its callers that it runs because another End panicked: then the panic
// is the noted one, and continues by itself.

// passing is a panic that an End noted.
type passing struct {
	event     int32  // the thread's next event id at that moment
	exception string // its type; "" if there were several, and it is unknown which one continues
}

// panics are those that may continue to an open call, oldest first, at most one for each such
// call. When a call ends, those that began in it are removed: they are over, except the one
// that ends the call.
type panics struct {
	list []passing
	wary bool // recover does not tell all panics, see swallowsNil
}

// whyEnd is why an End runs.
type whyEnd int

const (
	unknown whyEnd = iota // recover tells
	passed                // a noted panic passes through the call, which is ended
	again                 // another End panicked
	silent                // there is a panic, but recover may not return it
)

// passes ends a call if a noted panic passes through it, and returns why its End runs, as far
// as that is known.
func (t *Thread) passes(c Call) whyEnd {
	w := t.panics
	if w == nil {
		return unknown // two goroutines were here at once
	}
	list := w.list
	n := len(list)
	for n > 0 && list[n-1].event > c.event {
		n--
	}
	since := list[n:] // from frames that are gone once this call has ended
	w.list = list[:n]
	if len(since) == 0 && !w.wary {
		return unknown
	}
	panics, byEnd := callers()
	if len(since) == 1 && since[0].exception != "" && byEnd {
		result := Value{t.terms.Layout.Thrown()}
		t.leave(&result, since[0].exception, boundCall, c)
		t.panics = w.with(since[0], t.open.bound())
		return passed
	}
	if n == 0 && !w.wary {
		t.panics = nil
	}
	switch {
	case byEnd:
		return again
	case panics && w.wary:
		return silent
	}
	return unknown
}

// threw ends a call that ends by a panic, and notes the panic. again means that another call
// ended by the same panic before.
func (t *Thread) threw(c Call, v any, again bool) {
	exception := PanicType(v)
	if !again {
		t.Throw(t.r.Of(v), 0)
	}
	result := Value{t.terms.Layout.Thrown()}
	t.leave(&result, exception, boundCall, c)
	if t.panics == nil {
		t.panics = new(panics)
	}
	t.panics = t.panics.with(passing{t.next, exception}, t.open.bound())
}

// with adds a panic to those that may continue to the innermost open call, which is around. It
// returns nil if none may continue.
func (w *panics) with(p passing, around *level) *panics {
	switch {
	case w == nil: // two goroutines were here at once
		return nil
	case around == nil && !w.wary:
		return nil
	case around == nil:
		return w
	}
	list := w.list
	if n := len(list); n > 0 && list[n-1].event > around.event() {
		// One of the two is over, or both continue one after the other.
		list[n-1] = passing{event: p.event}
		return w
	}
	w.list = append(list, p)
	return w
}

// callers looks at the callers of the End that called passes. It reports whether that End runs
// because of a panic, and whether another End panicked.
func callers() (panics, byEnd bool) {
	var pcs [2]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])]) // skip Callers, this, passes and End
	first, _ := frames.Next()
	second, _ := frames.Next()
	panics = first.Function == "runtime.gopanic"
	return panics, panics && strings.HasSuffix(second.Function, "/recorder.Call.End")
}

// swallowsNil reports whether recover returns nil for panic(nil), as with GODEBUG=panicnil=1:
// then to recover would end such a panic unseen.
var swallowsNil = sync.OnceValue(func() (swallows bool) {
	defer func() { swallows = recover() == nil }()
	panic(nil)
})
