package recorder

import (
	"runtime"
	"strings"
	"sync"
)

// How a panic that goes through many calls is recorded.
//
// Whoever recovers a panic and panics with the same value again has the runtime
// search a stack on which all who did so before still stand. In each of n calls,
// that takes time that grows with n². So only the innermost End does it, and notes
// the panic. An End further out finds among its callers that it runs because
// another End panicked: then the panic is the noted one, and goes on by itself.

// passing is a panic that an End noted.
type passing struct {
	event     int32  // the thread's next event id at that moment
	exception string // its type; "": there were several, and it is not known which goes on
}

// panics are those that may go on to a call which is open, oldest first, one
// for each such call at most. A call that ends takes those that began in it along:
// they are over, but for the one that it ends by.
type panics struct {
	list []passing
	wary bool // recover does not tell all panics, see swallowsNil
}

// whyEnd is why an End runs.
type whyEnd int

const (
	unknown whyEnd = iota // recover tells
	passed                // a panic that was noted goes through the call, which is ended
	again                 // another End panicked
	silent                // there is a panic, of which recover may not tell
)

// passes ends a call through which a panic goes that was noted, and says what is
// known of why its End runs.
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
	since := list[n:] // of frames that are gone when this call has ended
	w.list = list[:n]
	if len(since) == 0 && !w.wary {
		return unknown
	}
	panics, byEnd := callers()
	if len(since) == 1 && since[0].exception != "" && byEnd {
		result := t.layout.thrown()
		t.leave(&result, since[0].exception, boundCall, c)
		t.noted(since[0])
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

// threw ends a call that ends by a panic, and notes that. again: another call did,
// by the same panic.
func (t *Thread) threw(c Call, v any, again bool) {
	exception := PanicType(v)
	if !again {
		t.Throw(t.panicValue(v), 0)
	}
	result := t.layout.thrown()
	t.leave(&result, exception, boundCall, c)
	if t.panics == nil {
		t.panics = new(panics)
	}
	t.noted(passing{int32(t.next), exception})
}

// noted adds a panic to those that may go on to the innermost call that is open.
func (t *Thread) noted(p passing) {
	w := t.panics
	if w == nil {
		return // two goroutines were here at once
	}
	around := t.open.bound()
	if around == nil {
		if !w.wary {
			t.panics = nil
		}
		return
	}
	list := w.list
	if n := len(list); n > 0 && list[n-1].event > around.event() {
		// One of the two is over, or both go on one after the other.
		list[n-1] = passing{event: p.event}
		return
	}
	w.list = append(list, p)
}

// callers looks at the callers of the End that called passes: it reports whether
// that runs because of a panic, and whether it was an End that panicked.
func callers() (panics, byEnd bool) {
	var pcs [2]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])]) // behind Callers, this, passes and End
	first, _ := frames.Next()
	second, _ := frames.Next()
	panics = first.Function == "runtime.gopanic"
	return panics, panics && strings.HasSuffix(second.Function, "/recorder.Call.End")
}

// swallowsNil reports whether recover returns nil for panic(nil), as the setting
// panicnil of GODEBUG has it: to recover would end such a panic unseen.
var swallowsNil = sync.OnceValue(func() (swallows bool) {
	defer func() { swallows = recover() == nil }()
	panic(nil)
})
