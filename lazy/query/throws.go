package query

import (
	"slices"
	"sync"

	"tracex/lazy"
	"tracex/lazy/query/places"
)

// Throws finds out where exceptions were thrown and where they were caught. It is a Collector of a
// pass; any goroutine may ask it for what has been merged so far.
//
// A throw is joined with the calls that ended by it and with the catch. Most recorders leave out
// throws in code that they do not instrument: then a call that ended by an exception, though no
// exception came out of the calls in it, threw that. Likewise a call that goes on and ends without
// the exception that came out of a call in it caught it.
//
// With a filter, an exception counts if its throw matches, or the call that it was thrown in; of one
// that comes from code that was not recorded, the catch. In a span of time it counts for the last moment
// known before the throw, or, if that was not recorded, when the first call ended by it.
//
// Calls that a step of kind Only merges throw and catch like others, and are told by the call around them
// that is left. Exceptions that do not come out of them are counted only.
type Throws struct {
	r     *lazy.LazyTraceReader
	scope Scope
	keep  int

	mu     sync.Mutex // guards the fields below
	groups *groups
	rows   map[throwKey]*throwRow
	list   []Thrown
	left   endings         // Left and Unknown
	exits  endings         // Exited
	places []lazy.Position // of the exceptions, in the order of the trace; not more than most
	most   int
	all    int64
	skips  bool            // parts without exceptions may not be read
	flying map[int]*Thrown // by the number of calls around the call that it came out of, or was thrown in
	thread int32
	before carried
	// undated is how many exceptions are left out because nothing is known of when they were thrown.
	undated int64
	// about makes list that of a report; nil for the first exceptions that end.
	about *throwsBefore
	// muted is how many were thrown and caught in calls that a step of kind Only merges.
	muted int64
}

// Outcome tells how an exception ended.
type Outcome uint8

const (
	Caught  Outcome = iota // in a call
	Left                   // a call that is in no other call ended by it
	Unknown                // the call that it came out of is in one that never ended
	Exited                 // as Left, but it is no exception: runtime.Goexit ended a goroutine
	// Replaced: another exception was thrown in the call, or came out of a call in it, and no catch was
	// recorded before: it may have been caught, or thrown from a finally block or a deferred function.
	Replaced
)

func (o Outcome) String() string {
	return [...]string{"caught", "left", "unknown", "goexit", "replaced"}[o]
}

// goexitClass is what ends the calls of a goroutine that runtime.Goexit ends, as FailNow and Skip of a
// test do.
const goexitClass = "runtime.Goexit"

// Thrown is an exception.
type Thrown struct {
	Class    string // full name where it is known
	Thread   int32
	At       int64 // logical offset of Event
	Event    int32 // of the throw, or of the call that ended by it first
	Recorded bool  // the throw was recorded
	In       int32 // group of the call that threw it; -1 outside of calls
	Passed   int64 // calls that ended by it, of those that are shown
	Outcome  Outcome
	Where    int32 // group of the call that caught it, that it left last, or in which it was replaced; -1 outside of calls
	Catch    int32 // event of the catch; -1 if it was not recorded
	// In and Where are the calls around those that did it, which a step of kind Only merges; -1 if there
	// are none.
	InMerged, WhereMerged bool

	call    int64  // in flight: where the call begins that it was thrown in, or came out into
	caller  inCall // that call
	counts  bool   // it is in the span of time, and matches the filter
	undated bool   // it matches, and nothing is known of its time
	told    bool   // it was thrown in a call that is shown, or came out into one
}

// endings are the first and the last exception that ended in a way: all are looked at, however many are kept one by one.
type endings struct {
	first, last, own Thrown // own is the last one of the thread that a report is about
	any, anyOwn      bool
}

func (x *endings) add(e Thrown, own bool) {
	if !x.any {
		x.first, x.any = e, true
	}
	x.last = e
	if own {
		x.own, x.anyOwn = e, true
	}
}

// throwsBefore says that the last exceptions are kept, not the first ones: those that match. What ended a goroutine otherwise is none.
type throwsBefore struct {
	thread  int32 // that the report is about
	matches func(lazy.Position) bool
	dropped int64 // how many of them are not kept any more
}

// throwKey is what the exceptions of a row have in common.
type throwKey struct {
	class     string
	in, where inCall
	outcome   Outcome
}

// throwRow is what is known about the exceptions of a row.
type throwRow struct {
	throwKey
	count       int64
	first       Thrown
	least, most int64 // calls that ended by one of them
}

// NewThrows returns the Throws of a trace, which keeps up to so many exceptions one by one. Add it
// to the pass that scope returns.
func NewThrows(r *lazy.LazyTraceReader, scope Scope, keep int) *Throws {
	t := &Throws{r: r, scope: scope, keep: keep, most: mostPlaced}
	t.Reset()
	return t
}

func (t *Throws) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups = newGroups(t.r, ByMethod)
	t.rows, t.list, t.all, t.undated, t.muted = make(map[throwKey]*throwRow), nil, 0, 0, 0
	t.places, t.left, t.exits = nil, endings{}, endings{}
	if t.about != nil {
		t.about.dropped = 0
	}
	t.flying, t.thread, t.before = make(map[int]*Thrown), -1, carried{thread: -1}
}

// skip returns which parts need not be read: those in which nothing is thrown or caught, apart from the last
// ones of threads, which tell which calls never ended. When the exceptions of a span of time were thrown
// depends on all parts.
func (t *Throws) skip() func(lazy.PassRange) bool {
	if t.scope.Timed || t.scope.Edited() || t.scope.Ranges != nil {
		return nil
	}
	skip := lazy.SummaryOf(t.r).SkipWithout(lazy.Want{Threw: true})
	if t.skips = skip != nil; !t.skips {
		return nil
	}
	return func(g lazy.PassRange) bool { return (g.From == 0 || g.To >= 0) && skip(g) }
}

func (t *Throws) Visitor() lazy.Visitor {
	p := &throwPart{ctx: t.groups.ctx, groups: t.groups, scope: &t.scope, first: -1}
	if p.where = t.scope.matcher(); p.where != nil {
		return filteredThrows{p}
	}
	return p
}

func (t *Throws) Merge(v lazy.Visitor) error {
	return t.merge(throwPartOf(v))
}

// Takes is for the pass: in a span of time, what was before the first moment of a part is dated when that is merged.
func (t *Throws) Takes() bool { return !t.scope.Timed }

// Take is for the pass.
func (t *Throws) Take(v lazy.Visitor) error {
	p := throwPartOf(v)
	err := t.merge(p)
	p.steps, p.taken = p.steps[:0], true
	return err
}

func throwPartOf(v lazy.Visitor) *throwPart {
	if f, ok := v.(filteredThrows); ok {
		return f.throwPart
	}
	return v.(*throwPart)
}

// merge adds what was found in a part since it was taken last.
func (t *Throws) merge(p *throwPart) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.skips && !p.taken {
		t.missed(p)
	}
	for i := range p.steps {
		t.date(&p.steps[i])
		t.step(&p.steps[i])
	}
	if t.scope.Timed {
		t.before.after(p.thread, p.moments)
	}
	return p.stack.Err()
}

// add counts an exception.
func (t *Throws) add(e Thrown) {
	if e.undated {
		t.undated++
	}
	switch {
	case !e.counts:
		return
	case !e.told && e.WhereMerged:
		t.muted++
		return
	}
	t.all++
	t.place(lazy.Position{Thread: e.Thread, At: e.At})
	switch own := t.about != nil && e.Thread == t.about.thread; e.Outcome {
	case Left, Unknown:
		t.left.add(e, own)
	case Exited:
		t.exits.add(e, own)
	}
	t.keeps(e)
	alone := e.row()
	row := t.rows[alone.throwKey]
	if row == nil {
		t.rows[alone.throwKey] = alone
		return
	}
	row.count++
	row.least, row.most = min(row.least, e.Passed), max(row.most, e.Passed)
}

// keeps keeps an exception one by one, if there is room for it.
func (t *Throws) keeps(e Thrown) {
	switch a := t.about; {
	case a == nil && len(t.list) >= t.keep:
		return
	case a == nil:
	case e.Outcome == Exited || !a.matches(e.point().Position):
		return
	case len(t.list) >= t.keep:
		half := max(t.keep/2, 1)
		t.list = append(t.list[:0], t.list[half:]...)
		a.dropped += int64(half)
	}
	t.list = append(t.list, e)
}

// place keeps where an exception is. They come nearly in order: one counts when it has ended.
func (t *Throws) place(at lazy.Position) {
	if len(t.places) >= t.most {
		return
	}
	i := len(t.places)
	for i > 0 && ComparePlaces(t.places[i-1], at) > 0 {
		i--
	}
	t.places = slices.Insert(t.places, i, at)
}

// Places returns where the exceptions found so far are: each at its throw, or at the call that ended by it
// first. Of more than a few hundred thousand it has the first ones that ended. done tells that the pass has
// ended.
func (t *Throws) Places(done bool) *places.Set {
	t.mu.Lock()
	defer t.mu.Unlock()
	return placesOf(t.places, t.all-int64(len(t.places)), done)
}

// point is the event of an exception.
func (e *Thrown) point() HistoryPoint {
	return HistoryPoint{lazy.Position{Thread: e.Thread, At: e.At}, e.Event}
}

// row is a row of that exception alone.
func (e *Thrown) row() *throwRow {
	key := throwKey{e.Class, inCall{e.In, e.InMerged}, inCall{e.Where, e.WhereMerged}, e.Outcome}
	return &throwRow{throwKey: key, count: 1, first: *e, least: e.Passed, most: e.Passed}
}
