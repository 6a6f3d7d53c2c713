package lazy

import (
	"context"
	"sync"
	"time"
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
	Done, Total int64     // bytes of the current work
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

// Rate returns bytes per second of the current work, and the time left;
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
func (r *TraceReader) Status() Status { return r.now() }

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

// board is the status of a reader, and tells those that watch it.
type board struct {
	mu      sync.Mutex // guards status and settle
	status  Status
	changed chan struct{} // holds at most one: the status has changed
	settle  chan struct{} // closed when nothing is under way; nil: no goroutine waits for that
}

// now returns the status.
func (b *board) now() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

// note changes the status and tells.
func (b *board) note(change func(*Status)) {
	b.mu.Lock()
	change(&b.status)
	if b.status.Phase.rests() {
		if b.settle != nil {
			close(b.settle)
			b.settle = nil
		}
	}
	b.mu.Unlock()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// settled returns a channel that is closed when nothing is under way.
func (b *board) settled() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.status.Phase.rests() {
		now := make(chan struct{})
		close(now)
		return now
	}
	if b.settle == nil {
		b.settle = make(chan struct{})
	}
	return b.settle
}

func (b *board) begin(p Phase, total int64) {
	b.note(func(s *Status) { s.Phase, s.Done, s.Total, s.Since = p, 0, total, time.Now() })
}

func (b *board) progress(done int64) { b.note(func(s *Status) { s.Done = done }) }
