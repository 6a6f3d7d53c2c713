package trace

import (
	"sync"
	"time"
)

// Phase is what a reader is doing in the background.
type Phase int

const (
	PhaseOpening    Phase = iota
	PhaseUnpacking        // unpacking a packed trace
	PhaseIndexing         // the one pass over the index
	PhaseRebuilding       // rebuilding the index from the data, or, when following, reading what has been written so far
	PhaseFollowing        // everything written so far is known, and more may follow: see Status.Growth
	PhaseReady            // everything is known
	PhaseFailed           // see Status.Problem; what was known before stays
)

// rests reports whether no work is under way.
func (p Phase) rests() bool { return p == PhaseFollowing || p == PhaseReady || p == PhaseFailed }

// The origins of an index.
const (
	IndexRecorded = "recorded" // beside the data, or packed with it
	IndexRebuilt  = "rebuilt"  // made from the data, not stored
	IndexStored   = "stored"   // made from the data and stored
)

// Status is what a reader knows and does.
type Status struct {
	Phase       Phase
	Done, Total int64     // bytes of the current work
	Since       time.Time // when it began
	Index       string    // IndexRecorded, IndexRebuilt, IndexStored; "" until known
	IndexReason error     // why an existing index is not used; nil if it is used, or none existed
	StoreReason error     // why a rebuilt index was not stored; nil otherwise
	TimesReason error     // why an existing file of times is not used; nil if it is used, or there is none
	Problem     error     // what is wrong with the data; nil if it is whole
	InfoProblem error     // why the info.txt of a packed trace cannot be shown; nil otherwise
	Unfinished  int       // containers that are open at the end of the data
	Generation  int       // grows whenever more of the trace is known
	Epoch       int       // grows when the known view turned out wrong: loaded nodes are stale
	Growth      Growth    // for a trace that is followed
	Replaced    bool      // the file is another one, or has changed: see [LookForAnother]
	Ended       string    // how the recording ended, if its program did not close it and the rest was brought in; "" if it did, or if Problem tells
}

// Rate returns bytes per second of the current work, and the time left;
// both are zero while they cannot be estimated.
func (s Status) Rate(now time.Time) (perSecond float64, left time.Duration) {
	took := now.Sub(s.Since).Seconds()
	if s.Done <= 0 || took <= 0 {
		return 0, 0
	}
	perSecond = float64(s.Done) / took
	return perSecond, time.Duration(float64(s.Total-s.Done) / perSecond * float64(time.Second))
}

// board holds the status of a reader, and announces changes.
type board struct {
	mu      sync.Mutex // guards status and settle
	status  Status
	Changed chan struct{} // holds at most one: the status has changed
	settle  chan struct{} // closed when no work is under way; nil if no goroutine waits for that
}

// Now returns the status.
func (b *board) Now() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

// Note changes the status and announces it.
func (b *board) Note(change func(*Status)) {
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
	case b.Changed <- struct{}{}:
	default:
	}
}

// settled returns a channel that is closed when no work is under way.
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
	b.Note(func(s *Status) { s.Phase, s.Done, s.Total, s.Since = p, 0, total, time.Now() })
}

func (b *board) progress(done int64) { b.Note(func(s *Status) { s.Done = done }) }

// Growth describes a trace that is followed.
type Growth struct {
	On        bool      // the reader looks for more data
	Rate      float64   // recent bytes per second
	Behind    int64     // bytes of the data that are not shown: their block is not complete yet
	Grown     time.Time // when the data was last seen to grow; zero if not since following began
	Wait      error     // why no data can arrive now; nil if it can
	Recording int       // grows when the trace is read from its beginning again, usually because another replaced it: make new Trees
	Again     error     // why it was read again; nil if on request
}

// Progress receives the progress of work: the number of bytes of a trace that are done,
// and the total. It runs on the goroutine that works. It may be nil.
type Progress func(done, total int64)
