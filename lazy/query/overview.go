package query

import (
	"context"
	"sync"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
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

const (
	// leaders, slowest, uncaught and busiest are how many lines the parts of an overview have.
	leaders, slowest, uncaught, busiest = 3, 5, 5, 4
	// leastActivity and mostActivity bound the columns of a thread's activity, usualActivity is their number
	// unless another one is asked for.
	leastActivity, usualActivity, mostActivity = 8, 24, 40
)

// OverviewFacts is what an Overview knows. Numbers of what has not been read to its end are those so far: real
// ones are as large or larger. In JSON it is the object of the command overview, which docs/json.md documents.
type OverviewFacts struct {
	Program  string `json:"program,omitempty"` // the class and method that was run, or the first program of Go tests
	Programs int    `json:"-"`                 // of Go tests
	Tests    int    `json:"tests,omitempty"`   // how many threads are those of Go tests
	Known    bool   `json:"-"`                 // all threads are; of a trace that grows, those so far
	Timed    bool   `json:"-"`
	// Begun and Length are nil if they are not known. The length is in nanoseconds.
	Begun   *time.Time `json:"recording_begun,omitempty"`
	Length  *int64     `json:"recording_ns,omitempty"`
	Threads int        `json:"thread_count"`
	Bytes   int64      `json:"data_bytes"`
	// Calls and Events are as recorded. Counted tells that they are known.
	Calls      int64       `json:"calls"`
	Events     int64       `json:"events"`
	Counted    bool        `json:"-"`
	End        OverviewEnd `json:"end"`
	Recovered  string      `json:"recovered,omitempty"` // what is to be said of a recording that ended so
	Unfinished int         `json:"unfinished"`          // containers without an end
	Gaps       []string    `json:"gaps,omitempty"`      // what is missing between the first calls and the newest, of each process
	Status     lazy.Status `json:"-"`                   // has the reasons
	NoTimes    string      `json:"-"`                   // see WithoutTimes
	// Methods have the most self time or, in a trace without times, the most calls. Topped tells that all
	// of the trace counts.
	Methods []OverviewMethod `json:"top"`
	Topped  bool             `json:"-"`
	// Slowest are tests or root calls, the longest first; without times those with most in them. Ranked tells that all
	// have been compared; RootsOf is how many root calls there are.
	Slowest []OverviewCall `json:"slowest"`
	RootsOf int64          `json:"root_calls,omitempty"`
	Ranked  bool           `json:"-"`
	// Uncaught are the rows of the exceptions that no call caught, as the answer throws has them: those that
	// left the outermost call, and those in calls that never ended. Escaped is how many exceptions that are,
	// in Rows rows.
	Uncaught []OverviewThrown `json:"uncaught"`
	Escaped  int64            `json:"uncaught_exceptions"`
	Rows     int              `json:"-"`
	Busiest  []OverviewThread `json:"busiest"` // with the most calls
	Passed   bool             `json:"-"`       // the whole trace has been read
	Done     float64          `json:"-"`       // the part of it that has been
}

// OverviewEnd is how a recording ended.
type OverviewEnd string

const (
	EndUnknown   OverviewEnd = "unknown"   // the trace is still being opened
	EndWhole     OverviewEnd = "complete"  // properly
	EndRecovered OverviewEnd = "recovered" // its program did not close it, and what it left was brought in
	EndGrowing   OverviewEnd = "growing"   // it goes on
	EndCut       OverviewEnd = "cut"       // it is cut short, or damaged
)

// OverviewPlace is what a line of an Overview is about: an event, or a thread, which has no Event.
type OverviewPlace struct {
	Handle string       `json:"handle"`
	Thread int64        `json:"thread"` // its number, from 1
	Event  *int32       `json:"event,omitempty"`
	At     HistoryPoint `json:"-"`
	Label  string       `json:"-"` // the handle as shown, which for a goroutine has its number
}

func eventPlace(at HistoryPoint) OverviewPlace {
	return OverviewPlace{lazy.EventHandle(at.Event).String(), int64(at.Thread) + 1, &at.Event, at, lazy.EventHandle(at.Event).String()}
}

func threadPlace(id int32, name string) OverviewPlace {
	at := HistoryPoint{lazy.Position{Thread: id, At: -1}, -1}
	handle := lazy.PositionHandle(at.Position).String()
	label := handle
	if n, ok := goroutines.Parse(name); ok && n.Start != "" {
		label = goroutines.Label(n.Number)
	}
	return OverviewPlace{handle, int64(id) + 1, nil, at, label}
}

// OverviewMethod is a method of an Overview.
type OverviewMethod struct {
	Name  string   `json:"name"`
	Call  string   `json:"call,omitempty"` // as commands take it, with its class and the types of its parameters; "" if the trace does not describe it
	Calls int64    `json:"calls"`
	Self  *int64   `json:"self,omitempty"`       // ns; nil without times
	Share *float64 `json:"self_share,omitempty"` // of the time of all roots; nil if not known
	Bound string   `json:"self_bound,omitempty"` // "about" if some calls never ended
}

// OverviewThrown is a row of exceptions of an Overview.
type OverviewThrown struct {
	Class         string `json:"exception"` // or the text of a panic; see the answer throws
	Count         int64  `json:"count"`
	In            string `json:"thrown_in"`
	Outcome       string `json:"outcome"`
	Ended         string `json:"-"` // what became of it
	OverviewPlace        // of the first: its throw, or the call that ended by it first
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
	o.r.WithContext(func(c *format.Context) { f.Gaps = format.Gaps(c) })
}
