// Following a trace: follow.go has what callers use, and the polls; follower.go what is known of the
// file; follow_replaced.go finds the file, and notices that another replaced it; follow_read.go reads what
// was added; follow_end.go is for data that is complete.

package trace

import (
	"context"
	"errors"
	"time"
)

func (r *Worker) Follow() bool {
	v, st := r.Known.Load(), r.Now()
	if p := st.Phase; p != PhaseReady && p != PhaseFailed || v.EOF && !st.Replaced || r.indexPath == "" {
		return false
	}
	r.Note(func(st *Status) { st.Phase, st.Growth.On, st.Replaced = PhaseOpening, true, false })
	r.requests.send(request{kind: requestFollow})
	return true
}

func (r *Worker) Unfollow() { r.requests.send(request{kind: requestUnfollow}) }

func (r *Worker) CatchUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := request{kind: requestCatchUp, done: make(chan struct{})}
	r.requests.send(o)
	select {
	case <-o.done:
	case <-r.Done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.Wait(ctx)
}

func (r *Trace) Newest() (thread int32, ok bool) {
	last := int64(-1)
	for _, s := range r.Known.Load().Streams.All() {
		if n := s.Blocks(); n > 0 && s.Block(n-1).Physical > last {
			last, thread = s.Block(n-1).Physical, s.Thread
		}
	}
	return thread, last >= 0
}

// followAgain follows a trace without an end.
func (w *Worker) followAgain(ctx context.Context, _ request) state {
	f := newFollower(w.Trace, w.Opts.Finish)
	if err := f.take(); err != nil {
		return w.Rest(err)
	}
	return w.follow(ctx, f)
}

// follow begins to follow the trace. A complete trace is not scanned.
func (w *Worker) follow(ctx context.Context, f *follower) state {
	w.follower = f
	if w.finished(ctx, f) {
		return w.Rest(nil)
	}
	return w.poll(ctx, request{kind: requestTick})
}

// poll checks whether there is more data.
func (w *Worker) poll(ctx context.Context, o request) state {
	asks := append(w.requests.takeCatchUps(), o)
	defer func() { answer(asks) }()
	ended, err := w.pollOnce(ctx)
	if ended || err != nil {
		return w.Rest(err)
	}
	w.timer.Reset(w.follower.pause())
	return following
}

// leave stops following, after a last poll.
func (w *Worker) leave(ctx context.Context, _ request) state {
	asks := w.requests.takeCatchUps()
	defer func() { answer(asks) }()
	ended, err := w.pollOnce(ctx)
	if !ended && err == nil {
		err = w.stop(w.follower)
	}
	return w.Rest(err)
}

// pollOnce reads new data and, if the trace is complete now, everything else.
func (w *Worker) pollOnce(ctx context.Context) (ended bool, err error) {
	if ended, err = w.follower.poll(ctx); ended && err == nil {
		err = w.end(ctx, w.follower)
	}
	return ended, err
}

// poll reads new data, and reports whether it ends the trace. A file that cannot
// be read now is not an error: it may be readable later.
func (w *follower) poll(ctx context.Context) (ended bool, err error) {
	w.why = nil
	if err := w.find(); err != nil {
		return false, err
	}
	if w.s == nil || w.lost != nil {
		w.tell()
		return false, nil
	}
	err = w.read(ctx)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, ErrClosed):
		return false, err
	case err != nil:
		w.again = true
		// If the file was truncated meanwhile, the next poll finds out how far.
		if st, serr := w.f.Stat(); serr != nil || st.Size() >= int64(len(w.Data.Bytes())) {
			w.fault = readFault{err, time.Now()}
		}
	}
	if w.why == nil {
		w.why = w.fault.err
	}
	if err == nil && w.why == nil && !w.s.AtEOF() {
		w.bringIn()
	}
	w.tell()
	return err == nil && w.s.AtEOF() && w.found == nil, nil
}
