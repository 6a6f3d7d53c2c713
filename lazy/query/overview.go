package query

import (
	"context"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// Overview finds out what is worth knowing about a trace that has just been opened: what was recorded, how
// that ended, where the time goes, which tests or root calls took longest, what was thrown and not caught,
// and which threads did most. It is about the folded view, as the other answers are.
//
// What the index and the summary of the trace have is known at once, the rest after one pass over the trace
// for all parts together. Any goroutine may ask for what is known so far, with Facts.
type Overview struct {
	r       *lazy.LazyTraceReader
	columns int
	share   int64 // of the pass, see [lazy.Pass.Share]; tests make it small

	mu     sync.Mutex // guards the fields below
	top    *Top
	throws *Throws
	roots  *rootCalls
	survey survey
	topped bool // top is complete
	passed bool // so is the rest
	done   float64
}

// NewOverview returns the Overview of a trace, which may still be being opened. It reads the summary of the trace, if there is one. columns is how many parts of
// the recording the activity of a thread is told of, 8 to 40; 0 for the usual number.
func NewOverview(r *lazy.LazyTraceReader, columns int) *Overview {
	if columns == 0 {
		columns = usualActivity
	}
	o := &Overview{r: r, columns: min(max(columns, leastActivity), mostActivity)}
	o.begin()
	return o
}

// begin prepares to read the trace. What its summary has is known at once.
func (o *Overview) begin() {
	top := NewTop(o.r, Scope{}, ByMethod)
	recalled := top.Recall()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.top, o.topped = top, recalled
	o.throws, o.roots = NewThrows(o.r, Scope{}, 0), newRootCalls(o.r, slowest)
	o.passed, o.done = false, 0
}

// Run finds out everything, of what is known of the trace when all of it is, or, of one that grows, what has been
// written by then. tell is called whenever Facts may have more, with the bytes read so far and their total;
// it may be nil. Run may be called again when the trace has grown, by one goroutine at a time. After an error, or if ctx ends, Facts has what was found. If the trace is
// damaged, that is about everything before the damage.
func (o *Overview) Run(ctx context.Context, tell lazy.Progress) error {
	if tell == nil {
		tell = func(done, total int64) {}
	}
	if err := o.r.Wait(ctx); err != nil {
		return err
	}
	o.begin() // times and descriptors are known now
	_, all := o.r.Totals()
	if err := o.look(ctx); err != nil {
		return err
	}
	tell(0, all.Bytes)
	var list []lazy.Collector
	if !o.topped {
		list = append(list, o.top)
	}
	if o.survey.tests == 0 {
		list = append(list, o.roots)
	}
	pass := (&Scope{}).Over(append(list, o.throws)...)
	pass.Share = o.share
	pass.Progress = func(done, total int64) {
		o.mu.Lock()
		o.done = float64(done) / float64(max(total, 1))
		o.mu.Unlock()
		tell(done, total)
	}
	if err := o.r.Pass(ctx, pass); err != nil {
		return err
	}
	o.mu.Lock()
	o.topped, o.passed, o.done = true, true, 1
	o.mu.Unlock()
	tell(all.Bytes, all.Bytes)
	return o.count(ctx)
}

// count counts the calls of a trace whose index does not tell how many they are.
func (o *Overview) count(ctx context.Context) error {
	pass := o.r.TallyPass()
	if pass == nil {
		return nil
	}
	for more := true; more; {
		var err error
		if _, _, more, err = pass.Advance(ctx); err != nil {
			return err
		}
	}
	return o.look(ctx)
}

// Facts returns what is known so far. Its texts have the signs of g.
func (o *Overview) Facts(g *display.Glyphs) OverviewFacts {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &o.survey
	f := OverviewFacts{Program: s.program, Programs: s.programs, Tests: s.tests, Known: s.list != nil, Timed: o.top.Timed(), Status: o.r.Status(),
		Methods: o.top.leaders(leaders), Topped: o.topped, Slowest: s.slowest, Ranked: true, Busiest: s.busiest, Passed: o.passed, Done: o.done}
	o.record(&f)
	if f.Tests == 0 {
		f.Slowest, f.RootsOf = o.roots.longest()
		f.Ranked = o.passed
	}
	f.Uncaught, f.Escaped, f.Rows = o.throws.uncaught(uncaught, g)
	return f
}

// record tells what was recorded, and how that ended. The Overview is locked.
func (o *Overview) record(f *OverviewFacts) {
	f.Bytes, _ = o.r.Size()
	if info := o.r.Info(); info != nil && info.Class != "" {
		if f.Program = info.Class; info.Method != "" {
			f.Program += "." + info.Method
		}
	}
	if begun, length, ok := o.r.Recording(); ok {
		ns := int64(length)
		if f.Length = &ns; lazy.WallKnown(begun) {
			begun = begun.UTC()
			f.Begun = &begun
		}
	}
	threads, all := o.r.Totals()
	f.Threads, f.Calls, f.Events, f.Counted = threads, all.Calls, all.Events, all.Counted
	if s := &o.survey; !f.Counted && s.counted {
		f.Calls, f.Events, f.Counted = s.calls, s.events, true
	}
	f.End, f.Recovered, f.Unfinished = ending(&f.Status), f.Status.Ended, f.Status.Unfinished
	f.NoTimes = WithoutTimes(o.r)
	o.r.WithContext(func(c *format.Context) { f.Gaps, f.Sample = format.Gaps(c), format.SampleNote(c) })
}

// look makes the survey of the threads that are known.
func (o *Overview) look(ctx context.Context) error {
	s := survey{list: o.r.ThreadList(), busiest: []OverviewThread{}}
	if err := s.findTests(ctx); err != nil {
		return err
	}
	if err := s.findBusiest(ctx, o.r, o.columns); err != nil {
		return err
	}
	if _, all := o.r.Totals(); !all.Counted {
		file := lazy.SummaryOf(o.r)
		var ok bool
		if s.calls, s.counted = file.AtMost(ctx, lazy.Want{}, true); s.counted {
			s.events, ok = file.AtMost(ctx, lazy.Want{}, false)
			s.counted = ok
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.survey = s
	return ctx.Err()
}
