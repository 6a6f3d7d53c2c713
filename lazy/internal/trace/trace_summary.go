package trace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/summary"
)

// SummaryFile is the summary beside a trace, as far as it was looked for.
type SummaryFile struct {
	Mu     sync.RWMutex // guards the fields below, and the mapping
	closed bool
	Looked int64 // size of the data when it was looked for; -1 for never
	Timed  bool  // whether the data had times then
	M      *mapped.File
	File   *summary.File
	dir    *summary.Directory // nil until needed
	Why    error              // why a file that is there is not used

	Unsaved error  // why it could not be written; nil if it was, or that was not tried
	Passes  passes // guards itself
}

// drop stops using the file. s.mu must be held.
func (s *SummaryFile) drop() {
	s.M.Unmap() // nothing can be done about an error
	s.M, s.File, s.dir, s.Why = nil, nil, nil, nil
}

func (s *SummaryFile) close() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.drop()
	s.closed = true
}

// passes counts the passes under way that a user waits for.
type passes struct{ n atomic.Int32 }

// Begin notes that a pass begins; its end must be noted with end.
func (p *passes) Begin() { p.n.Add(1) }
func (p *passes) End()   { p.n.Add(-1) }

// Idle waits until none is under way, or ctx ends. A pass that begins while one waits does not wait
// for anything.
func (p *passes) Idle(ctx context.Context) {
	for p.n.Load() > 0 && ctx.Err() == nil {
		Pause(ctx, 20*time.Millisecond)
	}
}

func Pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
