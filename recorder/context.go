package recorder

import (
	"context"
	"runtime"
)

// threadKey is the key of a context's carried thread.
type threadKey struct{}

// carried is a thread with the goroutine that put it into a context.
type carried struct {
	thread    *Thread
	goroutine uint64
}

// NewContext returns a context that carries the calling goroutine's thread, for
// functions that are not given one. It takes some microseconds: once a request
// or a goroutine, not once a call.
func NewContext(ctx context.Context, t *Thread) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, threadKey{}, carried{t, goroutine()})
}

// FromContext returns the thread that ctx carries, or nil, whose methods do
// nothing. A goroutine that was started with the context of another one must not
// use that one's thread: start it with [Recorder.Go], or see [Own].
func FromContext(ctx context.Context) *Thread {
	return inContext(ctx).thread
}

// Own is FromContext for code that does not know which goroutine it runs on: it
// returns nil where the thread is another goroutine's. It takes some
// microseconds.
func Own(ctx context.Context) *Thread {
	c := inContext(ctx)
	if c.thread == nil || c.goroutine != goroutine() {
		return nil
	}
	return c.thread
}

func inContext(ctx context.Context) carried {
	if ctx == nil {
		return carried{}
	}
	c, _ := ctx.Value(threadKey{}).(carried)
	return c
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
		f(NewContext(ctx, t))
	}()
}

// goroutine returns the number of the calling goroutine, which the runtime tells
// in the first line of a stack trace alone: "goroutine 18 [running]:".
func goroutine() (number uint64) {
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
