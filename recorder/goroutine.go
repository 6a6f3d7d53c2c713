package recorder

import (
	"runtime"
	"sync"

	"github.com/petermattis/goid"
)

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
