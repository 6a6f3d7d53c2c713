package search

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// FilterRun is a filter with its matches, which grow while they are looked for. It is the [lazy.Places]
// of a tree.
type FilterRun struct {
	of    *filter.Expr
	raw   bool // matches are points as recorded
	steps query.Steps

	shown atomic.Pointer[found]
	next  *found // found again, as the trace has grown; nil if none is under way
	task  env.Task
	err   error // why it ended early; context.Canceled if it was stopped
	again bool  // the matches have been found anew since the last Settle
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

// look starts a pass. What was found by one before is shown until it ends.
func (f *Filter) look(run *FilterRun) tea.Cmd {
	r, pass := f.env.Trace.Reader, &found{set: places.New()}
	if r.Status().Growth.On {
		pass.sizes = make(map[int32]int64)
		list := r.ThreadList()
		for i := range list.Len() {
			id := list.ID(i)
			info, _ := r.ThreadInfo(id)
			pass.sizes[id] = info.Bytes
			pass.recorded += info.Bytes
		}
	}
	if run.shown.Load() == nil {
		run.shown.Store(pass)
	} else {
		run.next = pass
	}
	run.err, run.at = nil, f.env.Clock.Now()
	return run.task.Feed(f.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := run.find(ctx, r, pass, func() { send(func() tea.Cmd { return nil }) })
		return func() tea.Cmd { f.found(run, err); return nil }
	})
}

// newsEvery is how long news of matches may wait; the first ones do not.
const newsEvery = 50 * time.Millisecond

// find runs a pass on a goroutine of its own. It calls news when there is something to draw.
func (run *FilterRun) find(ctx context.Context, r *lazy.LazyTraceReader, pass *found, news func()) error {
	if err := r.Wait(ctx); err != nil {
		return err
	}
	scope := query.Scope{Raw: run.raw}
	if err := scope.Edit(ctx, r, query.TreeSteps(run.steps)); err != nil {
		return err
	}
	find := query.NewFind(r, scope.Pass(), run.of, 0)
	find.Edit(scope)
	find.Set = pass.set
	last, some := time.Time{}, false
	return find.Run(ctx, func(done, total int64) {
		pass.done.Store(done)
		pass.total.Store(total)
		n, _ := pass.set.Count()
		first := n > 0 && !some
		if now := time.Now(); first || now.Sub(last) >= newsEvery {
			last, some = now, n > 0
			news()
		}
	})
}

// found notes the end of a pass.
func (f *Filter) found(run *FilterRun, err error) {
	run.err = err
	run.took = f.env.Clock.Now().Sub(run.at)
	if run.next != nil && err == nil {
		run.shown.Store(run.next)
	}
	run.next, run.again = nil, true
	f.env.Fail("the search for matches ended early", err)
}

// Stop stops looking for matches, and reports whether they were being looked for. Those found stay.
func (f *Filter) Stop() bool {
	stopped := false
	for _, run := range []*FilterRun{f.Cur, f.diff} {
		if run != nil && run.task.Stop() {
			run.err, run.next = context.Canceled, nil
			stopped = true
		}
	}
	return stopped
}

// againAfter is how long a growing trace is not looked at again, at least: looking takes a tenth of the
// time at most.
const againAfter = 500 * time.Millisecond

// lookAgain looks for the matches again if the trace has grown.
func (f *Filter) lookAgain() tea.Cmd {
	run := f.Cur
	was := run.shown.Load()
	if run.Running() || run.err != nil || was.sizes == nil || was.recorded >= f.env.Trace.Recorded {
		return nil
	}
	if f.env.Clock.Now().Sub(run.at) < max(againAfter, 10*run.took) {
		return nil
	}
	return f.look(run)
}

// Running reports whether matches are being looked for. The methods may be called on nil, which is no filter.
func (run *FilterRun) Running() bool { return run != nil && run.task.Running() }

func (run *FilterRun) Set() *places.Set { return run.shown.Load().set }

// Bytes returns the memory that the matches take.
func (run *FilterRun) Bytes() int64 {
	if run == nil {
		return 0
	}
	n, _ := run.Set().Count()
	return 8 * int64(n)
}

// First returns the first match of a thread in a range of offsets.
func (run *FilterRun) First(thread int32, from, to int64) (int64, bool) {
	return run.Set().First(thread, from, to)
}

// Last returns the last one.
func (run *FilterRun) Last(thread int32, from, to int64) (int64, bool) {
	return run.Set().Last(thread, from, to)
}

// NextThread returns the first thread with an id or a higher one that has matches.
func (run *FilterRun) NextThread(id int32) (int32, bool) { return run.Set().NextThread(id) }

// PrevThread returns the last thread with an id or a lower one that has matches.
func (run *FilterRun) PrevThread(id int32) (int32, bool) { return run.Set().PrevThread(id) }

// Known returns up to which offset all matches of a thread are known.
func (run *FilterRun) Known(thread int32) int64 {
	f := run.shown.Load()
	known := f.set.Known(thread)
	if known == math.MaxInt64 && f.sizes != nil {
		return f.sizes[thread]
	}
	return known
}

// edited tells what is wrong with the text of a filter, and begins to find out how many matches it has at
// most.
func (f *Filter) edited(text string) {
	f.env.Say("")
	f.counting.Stop()
	f.typed, f.most = nil, ""
	switch e, err := f.Parse(text); {
	case text == "":
	case err != nil:
		f.env.Say(screen.ErrorLine(err))
	default:
		f.typed = e
	}
}

// countTyped finds out how many matches the filter that is typed has at most, by the summary of the trace, and tells it.
func (f *Filter) countTyped() tea.Cmd {
	of := f.typed
	if f.typed = nil; f.env.Front.Prompt() == nil {
		f.counting.Stop()
		f.most = ""
		return nil
	}
	var cmd tea.Cmd
	if of != nil {
		r, raw := f.env.Trace.Reader, !f.tree.Out.Tree.Folded()
		cmd = f.counting.Run(f.env, func(ctx context.Context) func() tea.Cmd {
			most, ok := query.AtMost(ctx, r, raw, of)
			return env.Done(func() {
				switch {
				case ok && most == 0:
					f.most = "no matches"
				case ok && most == 1:
					f.most = f.env.Glyphs.AtMost + " 1 match"
				case ok:
					f.most = f.env.Glyphs.AtMost + " " + display.Grouped(most) + " matches"
				}
			})
		})
	}
	if now, _ := f.env.Status.Message(); now == "" && f.most != "" {
		f.env.Say(f.most)
	}
	return cmd
}
