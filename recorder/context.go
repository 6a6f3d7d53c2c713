package recorder

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"
)

// threadKey is the key of a context's carried thread.
type threadKey struct{}

// carried is a thread with the goroutine that put it into a context, and where that
// was.
type carried struct {
	thread    *Thread
	goroutine uint64
	event     int32 // of the innermost call; -1: there was none
	relay     atomic.Pointer[Thread]
}

// NewContext returns a context that carries the calling goroutine's thread, for
// functions that are not given one. What another goroutine records through it says
// that it came from the call that is open now.
func NewContext(ctx context.Context, t *Thread) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if t == nil || t.handsOn() {
		return ctx
	}
	c := &carried{thread: t, goroutine: goroutine(), event: -1}
	if l := t.open.call(); l != nil {
		c.event = l.event()
	}
	return context.WithValue(ctx, threadKey{}, c)
}

// FromContext returns the thread for the calling goroutine to record into by a
// context: the one that ctx carries, if this goroutine put it there; nil, whose
// methods do nothing, if ctx carries none.
//
// A context may be passed on. In another goroutine than the one whose thread it
// carries FromContext returns that goroutine's own: of [Recorder.Go], of
// [Middleware], or else one that begins with the next call and ends with that. Such
// a thread is named after the one that the context came from, and the number of the
// goroutine; a write to a variable named [OriginVariable] at its begin says from
// which call. Outside of a call nothing is recorded into it.
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
	relay := &Thread{terms: c.thread.terms, from: &origin{carried: c}, ended: true, lagging: true}
	c.relay.CompareAndSwap(nil, relay)
	return c.relay.Load()
}

// Own is FromContext without a thread that begins with the next call: it returns nil
// where the calling goroutine has none.
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
	return c.thread.r.threadOf(g)
}

func inContext(ctx context.Context) *carried {
	if ctx == nil {
		return nil
	}
	c, _ := ctx.Value(threadKey{}).(*carried)
	return c
}

// OriginVariable is the name of the variable whose write, at the begin of a thread
// that a goroutine got from a context, says which thread and call the context came
// from.
const OriginVariable = "<from>"

// origin is what a thread that a context gave knows of where it came from. When it
// has ended, it hands on what it is told to the thread that the goroutine has then.
// One that is given where there is no such thread yet has ended from the beginning:
// all goroutines share it, and nothing of it changes.
type origin struct {
	*carried
	goroutine uint64 // whose the thread is
}

// threadOf returns the thread that a goroutine has for whatever context, or nil.
func (r *Recorder) threadOf(g uint64) *Thread {
	if r == nil {
		return nil
	}
	t, _ := r.goroutines.Load(g)
	own, _ := t.(*Thread)
	return own
}

// handsOn reports whether what the thread is told goes to another one.
func (t *Thread) handsOn() bool { return t.from != nil && t.ended }

// hands returns the thread that what the thread is told goes to; nil: to none.
// begin: it begins one if there is none.
func (t *Thread) hands(begin bool) *Thread {
	if !t.handsOn() {
		return nil
	}
	r, g := t.r, goroutine()
	if own := t.from.own(g); own != nil || !begin || !r.on() {
		return own
	}
	from := t.from.thread
	own := r.Thread(from.name + ", goroutine " + strconv.FormatUint(g, 10))
	if own == nil {
		return nil
	}
	own.from = &origin{t.from.carried, g}
	r.goroutines.Store(g, own)
	text := from.name
	if t.from.event >= 0 {
		text += ", event " + strconv.Itoa(int(t.from.event))
	}
	own.WriteVariable(r.Variable(OriginVariable, Type{}), 0, number(text))
	return own
}

// returned ends a thread that a context gave, when the outermost call in it has
// ended.
func (t *Thread) returned() {
	if t.open.depth == 0 && !t.lost.on && t.from != nil && !t.ended {
		t.End()
	}
}

// Go runs f in a new goroutine with a thread of its own, which f finds in the
// context it is given. The thread ends with f, also when f panics.
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

// has notes that a thread is the calling goroutine's, and returns what forgets that.
func (r *Recorder) has(t *Thread) (forget func()) {
	if t == nil {
		return func() {}
	}
	g := goroutine()
	before, had := r.goroutines.Swap(g, t)
	return func() {
		if had {
			r.goroutines.Store(g, before)
		} else {
			r.goroutines.Delete(g)
		}
	}
}

// goroutine returns the number of the calling goroutine.
func goroutine() uint64 {
	if canAsk() {
		return uint64(goid.Get())
	}
	return writtenGoroutine()
}

// canAsk reports whether package goid finds the number of a goroutine where this
// version of Go has it.
var canAsk = sync.OnceValue(func() bool {
	same := func() bool { return uint64(goid.Get()) == writtenGoroutine() }
	other := make(chan bool)
	go func() { other <- same() }()
	return same() && <-other
})

// writtenGoroutine returns the number of the calling goroutine as the runtime writes
// it, in the first line of a stack trace: "goroutine 18 [running]:". That takes
// some microseconds.
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
