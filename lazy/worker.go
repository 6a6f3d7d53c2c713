package lazy

import (
	"context"
	"errors"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// worker finds out about a trace, and follows it while it is written. All of that
// is done by one goroutine, which takes orders between two pieces of work. Its
// methods are the pieces of work: learning from the index (learn.go) or from the data
// (rebuild.go), unpacking (packed.go), following (follow_loop.go, follow_end.go).
type worker struct {
	*trace
	opts     Options
	orders   orders
	follower *follower   // of a trace that is followed; nil: it is not
	timer    *time.Timer // of the next look, while it is followed
	err      error       // that the last work has ended with
	cancel   context.CancelFunc
	done     chan struct{} // closed when the goroutine has ended
}

func newWorker(t *trace, o Options) *worker {
	return &worker{trace: t, opts: o, orders: orders{wake: make(chan struct{}, 1)}, done: make(chan struct{})}
}

// state is what the goroutine of a worker does between two orders.
type state int

const (
	resting   state = iota // all is known, or what can be
	following              // it looks again and again whether the data has grown
	states
)

// transitions says what is done with an order, which ends in another state, or the
// same; nil: nothing. It is drawn in the package's comment.
var transitions = [states][orderKinds]func(*worker, context.Context, order) state{
	resting: {
		orderCatchUp:  (*worker).caughtUp,
		orderFollow:   (*worker).followAgain,
		orderDistrust: (*worker).remake,
	},
	following: {
		orderTick:     (*worker).look,
		orderCatchUp:  (*worker).look,
		orderUnfollow: (*worker).leave,
	},
}

// run begins the goroutine, which does a piece of work first.
func (w *worker) run(work func(context.Context) error) {
	w.start(func(ctx context.Context) state { return w.rest(work(ctx)) })
}

// runFollower begins the goroutine, which follows the trace first.
func (w *worker) runFollower(f *follower) {
	w.start(func(ctx context.Context) state { return w.follow(ctx, f) })
}

func (w *worker) start(first func(context.Context) state) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.timer = time.NewTimer(lookEvery)
	go func() {
		defer close(w.done)
		defer w.timer.Stop()
		s := first(ctx)
		for {
			o, ok := w.next(ctx, s)
			if !ok {
				break
			}
			if do := transitions[s][o.kind]; do != nil {
				s = do(w, ctx, o)
			}
		}
		w.follower.close()
	}()
}

// next waits for an order, or, while the trace is followed, for the next look. ok is
// false when the reader is closed.
func (w *worker) next(ctx context.Context, s state) (o order, ok bool) {
	for ctx.Err() == nil {
		if o, ok = w.orders.take(); ok {
			return o, true
		}
		var looks <-chan time.Time
		if s == following {
			looks = w.timer.C
		}
		select {
		case <-ctx.Done():
		case <-w.orders.wake:
		case <-looks:
			return order{kind: orderTick}, true
		}
	}
	return o, false
}

// rest notes the end of a piece of work, with its error.
func (w *worker) rest(err error) state {
	w.follower.close()
	w.follower, w.err = nil, err
	w.checkTimes()
	w.note(func(s *Status) {
		s.Phase = PhaseReady
		s.Growth.On, s.Growth.Wait = false, nil
		if errors.Is(err, context.Canceled) {
			err = errClosed
		}
		if err != nil {
			s.Phase, s.Problem = PhaseFailed, err
		}
	})
	return resting
}

// caughtUp answers a catchUp where all is known.
func (w *worker) caughtUp(_ context.Context, o order) state {
	answer([]order{o})
	return resting
}

// remake makes the index again, which contradicts the data.
func (w *worker) remake(ctx context.Context, o order) state {
	err := w.err
	if o.epoch == w.epoch.Load() {
		w.note(func(s *Status) { s.IndexReason = o.why })
		var first *index.Scan
		if first, err = w.dropIndex(); err == nil {
			err = w.rebuild(ctx, w.indexPath, first)
		}
	}
	return w.rest(err) // also of a doubt that came too late: it has changed the phase
}

// doubt looks at an error of a walk on a view, in an epoch: when it says that
// the recorded index contradicts the data, the index is made again, and Wait
// waits for that. One that was made from the data cannot be better. It returns
// err. It must not be called within use.
func (w *worker) doubt(err error, v *index.View, epoch int64) error {
	if err == nil || v.Index == nil || !errors.Is(err, index.ErrContradiction) && !errors.Is(err, format.ErrCorrupt) {
		return err
	}
	if i := w.now().Index; i == IndexRebuilt || i == IndexStored {
		return err
	}
	// First of all: a goroutine that waits must not take what is there for all.
	data, _ := w.sizes()
	w.begin(PhaseRebuilding, data)
	w.orders.send(order{kind: orderDistrust, why: err, epoch: epoch})
	return err
}
