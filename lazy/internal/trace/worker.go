package trace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Worker reads a trace in the background, and follows it while it is written. One
// goroutine does all this work; it takes requests between two stages. Its methods
// are these stages: opening (open.go), reading the index (index.go) or the data
// (rebuild.go), unpacking (unpack.go), following (follow.go, follow_end.go).
type Worker struct {
	*Trace
	Opts     Options
	ends     func(*Trace, *index.View) error // refuses an index whose recording ends within a call
	requests requests
	follower *follower   // of a followed trace; nil otherwise
	timer    *time.Timer // for the next poll, while following
	err      error       // of the last stage
	Cancel   context.CancelFunc
	Done     chan struct{} // closed when the goroutine has ended
}

func newWorker(t *Trace, o Options, ends func(*Trace, *index.View) error) *Worker {
	return &Worker{Trace: t, Opts: o, ends: ends, requests: requests{wake: make(chan struct{}, 1)}, Done: make(chan struct{})}
}

// state is what the goroutine of a worker does between two requests.
type state int

const (
	resting   state = iota // everything that can be known is known
	following              // checks repeatedly whether the data has grown
	states
)

// Rest notes the end of a stage, with its error.
func (w *Worker) Rest(err error) state {
	if w.follower != nil {
		w.file.keep(w.follower.f)
	}
	w.follower.close()
	w.follower, w.err = nil, err
	w.checkTimes()
	w.Note(func(s *Status) {
		s.Phase = PhaseReady
		s.Growth.On, s.Growth.Wait = false, nil
		if errors.Is(err, context.Canceled) {
			err = ErrClosed
		}
		if err != nil {
			s.Phase, s.Problem = PhaseFailed, err
		}
	})
	return resting
}

// Doubt examines an error of a walk on a view, in an epoch. If it means that the
// recorded index contradicts the data, doubt requests a rebuild, for which Wait then
// waits. An index made from the data cannot be improved. It returns err. It must not
// be called within use.
func (w *Worker) Doubt(err error, v *index.View, epoch int64) error {
	if err == nil || v.Index == nil || !errors.Is(err, index.ErrContradiction) && !errors.Is(err, format.ErrCorrupt) {
		return err
	}
	if i := w.Now().Index; i == IndexRebuilt || i == IndexStored {
		return err
	}
	// Set the phase first: a goroutine in Wait must not return before the rebuild.
	data, _ := w.Sizes()
	w.begin(PhaseRebuilding, data)
	w.requests.send(request{kind: requestDistrust, why: err, epoch: epoch})
	return err
}

// request is what a worker is asked to do.
type request struct {
	kind  requestKind
	done  chan struct{} // of requestCatchUp: closed when done
	why   error         // of requestDistrust
	epoch int64         // of requestDistrust: the epoch of the doubt; ignored if the index was replaced since
}

type requestKind int

const (
	requestTick     requestKind = iota // time for the next poll; never sent
	requestCatchUp                     // read everything that is in the file now
	requestFollow                      // follow the trace again
	requestUnfollow                    // stop following it
	requestDistrust                    // the index contradicts the data
	requestKinds
)

// requests is a queue whose senders never wait: the worker may read the trace for
// seconds, and a sender may hold locks.
type requests struct {
	mu   sync.Mutex
	list []request
	wake chan struct{} // holds at most one: the list has requests
}

// send adds a request, unless it repeats a doubt.
func (q *requests) send(o request) {
	q.mu.Lock()
	equal := func(p request) bool { return p.kind == requestDistrust && p.epoch == o.epoch }
	if o.kind != requestDistrust || !slices.ContainsFunc(q.list, equal) {
		q.list = append(q.list, o)
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take removes the first request; ok is false if there is none.
func (q *requests) take() (o request, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return o, false
	}
	o = q.list[0]
	q.list = q.list[1:]
	return o, true
}

// takeCatchUps removes all requests of that kind: one poll serves them all.
func (q *requests) takeCatchUps() (list []request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	others := q.list[:0:0]
	for _, o := range q.list {
		if o.kind == requestCatchUp {
			list = append(list, o)
		} else {
			others = append(others, o)
		}
	}
	q.list = others
	return list
}

// answer tells the senders of requestCatchUp that it is done.
func answer(list []request) {
	for _, o := range list {
		if o.kind == requestCatchUp {
			close(o.done)
		}
	}
}
