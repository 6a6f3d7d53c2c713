package recorder

import (
	"runtime"
	"strings"
)

// Recording a panic that passes through many calls.
//
// When a function recovers a panic and panics again with the same value, the runtime searches a
// stack that still has all functions which did so before. If each of n calls does it, that
// takes time proportional to n². So only the innermost End does it, and notes the panic. An End
// further out finds among its callers that it runs because another End panicked: then the panic
// is the noted one, and continues by itself.

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

// End ends the call, with the results of the function. It takes pointers to them, since it is
// to be deferred, when the results are not known yet. A result is recorded as [Recorder.Of]
// makes it a value; several results as one text in parentheses. A [Value] is recorded as it is.
//
// A panic that passes through the function is recorded as what the call threw, by the name of
// its type, and where it is first met also as a Throw with its text. It continues with the same
// value. For that, End itself must be deferred: called by a deferred function, it cannot see
// the panic, and records the results.
//
// A function that runtime.Goexit ends, as FailNow of a test does, is recorded as one that
// returned, with the values its results have then.
//
// End ends the loops that are open in the call, and calls that were not ended, which are shown
// as unfinished and counted in [Saved.Misuse].
func (c Call) End(results ...any) {
	t := c.t
	if t == nil {
		return
	}
	how := unknown
	if t.panics != nil {
		if how = t.passes(c); how == passed {
			return
		}
	}
	if v := recover(); v != nil || how >= again {
		t.threw(c, v, how == again)
		panic(v)
	}
	switch len(results) {
	case 0:
		result := Void()
		t.leave(&result, "", boundCall, c)
	case 1:
		result := t.result(results[0])
		t.leave(&result, "", boundCall, c)
	default:
		t.leaveWith(c, results)
	}
}
