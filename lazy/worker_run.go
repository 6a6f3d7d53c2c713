package lazy

import (
	"context"
	"time"

	"tracex/lazy/internal/index"
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
