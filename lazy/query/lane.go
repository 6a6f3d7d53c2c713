package query

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy"
)

// Moment is the begin of a point, or the end of a call, in the order of several threads.
type Moment struct {
	lazy.Position
	Event int32
	Class format.Class
	Depth int  // number of containers around it, as shown
	End   bool // the call ends
	// From and To are the keys of the timeline between which it was: both the same if that is known
	// exactly, as for the numbers of points and for the times of containers. To is math.MaxInt64 if
	// nothing of the thread comes after it.
	From, To int64
	key      int64 // From, but not less than that of what comes before in the thread
	place    memory
	writes   bool
	open     bool // To is not known yet
}

// exact reports whether it is known when it was.
func (m *Moment) exact() bool { return m.From == m.To }

// memory names what a read or a write of a field or an element accesses; the zero memory is nothing.
// Two objects may have the same hash.
type memory struct {
	class format.Class // that of a write
	ref   int32        // the field, or the index of the element
	owner int32        // the class of the object
	hash  int32
}

// memoryOf returns what a point accesses, and whether it writes.
func memoryOf(p *format.Point) (m memory, writes bool) {
	switch p.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		m = memory{class: format.ClassFieldWrite, ref: p.Ref}
	case format.ClassArrayRead, format.ClassArrayWrite:
		m = memory{class: format.ClassArrayWrite, ref: p.Number}
	default:
		return m, false
	}
	if p.Target.Kind == format.ValueObject || p.Target.Kind == format.ValueArray {
		m.owner, m.hash = p.Target.ClassID, p.Target.Hash()
	}
	return m, p.Class == m.class
}

// lane is what has been read of a thread: the moments of a part that match.
type lane struct {
	thread      int32
	size        int64 // of the thread, as far as is known
	from, to    int64 // logical offsets: the part that has been read
	list        []Moment
	span               // of the points read, whether they match or not
	back, ahead int64  // how many bytes to read next
	middle      [2]int // see gathering.split: what it found, for a list of the length known
	known       int
}

// span is a run of points.
type span struct {
	first, last int64 // their first and last event
	at          int64 // logical offset of the first
	any         bool  // there is one
	falls       bool  // the numbers do not rise
}

// then adds the points after it.
func (s *span) then(o span) {
	o.falls = o.falls || s.falls || s.any && o.any && s.last > o.first
	if s.any {
		o.first, o.at = s.first, s.at
		if !o.any {
			o.last = s.last
		}
	}
	o.any = o.any || s.any
	*s = o
}

// firstRead is how many bytes of a thread are read at first in each direction, and mostRead at once.
const (
	firstRead = 16 << 10
	mostRead  = 64 << 20
)

// newLane returns a lane that has read nothing yet. The first part to read after it is around an offset.
func newLane(thread int32, size, at int64) *lane {
	from := max(0, min(at, size)-firstRead)
	return &lane{thread: thread, size: size, from: from, to: from, back: firstRead, ahead: min(at, size) - from + firstRead}
}

func (l *lane) begun() bool { return l.from == 0 }
func (l *lane) ended() bool { return l.to >= l.size }

// laneReader reads parts of threads.
type laneReader struct {
	r        *lazy.LazyTraceReader
	raw      bool
	timeline lazy.Timeline
	where    *condition    // nil for all
	always   lazy.Position // it is listed even if it does not match
}

// part is a part of a lane to read: before what has been read, or after.
type part struct {
	l      *lane
	before bool
}

func (p part) extent() lazy.PassRange {
	g := lazy.PassRange{Thread: p.l.thread, From: max(0, p.l.from-p.l.back), To: p.l.from}
	if !p.before {
		g.From, g.To = p.l.to, min(p.l.to+p.l.ahead, p.l.size)
	}
	return g
}

// extend reads parts of different lanes in one pass. After an error nothing is added.
func (x *laneReader) extend(ctx context.Context, parts []part) error {
	pass := lazy.Pass{Raw: x.raw, Ranges: []lazy.PassRange{}}
	for _, p := range parts {
		if g := p.extent(); g.From < g.To {
			pass.Ranges = append(pass.Ranges, g)
		}
	}
	c := &laneCollector{x: x}
	c.Reset()
	pass.Collect = []lazy.Collector{c}
	if err := x.r.Pass(ctx, pass); err != nil {
		return err
	}
	for _, p := range parts {
		f := c.found[p.l.thread]
		if f == nil {
			f = new(laneFound)
		}
		p.l.add(f, p)
	}
	return ctx.Err()
}

// add adds what was found in a part.
func (l *lane) add(f *laneFound, p part) {
	g := p.extent()
	had := laneFound{l.list, l.span}
	if p.before {
		l.from, l.back = g.From, min(2*l.back, mostRead)
		f.then(&had)
		had = *f
	} else {
		l.to, l.ahead = g.To, min(2*l.ahead, mostRead)
		had.then(f)
	}
	l.list, l.span = had.list, had.span
	key := int64(math.MinInt64)
	for i := range l.list {
		key = max(key, l.list[i].From)
		l.list[i].key = key
	}
}

// laneFound is what was found in a part of a thread.
type laneFound struct {
	list []Moment
	span
}

// then adds what was found after it.
func (f *laneFound) then(o *laneFound) {
	if o.any {
		f.next(o.first)
	}
	f.span.then(o.span)
	f.list = append(f.list, o.list...)
}

// next tells which event comes next: the ends of calls since the last one were before it.
func (f *laneFound) next(event int64) {
	for i := len(f.list) - 1; i >= 0 && f.list[i].open; i-- {
		f.list[i].To, f.list[i].open = event, false
	}
}

// laneCollector collects parts of threads, one of each.
type laneCollector struct {
	x     *laneReader
	found map[int32]*laneFound
}

func (c *laneCollector) Visitor() lazy.Visitor {
	v := &laneVisitor{x: c.x}
	if c.x.where != nil {
		v.m = c.x.where.matcher()
	}
	return v
}

func (c *laneCollector) Merge(v lazy.Visitor) error {
	x := v.(*laneVisitor)
	if c.found[x.thread] == nil {
		c.found[x.thread] = new(laneFound)
	}
	c.found[x.thread].then(&x.found)
	return nil
}

func (c *laneCollector) Reset() { c.found = make(map[int32]*laneFound) }

// laneVisitor visits a part.
type laneVisitor struct {
	x       *laneReader
	m       *matcher // nil for all
	thread  int32
	found   laneFound
	matched []bool // of the open containers
}

func (v *laneVisitor) Begin(thread int32, _ []lazy.PassFrame) {
	v.thread, v.matched = thread, v.matched[:0]
	v.m.begin()
}

func (v *laneVisitor) Around(p *lazy.PassPoint) { v.enter(p, v.matches(p)) }

func (v *laneVisitor) Enter(p *lazy.PassPoint) {
	matches := v.matches(p)
	v.take(p, matches)
	v.enter(p, matches)
}

func (v *laneVisitor) Leaf(p *lazy.PassPoint) { v.take(p, v.matches(p)) }

func (v *laneVisitor) matches(p *lazy.PassPoint) bool {
	return v.m.match(p) || v.x.always == placeOf(p)
}

func (v *laneVisitor) enter(p *lazy.PassPoint, matches bool) {
	v.matched = append(v.matched, matches)
	v.m.enter(p)
}

func (v *laneVisitor) Exit(p *lazy.PassPoint) {
	n := len(v.matched) - 1
	matches := v.matched[n]
	v.matched = v.matched[:n]
	v.m.exit()
	if matches && p.Class == format.ClassCall && p.State == lazy.StateWhole {
		v.end(p)
	}
}

// take notes a point, and lists it if it matches.
func (v *laneVisitor) take(p *lazy.PassPoint, matches bool) {
	event := int64(p.Event)
	v.found.next(event)
	v.found.span.then(span{first: event, last: event, at: p.At, any: true})
	if !matches {
		return
	}
	m := momentOf(p)
	m.From, m.To = event, event
	if v.x.timeline == lazy.TimelineTimes {
		m.From, m.To, _ = p.When()
	}
	switch p.Class {
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		point := decoded(p)
		if point == nil {
			return
		}
		m.place, m.writes = memoryOf(point)
	}
	v.found.list = append(v.found.list, m)
}

// end lists the end of a call. It has no number: it was after the last event of its thread, and before
// the next one.
func (v *laneVisitor) end(p *lazy.PassPoint) {
	m := momentOf(p)
	m.End, m.From, m.To, m.open = true, v.found.last, math.MaxInt64, true
	if v.x.timeline == lazy.TimelineTimes {
		m.From, m.To, _ = p.When()
		m.open = false
	}
	v.found.list = append(v.found.list, m)
}

func momentOf(p *lazy.PassPoint) Moment {
	return Moment{Position: placeOf(p), Event: p.Event, Class: p.Class, Depth: p.Depth}
}
