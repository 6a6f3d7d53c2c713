package cli

import (
	"context"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
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

// answerMemory is how much memory reading a trace may take beyond the budget for loaded events, in bytes.
const answerMemory = 64 << 20

// freeMemory is how much the program may allocate before the collector runs, in bytes. The collector's own
// start, 4 MB, has it run several times while the names of a large trace are read.
const freeMemory = 16 << 20

// The collector's defaults: it runs when the heap has grown by usualPercent of what was in use, and not while
// the heap is below leastHeap bytes. With another percentage that least size changes in proportion.
const (
	usualPercent = 100
	leastHeap    = 4 << 20
)

// limitMemory makes the collector keep the program's memory within answerMemory and a budget, instead of
// letting it grow to twice what is in use, and keeps it from running before the program has allocated
// freeMemory. If more is in use than the limit, it leaves the program room. stop ends it. What the
// environment sets (GOGC, GOMEMLIMIT) is left alone.
func limitMemory(budget int64) (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	l := &memoryLimit{least: answerMemory + budget, before: debug.SetMemoryLimit(-1)}
	l.least = min(l.least, l.before)
	l.now = l.least
	debug.SetMemoryLimit(l.now)
	l.percent = usualPercent * freeMemory / leastHeap
	l.percentBefore = debug.SetGCPercent(l.percent)
	l.watch()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = true
		debug.SetMemoryLimit(l.before)
		debug.SetGCPercent(l.percentBefore)
	}
}

// memoryLimit adjusts the limit after each collection.
type memoryLimit struct {
	least, before int64
	percentBefore int
	mu            sync.Mutex // guards the fields below
	now           int64
	percent       int
	ended         bool
}

// watch adjusts the limit after the next collection, and watches again.
func (l *memoryLimit) watch() {
	runtime.AddCleanup(new([64]byte), func(l *memoryLimit) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ended {
			return
		}
		l.adjust()
		l.watch()
	}, l)
}

// adjust leaves a quarter of what is in use free, so that collections do not follow one another. Small
// changes are not worth it, except back to the least.
func (l *memoryLimit) adjust() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/metadata/other:bytes"}}
	metrics.Read(used)
	inUse := int64(0)
	for _, s := range used {
		inUse += int64(s.Value.Uint64())
	}
	want := max(l.least, inUse+inUse/4)
	if want > l.now || want < l.now-l.now/8 || want == l.least && want != l.now {
		l.now = want
		debug.SetMemoryLimit(want)
	}
	percent := int(max(usualPercent, min(usualPercent*freeMemory/max(inUse, 1), usualPercent*freeMemory/leastHeap)))
	if percent != l.percent {
		l.percent = percent
		debug.SetGCPercent(percent)
	}
}
