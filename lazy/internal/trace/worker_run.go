package trace

import (
	"context"
	"time"

	"tracex/lazy/internal/index"
)

// transitions has the function that handles a request in a state and returns the next
// state; nil to ignore the request. The package comment has a diagram.
var transitions = [states][requestKinds]func(*Worker, context.Context, request) state{
	resting: {
		requestCatchUp:  (*Worker).caughtUp,
		requestFollow:   (*Worker).followAgain,
		requestDistrust: (*Worker).remake,
	},
	following: {
		requestTick:     (*Worker).poll,
		requestCatchUp:  (*Worker).poll,
		requestUnfollow: (*Worker).leave,
	},
}

// Run starts the goroutine, with a first stage.
func (w *Worker) Run(work func(context.Context) error) {
	w.start(func(ctx context.Context) state { return w.Rest(work(ctx)) })
}

// runFollower starts the goroutine, which begins by following the trace.
func (w *Worker) runFollower(f *follower) {
	w.start(func(ctx context.Context) state { return w.follow(ctx, f) })
}

func (w *Worker) start(first func(context.Context) state) {
	ctx, cancel := context.WithCancel(context.Background())
	w.Cancel = cancel
	w.timer = time.NewTimer(PollEvery)
	go func() {
		defer close(w.Done)
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
func (w *Worker) next(ctx context.Context, s state) (o request, ok bool) {
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
func (w *Worker) caughtUp(_ context.Context, o request) state {
	answer([]request{o})
	return resting
}

// remake rebuilds an index that contradicts the data.
func (w *Worker) remake(ctx context.Context, o request) state {
	err := w.err
	if o.epoch == w.Epoch.Load() {
		w.Note(func(s *Status) { s.IndexReason = o.why })
		var first *index.Scan
		if first, err = w.dropIndex(); err == nil {
			err = w.Rebuild(ctx, w.indexPath, first)
		}
	}
	return w.Rest(err) // also for a doubt that came too late: it has changed the phase
}
