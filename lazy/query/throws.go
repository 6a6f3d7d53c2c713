package query

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"tracex/format"
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
	r     *lazy.TraceReader
	scope Scope
	keep  int

	mu     sync.Mutex // guards the fields below
	groups *groups
	rows   map[throwKey]*throwRow
	list   []Thrown
	places []lazy.Position // of the exceptions, in the order of the trace; not more than most
	most   int
	all    int64
	skips  bool            // parts without exceptions may not be read
	flying map[int]*Thrown // by the number of calls around the call that it came out of, or was thrown in
	thread int32
	before carried
	// undated is how many exceptions are left out because nothing is known of when they were thrown.
	undated int64
	// muted is how many were thrown and caught in calls that a step of kind Only merges.
	muted int64
}

// Outcome tells how an exception ended.
type Outcome uint8

const (
	Caught  Outcome = iota // in a call
	Left                   // a call that is in no other call ended by it
	Unknown                // the call that it came out of is in one that never ended
)

func (o Outcome) String() string { return [...]string{"caught", "left", "unknown"}[o] }

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
	Where    int32 // group of the call that caught it, or that it left last; -1 outside of calls
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

// inCall is a call by its group; -1 outside of calls.
type inCall struct {
	group  int32
	merged bool // in a call in it that a step of kind Only merges
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
func NewThrows(r *lazy.TraceReader, scope Scope, keep int) *Throws {
	t := &Throws{r: r, scope: scope, keep: keep, most: mostPlaced}
	t.Reset()
	return t
}

// Reset is for the pass.
func (t *Throws) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups = newGroups(t.r, ByMethod)
	t.rows, t.list, t.all, t.undated, t.muted = make(map[throwKey]*throwRow), nil, 0, 0, 0
	t.places = nil
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

// Visitor is for the pass.
func (t *Throws) Visitor() lazy.Visitor {
	p := &throwPart{ctx: t.groups.ctx, groups: t.groups, scope: &t.scope, first: -1}
	if p.where = t.scope.matcher(); p.where != nil {
		return filteredThrows{p}
	}
	return p
}

// Merge is for the pass.
func (t *Throws) Merge(v lazy.Visitor) error {
	if f, ok := v.(filteredThrows); ok {
		v = f.throwPart
	}
	p := v.(*throwPart)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.skips {
		t.missed(p)
	}
	for i := range p.steps {
		t.date(&p.steps[i])
		t.step(&p.steps[i])
	}
	if t.scope.Timed {
		t.before.after(p.thread, p.moments)
	}
	return nil
}

// missed ends the flight of exceptions that came out into calls that have ended in parts that were
// skipped: not by an exception.
func (t *Throws) missed(p *throwPart) {
	if p.first != t.thread {
		return
	}
	for _, depth := range slices.Backward(slices.Sorted(maps.Keys(t.flying))) {
		if e := t.flying[depth]; depth > len(p.around) || p.around[depth-1] != e.call {
			t.end(depth, Caught, e.caller, -1)
		}
	}
}

// date gives a step the last moment that is known before it, if that is in another part.
func (t *Throws) date(s *throwStep) {
	if t.scope.Timed && !s.dated {
		s.time, s.dated = t.before.of(t.r, s.thread)
	}
}

// begin returns an exception that begins with a step.
func (t *Throws) begin(s *throwStep, recorded bool) Thrown {
	e := Thrown{Class: s.class, Thread: s.thread, At: s.at, Event: s.event, Recorded: recorded, In: s.in.group, InMerged: s.in.merged, Catch: -1}
	e.told = !s.in.merged
	if s.matches {
		e.undated = t.scope.Timed && !s.dated
		e.counts = !e.undated && t.scope.holds(s.time)
	}
	return e
}

// step follows the exceptions in flight.
func (t *Throws) step(s *throwStep) {
	if s.thread != t.thread {
		clear(t.flying)
		t.thread = s.thread
	}
	at := t.flying[s.depth]
	switch s.kind {
	case stepThrow:
		e := t.begin(s, true)
		if s.depth == 0 {
			e.Outcome, e.Where = Left, -1
			t.add(e)
			return
		}
		t.end(s.depth, Caught, s.in, -1) // another exception takes its place
		e.call, e.caller = s.call, s.in
		t.flying[s.depth] = &e
	case stepCatch:
		if at == nil || !sameClass(at.Class, s.class) {
			// It comes from code that was not recorded.
			e := t.begin(s, false)
			e.In, e.InMerged = -1, false
			e.Where, e.WhereMerged, e.Catch = s.in.group, s.in.merged, s.event
			t.add(e)
			return
		}
		at.learn(s.class)
		t.end(s.depth, Caught, s.in, s.event)
	case stepLeave:
		t.end(s.depth, Caught, s.in, -1)
	case stepNever:
		t.end(s.depth, Unknown, s.in, -1)
	case stepThrew:
		if at == nil || !sameClass(at.Class, s.class) {
			t.end(s.depth, Caught, s.in, -1)
			e := t.begin(s, false)
			at = &e
		}
		at.learn(s.class)
		if !s.in.merged {
			at.Passed++
		}
		delete(t.flying, s.depth)
		t.end(s.depth-1, Caught, s.around, -1)
		at.call, at.caller = s.caller, s.around
		at.told = at.told || s.around.group >= 0 && !s.around.merged
		t.flying[s.depth-1] = at
		if s.depth == 1 {
			t.end(0, Left, s.in, -1)
		}
	}
}

// sameClass reports whether two names are of one class: a call that threw has the short name, or
// none.
func sameClass(a, b string) bool {
	short := func(s string) string { return s[strings.LastIndexAny(s, ".$")+1:] }
	return a == b || a == "" || b == "" || short(a) == short(b)
}

// learn takes over the full name of the class. A Go program may panic with a value that has no
// class in the trace; the calls that ended by it have.
func (e *Thrown) learn(class string) {
	if len(class) > len(e.Class) {
		e.Class = class
	}
}

// end ends the flight of the exception that came out of a call at a depth, if any.
func (t *Throws) end(depth int, how Outcome, where inCall, catch int32) {
	if e := t.flying[depth]; e != nil {
		e.Outcome, e.Where, e.WhereMerged, e.Catch = how, where.group, where.merged, catch
		delete(t.flying, depth)
		t.add(*e)
	}
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
	if len(t.list) < t.keep {
		t.list = append(t.list, e)
	}
	key := throwKey{e.Class, inCall{e.In, e.InMerged}, inCall{e.Where, e.WhereMerged}, e.Outcome}
	row := t.rows[key]
	if row == nil {
		row = &throwRow{throwKey: key, first: e, least: e.Passed, most: e.Passed}
		t.rows[key] = row
	}
	row.count++
	row.least, row.most = min(row.least, e.Passed), max(row.most, e.Passed)
}

// place keeps where an exception is. They come nearly in order: one counts when it has ended.
func (t *Throws) place(at lazy.Position) {
	if len(t.places) >= t.most {
		return
	}
	i := len(t.places)
	for i > 0 && comparePlaces(t.places[i-1], at) > 0 {
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

// throwStep is something that may change the exceptions in flight.
type throwStep struct {
	kind   stepKind
	depth  int // calls around it, or, for a call, with itself
	thread int32
	event  int32
	at     int64 // logical offset of the event
	in     inCall
	around inCall // the call around that
	call   int64  // where the call begins
	caller int64  // where the call around it does
	class  string

	matches bool // the filter, or there is none
	dated   bool // time is known, in a span of time
	time    int64
}

type stepKind uint8

const (
	stepThrow stepKind = iota
	stepCatch
	stepThrew // a call ended by an exception
	stepLeave // a call ended otherwise
	stepNever // a call did not end
)

// throwPart is the visitor of a Throws: it lists the steps of its part.
type throwPart struct {
	ctx    *format.Context
	groups *groups
	scope  *Scope
	slots  slots
	thread int32
	stack  []throwCall
	steps  []throwStep
	first  int32    // the first thread; -1 before it
	around []int64  // where the calls begin that are around its part
	where  *matcher // nil if all count
	told   int      // of the calls that began before this part: those that where has seen
	moments
}

// throwCall is an open call.
type throwCall struct {
	ref     int32
	at      int64
	shown   int  // on the stack: the innermost call that is shown, of it and those around it; -1 if there is none
	stirred bool // an exception may be in flight in it
	matches bool // the filter, or there is none
}

// Begin is for the pass.
func (v *throwPart) Begin(thread int32, around []lazy.PassFrame) { v.beginEdited(thread, around, nil) }

// beginEdited begins a part. how is what the steps do with the containers around it; nil if nothing.
func (v *throwPart) beginEdited(thread int32, around []lazy.PassFrame, how []hiding) {
	v.thread, v.stack = thread, v.stack[:0]
	from := v.scope.begins(thread)
	for i := range around {
		h := shown
		if how != nil {
			h = how[i]
		}
		if f := &around[i]; f.Class == format.ClassCall && f.At >= from && (h == shown || h == muted) {
			v.push(f, h)
			v.stack[len(v.stack)-1].stirred = true
		}
	}
	if v.first < 0 {
		v.first = thread
		for i := range v.stack {
			v.around = append(v.around, v.stack[i].at)
		}
	}
	v.moments.begin()
	if v.told = 0; v.where != nil {
		v.where.begin()
	}
}

// filteredThrows is a throwPart with a filter.
type filteredThrows struct{ *throwPart }

// Around is for the pass.
func (v filteredThrows) Around(p *lazy.PassPoint) {
	if p.Class == format.ClassCall && p.At >= v.scope.begins(p.Thread) {
		for v.stack[v.told].shown != v.told {
			v.told++
		}
		v.stack[v.told].matches = v.where.match(p)
		v.told++
	}
	v.where.enter(p)
}

// Enter is for the pass.
func (v *throwPart) Enter(p *lazy.PassPoint) {
	if v.scope.Timed {
		v.moments.enter(p)
	}
	if p.Class == format.ClassCall {
		v.push(&p.PassFrame, shown)
		if v.where != nil {
			v.stack[len(v.stack)-1].matches = v.where.match(p)
		}
	}
	if v.where != nil {
		v.where.enter(p)
	}
}

// push puts a call on the stack.
func (v *throwPart) push(f *lazy.PassFrame, how hiding) {
	c := throwCall{ref: f.Ref, at: f.At, shown: len(v.stack), matches: v.where == nil}
	if how != shown {
		if c.shown--; c.shown >= 0 {
			c.shown = v.stack[c.shown].shown
		}
	}
	v.stack = append(v.stack, c)
}

// enterHidden puts a call on the stack that is merged with its throws and catches.
func (v *throwPart) enterHidden(p *lazy.PassPoint, how hiding, _ []lazy.PassFrame) {
	if how != muted {
		return
	}
	if v.scope.Timed {
		v.moments.enter(p)
	}
	if p.Class == format.ClassCall {
		v.push(&p.PassFrame, how)
	}
}

// exitHidden is Exit for what a step hides.
func (v *throwPart) exitHidden(p *lazy.PassPoint, how hiding) {
	if how != muted {
		return
	}
	if v.scope.Timed {
		v.moments.exit(p)
	}
	v.leave(p)
}

// leafHidden is Leaf for what a step hides: no filter matches it. A call that is shown still throws and catches, whether
// or not the step leaves the rows of that.
func (v *throwPart) leafHidden(p *lazy.PassPoint, how hiding, _ []lazy.PassFrame) {
	if how == outside || how == within {
		return
	}
	if s := v.thrown(p); s != nil {
		s.in.merged = how == muted
	}
}

// Leaf is for the pass.
func (v *throwPart) Leaf(p *lazy.PassPoint) {
	s := v.thrown(p)
	if s == nil {
		return
	}
	s.in.merged = false // of a call that is merged, it would be hidden
	match := v.where == nil || v.where.match(p)
	s.matches = match || s.matches && s.kind == stepThrow // what a catch ends is about its own throw
}

// thrown lists a throw or a catch; nil for other points.
func (v *throwPart) thrown(p *lazy.PassPoint) *throwStep {
	if p.Class != format.ClassThrow && p.Class != format.ClassCatch {
		return nil
	}
	point, err := p.Point()
	if err != nil {
		return nil // the pass gets the error too
	}
	kind := stepThrow
	if p.Class == format.ClassCatch {
		kind = stepCatch
	}
	return v.step(kind, p, thrownClass(v.ctx, &point.Value))
}

// thrownClass returns the class of a thrown value; "" if it is not known.
func thrownClass(c *format.Context, v *format.Value) string {
	if v.Kind == format.ValueObject || v.Kind == format.ValueException {
		if d := c.Class(v.ClassID); d != nil {
			return d.Name
		}
	}
	return ""
}

// step lists something that happens in the innermost call.
func (v *throwPart) step(kind stepKind, p *lazy.PassPoint, class string) *throwStep {
	n := len(v.stack)
	s := throwStep{kind: kind, depth: n, thread: v.thread, event: p.Event, at: p.At, in: v.of(n - 1), around: v.of(n - 2), class: class, dated: v.known, time: v.now, matches: v.where == nil}
	if n > 0 {
		if at := v.stack[n-1].shown; at >= 0 {
			s.matches = v.stack[at].matches
		}
		v.stack[n-1].stirred = true
		s.call = v.stack[n-1].at
		if n > 1 {
			s.caller = v.stack[n-2].at
		}
	}
	v.steps = append(v.steps, s)
	return &v.steps[len(v.steps)-1]
}

// of returns how a call on the stack is told.
func (v *throwPart) of(at int) inCall {
	if at < 0 {
		return inCall{group: -1}
	}
	in := inCall{-1, v.stack[at].shown < at}
	if at = v.stack[at].shown; at >= 0 {
		in.group = v.slots.of(v.groups, v.stack[at].ref)
	}
	return in
}

// Exit is for the pass.
func (v *throwPart) Exit(p *lazy.PassPoint) {
	if v.scope.Timed {
		v.moments.exit(p)
	}
	if v.where != nil {
		v.where.exit()
	}
	v.leave(p)
}

// leave takes a call off the stack.
func (v *throwPart) leave(p *lazy.PassPoint) {
	n := len(v.stack)
	if p.Class != format.ClassCall || n == 0 {
		return
	}
	threw, _ := p.Threw() // the pass gets the error too
	switch {
	case threw:
		class := ""
		if f, err := p.Footer(); err == nil && f != nil {
			class = f.Exception
		}
		v.step(stepThrew, p, class)
		if n > 1 {
			v.stack[n-2].stirred = true
		}
	case !v.stack[n-1].stirred:
	case p.State != lazy.StateWhole:
		v.step(stepNever, p, "")
	default:
		v.step(stepLeave, p, "")
	}
	v.stack = v.stack[:n-1]
}
