// Package sift finds the points that match a filter, in the background, for a tree that shows only
// these: see [lazy.Shown.Only].
package sift

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/background"
)

// Part is the filter of the tree, if there is one. Its methods run on one goroutine.
type Part struct {
	r    *lazy.LazyTraceReader
	life context.Context // ends all work
	now  func() time.Time
	cur  *Run // nil if none
	// Bound is of the filter that is being typed.
	Bound Bound
}

// New returns a Part without a filter. Its work ends when life does.
func New(life context.Context, r *lazy.LazyTraceReader, now func() time.Time) *Part {
	return &Part{r: r, life: life, now: now}
}

// Run is a filter with its matches, which grow while they are looked for. It is the [lazy.Places]
// of a tree.
type Run struct {
	Filter *filter.Expr
	Raw    bool // matches are points as recorded
	Steps  query.Steps

	shown atomic.Pointer[found]
	next  *found // found again, as the trace has grown; nil if none is under way
	feed  chan tea.Msg
	stop  context.CancelFunc
	ended bool
	err   error // why it ended early; context.Canceled if it was stopped
	again bool  // the matches have been found anew since the last Changed
	at    time.Time
	took  time.Duration
}

// found is the matches of one pass.
type found struct {
	set         *places.Set
	done, total atomic.Int64    // bytes read, of all
	sizes       map[int32]int64 // of the threads of a growing trace, when the pass began; nil otherwise
	recorded    int64           // their sum
}

// Begin starts a filter, of what steps leave, in place of the one before.
func (p *Part) Begin(e *filter.Expr, raw bool, steps query.Steps) (*Run, tea.Cmd) {
	p.End()
	run := &Run{Filter: e, Raw: raw, Steps: steps}
	p.cur = run
	return run, p.begin(run)
}

// begin starts a pass. What was found by one before is shown until it ends.
func (p *Part) begin(run *Run) tea.Cmd {
	ctx, cancel := context.WithCancel(p.life)
	f := &found{set: places.New()}
	if p.r.Status().Growth.On {
		f.sizes = make(map[int32]int64)
		list := p.r.ThreadList()
		for i := range list.Len() {
			id := list.ID(i)
			info, _ := p.r.ThreadInfo(id)
			f.sizes[id] = info.Bytes
			f.recorded += info.Bytes
		}
	}
	if run.shown.Load() == nil {
		run.shown.Store(f)
	} else {
		run.next = f
	}
	run.ended, run.err, run.stop, run.at = false, nil, cancel, p.now()
	run.feed = make(chan tea.Msg, 1)
	go run.find(ctx, p.r, f, run.feed)
	return background.Next(run.feed)
}

// newsEvery is how long news of matches may wait; the first ones do not.
const newsEvery = 50 * time.Millisecond

// find runs a pass on a goroutine of its own.
func (run *Run) find(ctx context.Context, r *lazy.LazyTraceReader, f *found, feed chan tea.Msg) {
	defer close(feed)
	end := background.Guarded(func() tea.Msg {
		if err := r.Wait(ctx); err != nil {
			return news{run, f, true, err}
		}
		scope := query.Scope{Raw: run.Raw}
		if err := scope.Edit(ctx, r, query.TreeSteps(run.Steps)); err != nil {
			return news{run, f, true, err}
		}
		find := query.NewFind(r, scope.Pass(), run.Filter, 0)
		find.Edit(scope)
		find.Set = f.set
		last, some := time.Time{}, false
		err := find.Run(ctx, func(done, total int64) {
			f.done.Store(done)
			f.total.Store(total)
			n, _ := f.set.Count()
			first := n > 0 && !some
			if now := time.Now(); first || now.Sub(last) >= newsEvery {
				last, some = now, n > 0
				select {
				case feed <- news{run: run, f: f}:
				default: // the last one has not been read yet
				}
			}
		})
		return news{run, f, true, err}
	})
	select {
	case feed <- end:
	case <-ctx.Done():
		select {
		case feed <- end:
		default:
		}
	}
}

// Msg is a message of the work in the background, for Update.
type Msg interface {
	apply(p *Part) (tea.Cmd, error)
}

// news tells that matches have been found, or that a pass has ended.
type news struct {
	run *Run
	f   *found
	end bool
	err error
}

func (n news) apply(p *Part) (tea.Cmd, error) {
	run := n.run
	if run != p.cur || run.ended {
		return nil, nil // it was given up
	}
	if !n.end {
		return background.Next(run.feed), nil
	}
	run.ended, run.err = true, n.err
	run.stop()
	run.took = p.now().Sub(run.at)
	if run.next != nil && n.err == nil {
		run.shown.Store(run.next)
	}
	run.next, run.again = nil, true
	if errors.Is(n.err, context.Canceled) {
		return nil, nil
	}
	return nil, n.err
}

// Update handles a message. The error is why the filter ended early.
func (p *Part) Update(msg Msg) (tea.Cmd, error) { return msg.apply(p) }

// Cur returns the filter; nil if there is none.
func (p *Part) Cur() *Run { return p.cur }

// Stop stops looking for matches, and reports whether they were being looked for. Those found stay.
func (p *Part) Stop() bool {
	run := p.cur
	if run == nil || run.ended {
		return false
	}
	run.stop()
	run.ended, run.err, run.next = true, context.Canceled, nil
	return true
}

// End ends the filter.
func (p *Part) End() {
	if p.cur != nil {
		p.cur.stop()
		p.cur = nil
	}
}

// Settle looks for the matches again if the trace has grown to so many bytes.
func (p *Part) Settle(recorded int64) tea.Cmd {
	run := p.cur
	if run == nil || !run.ended || run.err != nil || run.shown.Load().sizes == nil {
		return nil
	}
	if run.shown.Load().recorded >= recorded || p.now().Sub(run.at) < max(againAfter, 10*run.took) {
		return nil
	}
	return p.begin(run)
}

// againAfter is how long a growing trace is not looked at again, at least: looking takes a tenth of the
// time at most.
const againAfter = 500 * time.Millisecond

// Changed reports whether the matches have been found anew, or completely, since the last call.
func (run *Run) Changed() bool {
	was := run.again
	run.again = false
	return was
}

// Running reports whether matches are being looked for. The methods may be called on nil, which is no filter.
func (run *Run) Running() bool { return run != nil && !run.ended }

// Stopped reports whether looking ended before all of the trace was read.
func (run *Run) Stopped() bool { return run.ended && run.err != nil }

// Grows reports whether the trace was growing when it was read.
func (run *Run) Grows() bool { return run.shown.Load().sizes != nil }

// Set returns the matches found.
func (run *Run) Set() *places.Set { return run.shown.Load().set }

// Progress returns how many bytes of all have been read.
func (run *Run) Progress() (done, total int64) {
	f := run.shown.Load()
	return f.done.Load(), f.total.Load()
}

// Bytes returns the memory that the matches take.
func (run *Run) Bytes() int64 {
	if run == nil {
		return 0
	}
	n, _ := run.Set().Count()
	return 8 * int64(n)
}

// First returns the first match of a thread in a range of offsets.
func (run *Run) First(thread int32, from, to int64) (int64, bool) {
	return run.Set().First(thread, from, to)
}

// Last returns the last one.
func (run *Run) Last(thread int32, from, to int64) (int64, bool) {
	return run.Set().Last(thread, from, to)
}

// NextThread returns the first thread with an id or a higher one that has matches.
func (run *Run) NextThread(id int32) (int32, bool) { return run.Set().NextThread(id) }

// PrevThread returns the last thread with an id or a lower one that has matches.
func (run *Run) PrevThread(id int32) (int32, bool) { return run.Set().PrevThread(id) }

// Known returns up to which offset all matches of a thread are known.
func (run *Run) Known(thread int32) int64 {
	f := run.shown.Load()
	known := f.set.Known(thread)
	if known == math.MaxInt64 && f.sizes != nil {
		return f.sizes[thread]
	}
	return known
}
