package recorder

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"
)

// threadKey is the key of a context's carried thread.
type threadKey struct{}

// carried is a thread in a context, with the goroutine and the call that put it there.
type carried struct {
	thread    *Thread
	goroutine uint64
	event     int32 // of the innermost call; -1 if there was none
	relay     atomic.Pointer[Thread]
}

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
