package query

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
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
type Throws struct {
	r     *lazy.TraceReader
	scope Scope
	keep  int

	mu     sync.Mutex // guards the fields below
	groups *groups
	rows   map[throwKey]*throwRow
	list   []Thrown
	all    int64
	skips  bool            // parts without exceptions may not be read
	flying map[int]*Thrown // by the number of calls around the call that it came out of, or was thrown in
	thread int32
	before carried
	// undated is how many exceptions are left out because nothing is known of when they were thrown.
	undated int64
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
	Event    int32 // of the throw, or of the call that ended by it first
	Recorded bool  // the throw was recorded
	In       int32 // group of the call that threw it; -1 outside of calls
	Passed   int64 // calls that ended by it
	Outcome  Outcome
	Where    int32 // group of the call that caught it, or that it left last; -1 outside of calls
	Catch    int32 // event of the catch; -1 if it was not recorded

	call    int64 // in flight: where the call begins that it was thrown in, or came out into
	caller  int32 // the group of that call
	counts  bool  // it is in the span of time, and matches the filter
	undated bool  // it matches, and nothing is known of its time
}

// throwKey is what the exceptions of a row have in common.
type throwKey struct {
	class     string
	in, where int32
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
	t := &Throws{r: r, scope: scope, keep: keep}
	t.Reset()
	return t
}

// Reset is for the pass.
func (t *Throws) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups = newGroups(t.r, ByMethod)
	t.rows, t.list, t.all, t.undated = make(map[throwKey]*throwRow), nil, 0, 0
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
	e := Thrown{Class: s.class, Thread: s.thread, Event: s.event, Recorded: recorded, In: s.group, Catch: -1}
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
		t.end(s.depth, Caught, s.group, -1) // another exception takes its place
		e.call, e.caller = s.call, s.group
		t.flying[s.depth] = &e
	case stepCatch:
		if at == nil || !sameClass(at.Class, s.class) {
			// It comes from code that was not recorded.
			e := t.begin(s, false)
			e.In, e.Where, e.Catch = -1, s.group, s.event
			t.add(e)
			return
		}
		at.learn(s.class)
		t.end(s.depth, Caught, s.group, s.event)
	case stepLeave:
		t.end(s.depth, Caught, s.group, -1)
	case stepNever:
		t.end(s.depth, Unknown, s.group, -1)
	case stepThrew:
		if at == nil || !sameClass(at.Class, s.class) {
			t.end(s.depth, Caught, s.group, -1)
			e := t.begin(s, false)
			at = &e
		}
		at.learn(s.class)
		at.Passed++
		delete(t.flying, s.depth)
		t.end(s.depth-1, Caught, s.around, -1)
		at.call, at.caller = s.caller, s.around
		t.flying[s.depth-1] = at
		if s.depth == 1 {
			t.end(0, Left, s.group, -1)
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
func (t *Throws) end(depth int, how Outcome, where, catch int32) {
	if e := t.flying[depth]; e != nil {
		e.Outcome, e.Where, e.Catch = how, where, catch
		delete(t.flying, depth)
		t.add(*e)
	}
}

// add counts an exception.
func (t *Throws) add(e Thrown) {
	if e.undated {
		t.undated++
	}
	if !e.counts {
		return
	}
	t.all++
	if len(t.list) < t.keep {
		t.list = append(t.list, e)
	}
	key := throwKey{e.Class, e.In, e.Where, e.Outcome}
	row := t.rows[key]
	if row == nil {
		row = &throwRow{throwKey: key, first: e, least: e.Passed, most: e.Passed}
		t.rows[key] = row
	}
	row.count++
	row.least, row.most = min(row.least, e.Passed), max(row.most, e.Passed)
}

// throwStep is something that may change the exceptions in flight.
type throwStep struct {
	kind   stepKind
	depth  int // calls around it, or, for a call, with itself
	thread int32
	event  int32
	group  int32 // of the call; -1 outside of calls
	around int32 // of the call around it; -1 if none
	call   int64 // where the call begins
	caller int64 // where the call around it does
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
	stirred bool // an exception may be in flight in it
	matches bool // the filter, or there is none
}

// Begin is for the pass.
func (v *throwPart) Begin(thread int32, around []lazy.PassFrame) {
	v.thread, v.stack = thread, v.stack[:0]
	from := v.scope.begins(thread)
	for i := range around {
		if f := &around[i]; f.Class == format.ClassCall && f.At >= from {
			v.stack = append(v.stack, throwCall{f.Ref, f.At, true, v.where == nil})
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
		v.stack = append(v.stack, throwCall{ref: p.Ref, at: p.At, matches: v.where == nil || v.where.match(p)})
	}
	if v.where != nil {
		v.where.enter(p)
	}
}

// Leaf is for the pass.
func (v *throwPart) Leaf(p *lazy.PassPoint) {
	if p.Class != format.ClassThrow && p.Class != format.ClassCatch {
		return
	}
	point, err := p.Point()
	if err != nil {
		return // the pass gets the error too
	}
	kind := stepThrow
	if p.Class == format.ClassCatch {
		kind = stepCatch
	}
	class := thrownClass(v.ctx, &point.Value)
	match := v.where == nil || v.where.match(p)
	s := v.step(kind, p.Event, class)
	s.matches = match || s.matches && kind == stepThrow // what a catch ends is about its own throw
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
func (v *throwPart) step(kind stepKind, event int32, class string) *throwStep {
	s := throwStep{kind: kind, depth: len(v.stack), thread: v.thread, event: event, group: -1, around: -1, class: class, dated: v.known, time: v.now}
	if n := len(v.stack); n > 0 {
		s.group, s.matches = v.slots.of(v.groups, v.stack[n-1].ref), v.stack[n-1].matches
		v.stack[n-1].stirred = true
		s.call = v.stack[n-1].at
		if n > 1 {
			s.caller = v.stack[n-2].at
			s.around = v.slots.of(v.groups, v.stack[n-2].ref)
		}
	}
	v.steps = append(v.steps, s)
	return &v.steps[len(v.steps)-1]
}

// Exit is for the pass.
func (v *throwPart) Exit(p *lazy.PassPoint) {
	if v.scope.Timed {
		v.moments.exit(p)
	}
	if v.where != nil {
		v.where.exit()
	}
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
		v.step(stepThrew, p.Event, class)
		if n > 1 {
			v.stack[n-2].stirred = true
		}
	case !v.stack[n-1].stirred:
	case p.State != lazy.StateWhole:
		v.step(stepNever, p.Event, "")
	default:
		v.step(stepLeave, p.Event, "")
	}
	v.stack = v.stack[:n-1]
}
