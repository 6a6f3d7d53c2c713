package lazy

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

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

// Missing reports whether a summary can be made and there is none that fits. It waits for what the
// reader does in the background, and for as long as passes are under way.
func (f SummaryFile) Missing(ctx context.Context) bool {
	if f.r.Wait(ctx) != nil || f.r.opts.NoWrite {
		return false
	}
	f.r.summary.passes.idle(ctx)
	if _, err := newSummaryMaker(ctx, f.r, SummaryOptions{}); err != nil {
		return false
	}
	size, _ := f.State()
	return size == 0
}

// Known is State, of what is known without looking at any file; why may also be that the file could
// not be written.
func (f SummaryFile) Known() (size int64, why error) {
	s := &f.r.summary
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.file != nil {
		return int64(len(s.m.Bytes())), nil
	}
	if s.unsaved != nil {
		return 0, s.unsaved
	}
	return 0, s.why
}

// saved notes the result of writing the file.
func (s *summaryFile) saved(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved = nil; err == nil {
		s.looked = -1
	} else if !errors.Is(err, ErrNoSummary) && !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) {
		s.unsaved = err
	}
}
