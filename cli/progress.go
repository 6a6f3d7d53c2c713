package cli

import (
	"context"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"tracex/lazy"
)

// patience is how long a command works before it shows a progress bar.
const patience = time.Second

// progress is a bar on standard error for long work. If that is not a terminal, it shows
// nothing. Only one goroutine at a time may use it.
type progress struct {
	w     io.Writer // nil if there is no terminal
	what  string
	plain bool // the amount done is not in bytes, and not shown
	now   func() time.Time
	start time.Time
	total int64
	bar   *progressbar.ProgressBar // nil before the first update
	shown bool
}

// newProgress begins a task; what is a word or two such as "indexing". The caller calls End
// when it is done.
func (a *app) newProgress(what string) *progress {
	p := &progress{what: what, now: time.Now}
	if term.IsTerminal(int(a.stderr.Fd())) {
		p.w = a.stderr
	}
	p.start = p.now()
	return p
}

// Update sets how many of total bytes are done; total < 0 if unknown. It is cheap enough to be
// called for each block.
func (p *progress) Update(done, total int64) {
	if p.w == nil || total == 0 {
		return
	}
	if p.bar == nil || total != p.total {
		p.End()
		p.total = total
		// The bar runs from the start, so that its rate is right when it appears; Write
		// hides it until then.
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionShowBytes(!p.plain),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetWidth(16),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true),
		)
		if !p.plain {
			progressbar.OptionShowCount()(p.bar)
		}
	}
	// A bar that cannot be drawn must not stop the work.
	_ = p.bar.Set64(done)
}

// Write is for the bar: it passes on the bar's output once the work has taken long enough.
func (p *progress) Write(b []byte) (int, error) {
	if !p.shown && p.now().Sub(p.start) < patience {
		return len(b), nil
	}
	p.shown = true
	return p.w.Write(b)
}

// Stage says what the work is from now on.
func (p *progress) Stage(what string) {
	if p.what != what {
		p.End()
		p.what = what
	}
}

// End removes the bar.
func (p *progress) End() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// waitUntilRead waits until a trace is read, with a progress bar if that takes long.
func (a *app) waitUntilRead(ctx context.Context, r *lazy.LazyTraceReader) error {
	p := a.newProgress("")
	defer p.End()
	for {
		s := r.Status()
		switch s.Phase {
		case lazy.PhaseReady:
			return nil
		case lazy.PhaseFailed:
			return s.Problem
		}
		p.what = phaseNames[s.Phase]
		p.Update(s.Done, s.Total)
		select {
		case <-r.Changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// phaseNames are the words for a reader's phases.
var phaseNames = map[lazy.Phase]string{
	lazy.PhaseOpening:    "opening",
	lazy.PhaseUnpacking:  "unpacking",
	lazy.PhaseIndexing:   "reading the index",
	lazy.PhaseRebuilding: "reading the data",
}

// untilDone is a writer that fails when its context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
