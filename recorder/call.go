package recorder

import (
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
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

// What threads count.
func exits(m *misuse) *atomic.Int64 { return &m.exits }

func ends(m *misuse) *atomic.Int64 { return &m.ends }

func inside(m *misuse) *atomic.Int64 { return &m.inside }

func results(m *misuse) *atomic.Int64 { return &m.results }

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
