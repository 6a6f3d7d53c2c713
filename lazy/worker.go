package lazy

import (
	"context"
	"errors"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// worker reads a trace in the background, and follows it while it is written. One
// goroutine does all this work; it takes requests between two stages. Its methods
// are these stages: opening (open.go), reading the index (index_pass.go) or the data
// (rebuild.go), unpacking (unpack.go), following (follow_loop.go, follow_end.go).
type worker struct {
	*trace
	opts     Options
	requests requests
	follower *follower   // of a followed trace; nil otherwise
	timer    *time.Timer // for the next poll, while following
	err      error       // of the last stage
	cancel   context.CancelFunc
	done     chan struct{} // closed when the goroutine has ended
}

func newWorker(t *trace, o Options) *worker {
	return &worker{trace: t, opts: o, requests: requests{wake: make(chan struct{}, 1)}, done: make(chan struct{})}
}

// state is what the goroutine of a worker does between two requests.
type state int

const (
	resting   state = iota // everything that can be known is known
	following              // checks repeatedly whether the data has grown
	states
)

// transitions has the function that handles a request in a state and returns the next
// state; nil to ignore the request. The package comment has a diagram.
var transitions = [states][requestKinds]func(*worker, context.Context, request) state{
	resting: {
		requestCatchUp:  (*worker).caughtUp,
		requestFollow:   (*worker).followAgain,
		requestDistrust: (*worker).remake,
	},
	following: {
		requestTick:     (*worker).poll,
		requestCatchUp:  (*worker).poll,
		requestUnfollow: (*worker).leave,
	},
}

// run starts the goroutine, with a first stage.
func (w *worker) run(work func(context.Context) error) {
	w.start(func(ctx context.Context) state { return w.rest(work(ctx)) })
}

// runFollower starts the goroutine, which begins by following the trace.
func (w *worker) runFollower(f *follower) {
	w.start(func(ctx context.Context) state { return w.follow(ctx, f) })
}

func (w *worker) start(first func(context.Context) state) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.timer = time.NewTimer(pollEvery)
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

// next waits for a request or, while following, for the next poll. ok is false when the
// reader is closed.
func (w *worker) next(ctx context.Context, s state) (o request, ok bool) {
	for ctx.Err() == nil {
		if o, ok = w.requests.take(); ok {
			return o, true
		}
		var looks <-chan time.Time
		if s == following {
			looks = w.timer.C
		}
		select {
		case <-ctx.Done():
		case <-w.requests.wake:
		case <-looks:
			return request{kind: requestTick}, true
		}
	}
	return o, false
}

// rest notes the end of a stage, with its error.
func (w *worker) rest(err error) state {
	if w.follower != nil {
		w.file.keep(w.follower.f)
	}
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

// caughtUp answers a requestCatchUp when everything is known.
func (w *worker) caughtUp(_ context.Context, o request) state {
	answer([]request{o})
	return resting
}

// remake rebuilds an index that contradicts the data.
func (w *worker) remake(ctx context.Context, o request) state {
	err := w.err
	if o.epoch == w.epoch.Load() {
		w.note(func(s *Status) { s.IndexReason = o.why })
		var first *index.Scan
		if first, err = w.dropIndex(); err == nil {
			err = w.rebuild(ctx, w.indexPath, first)
		}
	}
	return w.rest(err) // also for a doubt that came too late: it has changed the phase
}

// doubt examines an error of a walk on a view, in an epoch. If it means that the
// recorded index contradicts the data, doubt requests a rebuild, for which Wait then
// waits. An index made from the data cannot be improved. It returns err. It must not
// be called within use.
func (w *worker) doubt(err error, v *index.View, epoch int64) error {
	if err == nil || v.Index == nil || !errors.Is(err, index.ErrContradiction) && !errors.Is(err, format.ErrCorrupt) {
		return err
	}
	if i := w.now().Index; i == IndexRebuilt || i == IndexStored {
		return err
	}
	// Set the phase first: a goroutine in Wait must not return before the rebuild.
	data, _ := w.sizes()
	w.begin(PhaseRebuilding, data)
	w.requests.send(request{kind: requestDistrust, why: err, epoch: epoch})
	return err
}
