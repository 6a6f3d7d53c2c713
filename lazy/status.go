package lazy

import (
	"context"
	"time"
	"tracex/lazy/internal/index"
)

// Phase is what a reader does in the background.
type Phase int

const (
	PhaseOpening    Phase = iota
	PhaseUnpacking        // a packed trace is unpacked
	PhaseIndexing         // the one pass over the index
	PhaseRebuilding       // the index is made again from the data; of a trace that is followed: what is there is read
	PhaseFollowing        // all that is there is known, and more may come: see Status.Growth
	PhaseReady            // all is known
	PhaseFailed           // see Status.Problem; what was known before stays
)

// rests reports whether nothing is under way.
func (p Phase) rests() bool { return p == PhaseFollowing || p == PhaseReady || p == PhaseFailed }

// Where the index comes from.
const (
	IndexRecorded = "recorded" // beside the data, or packed with it
	IndexRebuilt  = "rebuilt"  // made from the data, not stored
	IndexStored   = "stored"   // made from the data and stored
)

// Status says what a reader knows and does.
type Status struct {
	Phase       Phase
	Done, Total int64     // bytes of the work that goes on
	Since       time.Time // when it began
	Index       string    // IndexRecorded, IndexRebuilt, IndexStored; "" until known
	IndexReason error     // why the index that was there is not used; nil when it is, or none was there
	StoreReason error     // why a rebuilt index was not stored; nil otherwise
	TimesReason error     // why the file of times that is there is not used; nil when it is, or there is none
	Problem     error     // what of the data is missing; nil when it is whole
	InfoProblem error     // why the info.txt of a packed trace cannot be shown; nil otherwise
	Unfinished  int       // containers that are open at the end of the data
	Generation  int       // grows each time that more of the trace is known
	Epoch       int       // grows when what was known turned out wrong: loaded nodes are stale
	Growth      Growth    // of a trace that is followed
	Ended       string    // how the recording ended, where its program did not close it and its rest was brought in; "": it did, or that is in Problem
}

// Rate returns bytes per second of the work that goes on, and the time left;
// zero when it cannot be told yet.
func (s Status) Rate(now time.Time) (perSecond float64, left time.Duration) {
	took := now.Sub(s.Since).Seconds()
	if s.Done <= 0 || took <= 0 {
		return 0, 0
	}
	perSecond = float64(s.Done) / took
	return perSecond, time.Duration(float64(s.Total-s.Done) / perSecond * float64(time.Second))
}

// Status returns the state of the reader.
func (r *TraceReader) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// Changed returns a channel that receives after the status, or what is known
// of the trace, has changed. Several changes may come as one.
func (r *TraceReader) Changed() <-chan struct{} { return r.changed }

// Wait waits until the background work has ended, well or not, or, of a trace
// that is followed, until all is known that was there. It returns ctx's error
// when that comes first.
func (r *TraceReader) Wait(ctx context.Context) error {
	for {
		if r.Status().Phase.rests() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.done:
			return nil
		case <-r.settled():
		}
	}
}

// note changes the status and tells.
func (r *TraceReader) note(change func(*Status)) {
	r.mu.Lock()
	change(&r.status)
	if r.status.Phase.rests() {
		if r.settle != nil {
			close(r.settle)
			r.settle = nil
		}
	}
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// settled returns a channel that is closed when nothing is under way.
func (r *TraceReader) settled() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.Phase.rests() {
		now := make(chan struct{})
		close(now)
		return now
	}
	if r.settle == nil {
		r.settle = make(chan struct{})
	}
	return r.settle
}

func (r *TraceReader) begin(p Phase, total int64) {
	r.note(func(s *Status) { s.Phase, s.Done, s.Total, s.Since = p, 0, total, time.Now() })
}

func (r *TraceReader) progress(done int64) { r.note(func(s *Status) { s.Done = done }) }

// publish makes a view known.
func (r *TraceReader) publish(v *index.View) {
	r.known.Store(v)
	if v.Complete && v.Data != nil {
		r.keepTally(v)
	}
	r.Totals() // here, so that no key waits for it
	r.note(func(s *Status) { s.Generation++ })
}
