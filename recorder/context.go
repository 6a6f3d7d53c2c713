package recorder

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/petermattis/goid"

	"tracex/recorder/internal/values"
)

// threadKey is the key of a context's carried thread.
type threadKey struct{}

// NewContext returns a context that carries the calling goroutine's thread, for functions that
// are not given one. If another goroutine records through the context, its thread notes that it
// came from the call that is open now.
func NewContext(ctx context.Context, t *Thread) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if t == nil || t.handsOn() && t.ended {
		return ctx
	}
	c := &carried{thread: t, goroutine: goroutine(), event: -1}
	if l := t.open.call(); l != nil {
		c.event = l.event()
	}
	return context.WithValue(ctx, threadKey{}, c)
}

// FromContext returns the thread in which the calling goroutine records, given a context. That
// is the thread that ctx carries, if this goroutine put it there. If ctx carries none, it is
// nil, whose methods do nothing.
//
// A context may be passed on. In another goroutine FromContext returns that goroutine's own
// thread: the one of [Recorder.Go] or [Recorder.Do], or else one that begins with the first
// thing recorded. That one is named after the carried thread and the number of the goroutine. A
// write to a variable named [OriginVariable] records the call it came from, and again whenever
// the goroutine continues with a context from another call. Such a thread is kept when its
// outermost call has ended, for what the goroutine records next. If there are many, or their
// memory is needed, those that have rested longest end first.
func FromContext(ctx context.Context) *Thread {
	c := inContext(ctx)
	if c == nil {
		return nil
	}
	g := goroutine()
	if t := c.own(g); t != nil {
		return t
	}
	if t := c.relay.Load(); t != nil {
		return t
	}
	relay := &Thread{writer: writer{terms: c.thread.terms, ended: true, lagging: true}, from: &origin{came: c}}
	c.relay.CompareAndSwap(nil, relay)
	return c.relay.Load()
}

// Own is FromContext, but begins no thread: it returns nil if the calling goroutine has none.
func Own(ctx context.Context) *Thread {
	if c := inContext(ctx); c != nil {
		return c.own(goroutine())
	}
	return nil
}

// own returns the thread of a goroutine, or nil.
func (c *carried) own(g uint64) *Thread {
	if c.goroutine == g {
		return c.thread
	}
	t := c.thread.r.threadOf(g)
	if t != nil && t.from != nil && t.resting {
		t.from.next = c
	}
	return t
}

func inContext(ctx context.Context) *carried {
	if ctx == nil {
		return nil
	}
	c, _ := ctx.Value(threadKey{}).(*carried)
	return c
}

// OriginVariable is the name of the variable whose write, in a thread that a goroutine got from
// a context, says which thread and call the context came from.
const OriginVariable = "<from>"

// Go runs f in a new goroutine with its own thread, which is in the context passed to f. The
// thread ends with f, also if f panics.
func (r *Recorder) Go(ctx context.Context, name string, f func(ctx context.Context)) {
	if f == nil {
		return
	}
	go func() {
		t := r.Thread(name)
		defer t.End()
		defer r.has(t)()
		f(NewContext(ctx, t))
	}()
}

// Do runs f in the calling goroutine, with a context that carries a thread of r: the one that
// the goroutine has in ctx, or else a new one with the given name, which ends with f, also if f
// panics. If no thread can begin, f gets ctx.
func (r *Recorder) Do(ctx context.Context, name string, f func(ctx context.Context)) {
	if f == nil {
		return
	}
	if t := Own(ctx); t != nil && t.r == r && !t.ended {
		f(ctx)
		return
	}
	t := r.Thread(name)
	if t == nil {
		f(ctx)
		return
	}
	defer t.End()
	defer r.has(t)()
	f(NewContext(ctx, t))
}

// Which thread belongs to which goroutine, by the goroutine's number: for threads from contexts.

// threadOf returns a goroutine's thread for any context, or nil.
func (r *Recorder) threadOf(g uint64) *Thread {
	if r == nil {
		return nil
	}
	t, _ := r.goroutines.Load(g)
	own, _ := t.(*Thread)
	return own
}

// goroutine returns the number of the calling goroutine.
func goroutine() uint64 {
	if canAsk() {
		return uint64(goid.Get())
	}
	return writtenGoroutine()
}

// canAsk reports whether package goid finds the number of a goroutine in this version of Go.
var canAsk = sync.OnceValue(func() bool {
	same := func() bool { return uint64(goid.Get()) == writtenGoroutine() }
	other := make(chan bool)
	go func() { other <- same() }()
	return same() && <-other
})

// writtenGoroutine returns the number of the calling goroutine as the runtime writes it, in the
// first line of a stack trace: "goroutine 18 [running]:". That takes some microseconds.
func writtenGoroutine() (number uint64) {
	var line [32]byte
	n := runtime.Stack(line[:], false)
	for _, c := range line[min(len("goroutine "), n):n] {
		if c < '0' || c > '9' {
			break
		}
		number = 10*number + uint64(c-'0')
	}
	return number
}

// Threads from contexts. When the outermost call in one has ended it rests: its goroutine may
// continue in it. Whether it will is unknown, so some are evicted meanwhile.
//
//	       rests: owner            evict: any goroutine
//	busy ───────────────► resting ──────────────────────► evicted
//	  ▲                      │
//	  └──────────────────────┘
//	       resumes: owner
//
// A resting thread is lagging, so its owner takes the slow path before it records anything. The
// goroutine that evicts it takes over the owner's role.

// handsOn reports whether calls on the thread go to another one, or to itself after it has
// resumed.
func (t *Thread) handsOn() bool { return t.from != nil && (t.ended || t.resting) }

// hands returns the thread to which calls on t go; nil if none. If begin is set, it begins one
// if there is none, and resumes one that rests.
func (t *Thread) hands(begin bool) *Thread {
	if !t.handsOn() {
		return nil
	}
	r, f, g := t.r, t.from, goroutine()
	if t.resting && f.goroutine == g && begin && t.resumes() {
		return t
	}
	own := f.came.own(g)
	switch {
	case own == t:
		own = nil
	case own != nil && begin && own.handsOn():
		return own.hands(true)
	}
	if own != nil || !begin || !r.on() {
		return own
	}
	return r.given(f.came, g)
}

// given begins a thread for a goroutine that got a context of another.
func (r *Recorder) given(by *carried, g uint64) *Thread {
	t := r.Thread(by.thread.file.Name + ", goroutine " + strconv.FormatUint(g, 10))
	if t == nil {
		return nil
	}
	t.from = &origin{came: by, goroutine: g}
	r.goroutines.Store(g, t)
	r.kept.add(t)
	t.says(by)
	return t
}

// says records where the thread came from.
func (t *Thread) says(by *carried) {
	text := by.thread.file.Name
	if by.event >= 0 {
		text += ", event " + strconv.Itoa(int(by.event))
	}
	t.WriteVariable(t.r.Variable(OriginVariable, Type{}), 0, number(text))
}

// returned lets a thread from a context rest, if nothing is open in it.
func (t *Thread) returned() {
	f := t.from
	if f == nil || t.open.depth > 0 || t.lost.on || t.handsOn() {
		return
	}
	r := t.r
	if t.nonsense.Load() || !r.on() {
		t.End()
		return
	}
	t.over.Store(t.now())
	t.resting, t.lagging = true, true
	f.recent.Store(true)
	rest := r.kept.resting.Add(1)
	f.state.Store(resting) // from here on it may be evicted
	if rest > r.kept.most {
		r.evict()
	}
}

// resumes makes a resting thread its owner's again. If it was evicted meanwhile, it has ended,
// and hands on.
func (t *Thread) resumes() bool {
	f := t.from
	t.resting = false
	if !f.state.CompareAndSwap(resting, busy) {
		t.ended = true
		t.r.goroutines.CompareAndDelete(f.goroutine, t)
		return false
	}
	t.r.kept.resting.Add(-1)
	t.over.Store(0)
	t.lags()
	if by := f.next; by != nil {
		f.next = nil
		if by.thread != f.came.thread || by.event != f.came.event {
			t.says(by)
		}
		f.came = by
	}
	return true
}

// has notes that a thread is the calling goroutine's, and returns a function that forgets it.
func (r *Recorder) has(t *Thread) (forget func()) {
	if t == nil {
		return func() {}
	}
	g := goroutine()
	before, had := r.goroutines.Swap(g, t)
	return func() {
		if !had {
			r.goroutines.Delete(g)
			return
		}
		r.goroutines.Store(g, before)
		if own := before.(*Thread); own.from != nil && own.from.state.Load() == evicted {
			r.goroutines.CompareAndDelete(g, own)
		}
	}
}

// How threads begin and end.

// Thread begins a thread of the trace, for one goroutine. End it when the goroutine ends. It
// returns nil if nothing is being recorded, or if there is no memory for it: a goroutine that
// ends makes room for another.
func (r *Recorder) Thread(name string) *Thread {
	if !r.on() {
		return nil
	}
	name = strings.Clone(values.Cut(name, values.MaxText))
	size := threadSize + int64(len(name))
	if !r.reserve(size) {
		if !r.on() {
			return nil
		}
		r.counts.refused.Add(1)
		r.outOf("another thread", int64(r.threads.count()))
		r.problems.tell()
		return nil
	}
	t := &Thread{writer: writer{terms: r.terms()}}
	t.to, t.clocked, t.reserved = &r.flusher, r.clocking(), size
	t.open.top = &t.open.first
	if swallowsNil() {
		t.panics = &panics{wary: true}
	}
	t.file.Name = name
	t.file.Live.KeepIn(r.live, name)
	if r.state.Load() != running || !r.threads.add(&t.buffer) {
		t.forgetLive()
		r.pool.Release(size)
		return nil
	}
	return t
}

// Recorder returns the recorder that the thread belongs to; nil for a nil Thread.
func (t *Thread) Recorder() *Recorder {
	if t == nil {
		return nil
	}
	return t.r
}

// clocking is the source of the threads' times.
func (r *Recorder) clocking() clocking {
	switch {
	case r.config.NoTimes:
		return noTimes
	case r.clock.HasCounter() && r.config.timeSource == nil:
		return byCounter
	}
	return byTime
}

// End ends the thread: calls and loops still open count as unfinished. Its methods do nothing
// from then on.
func (t *Thread) End() {
	if t == nil || t.r == nil || t.ended {
		return
	}
	r := t.r
	if t.from != nil && t.resting && !t.resumes() {
		return
	}
	if r.on() {
		t.twice()
	}
	if t.from != nil {
		r.goroutines.CompareAndDelete(t.from.goroutine, t)
		r.kept.remove(t)
	}
	t.ended, t.lagging = true, true
	t.over.Store(t.now())
	r.ends(&t.buffer)
	r.problems.tell()
}
