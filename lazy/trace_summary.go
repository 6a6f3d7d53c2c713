package lazy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/summary"
)

// summaryFile is the summary beside a trace, as far as it was looked for.
type summaryFile struct {
	mu     sync.RWMutex // guards the fields below, and the mapping
	closed bool
	looked int64 // size of the data when it was looked for; -1 for never
	timed  bool  // whether the data had times then
	m      *mapped.File
	file   *summary.File
	dir    *summary.Directory // nil until needed
	why    error              // why a file that is there is not used

	unsaved error  // why it could not be written; nil if it was, or that was not tried
	passes  passes // guards itself
}

// drop stops using the file. s.mu must be held.
func (s *summaryFile) drop() {
	s.m.Unmap() // nothing can be done about an error
	s.m, s.file, s.dir, s.why = nil, nil, nil, nil
}

func (s *summaryFile) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	s.closed = true
}

// passes counts the passes under way that a user waits for.
type passes struct{ n atomic.Int32 }

// begin notes that a pass begins; its end must be noted with end.
func (p *passes) begin() { p.n.Add(1) }
func (p *passes) end()   { p.n.Add(-1) }

// idle waits until none is under way, or ctx ends. A pass that begins while one waits does not wait
// for anything.
func (p *passes) idle(ctx context.Context) {
	for p.n.Load() > 0 && ctx.Err() == nil {
		pause(ctx, 20*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
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
