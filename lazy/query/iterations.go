package query

import (
	"context"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/places"
)

// Loop is a loop of a trace.
type Loop struct {
	Position lazy.Position
	Event    int32
	In       string // the call around it; "" if there is none
}

// LoopAt returns the innermost loop around a position, or the one there. ok is false if there is none.
func LoopAt(ctx context.Context, r *lazy.LazyTraceReader, raw bool, at lazy.Position) (l Loop, ok bool, err error) {
	n, err := r.Tree(!raw).Reveal(ctx, at)
	if err != nil {
		return l, false, err
	}
	l, ok = LoopOf(r, n)
	return l, ok, nil
}

// LoopOf is LoopAt for a node. It reads nothing.
func LoopOf(r *lazy.LazyTraceReader, n *lazy.Node) (l Loop, ok bool) {
	for n != nil && !n.IsThread() && n.Point().Class != format.ClassLoop {
		n = n.Parent()
	}
	if n == nil || n.IsThread() {
		return l, false
	}
	l.Position, l.Event = n.Position(), n.Point().Event
	for up := n.Parent(); up != nil && !up.IsThread(); up = up.Parent() {
		if p := up.Point(); p.Class == format.ClassCall {
			r.WithContext(func(c *format.Context) { l.In, _ = c.CallName(p.Ref, 0) })
			break
		}
	}
	return l, true
}

// Iterations are those of one loop: how long each took, what was called in it. It is a Collector of a
// pass over the loop; any goroutine may ask it for what has been merged so far.
type Iterations struct {
	Set   *places.Set // the iterations, in the order of the trace
	r     *lazy.LazyTraceReader
	scope Scope
	loop  Loop
	timed bool
	most  int // rows that are kept

	mu    sync.Mutex // guards the fields below
	rows  []iteration
	all   int64
	last  iteration // that was counted; it may have no row
	threw int64
	times histogram.Histogram
}

// mostIterations bounds the rows that are kept: they take 35 MB, and those shown 15.
const mostIterations = 150_000

// longestFirstCall bounds the text of a call, in bytes.
const longestFirstCall = 120

// iteration is what is known of one.
type iteration struct {
	at       int64
	duration int64 // ns; negative if not known
	start    int64
	inner    int64 // ns: of the calls in it that are in no other call in it
	events   int64 // in it, with itself
	calls    int64 // in it, at any depth
	threw    int32 // of these, those that ended with an exception
	event    int32
	number   int32  // from 0
	first    int32  // method of its first call; -1 if there is none
	flags    int16  // of that call
	call     string // that call with its arguments, the beginning
	ended    bool
	whole    bool // its end was recorded
	vague    bool // one of these calls has no time
}

// NewIterations returns the Iterations of a loop, which the scope is: see [Scope.In].
func NewIterations(r *lazy.LazyTraceReader, scope Scope, loop Loop) *Iterations {
	t := &Iterations{Set: places.New(), r: r, scope: scope, loop: loop, most: mostIterations}
	_, t.timed = r.Times()
	return t
}

func (t *Iterations) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Set.Reset()
	t.rows, t.all, t.last, t.threw, t.times = nil, 0, iteration{}, 0, histogram.Histogram{}
}

// Run finds the iterations. tell gets the progress; it may be nil. After an error, or if ctx ends, the
// table is that of what was found.
func (t *Iterations) Run(ctx context.Context, tell lazy.Progress) error {
	pass := t.scope.Over(t)
	pass.Progress = tell
	err := t.r.Pass(ctx, pass)
	if err == nil {
		t.Set.Finish()
	}
	return err
}

// Found returns how many iterations were found.
func (t *Iterations) Found() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

func (t *Iterations) Visitor() lazy.Visitor { return &iterationPart{of: t, open: -1} }

func (t *Iterations) Merge(v lazy.Visitor) error {
	p := v.(*iterationPart)
	t.mu.Lock()
	defer t.mu.Unlock()
	list := p.rows
	if p.goesOn && len(list) > 0 {
		if t.all > 0 && t.last.at == list[0].at { // else the iteration does not count
			t.last.join(&list[0])
			if t.all == int64(len(t.rows)) {
				t.rows[len(t.rows)-1] = t.last
			}
			t.end(&t.last)
		}
		list = list[1:]
	}
	for i := range list {
		t.all++
		t.Set.Add(t.loop.Position.Thread, list[i].at)
		t.end(&list[i])
		t.last = list[i]
	}
	t.rows = append(t.rows, list[:min(len(list), t.most-len(t.rows))]...)
	return nil
}

// end counts an iteration that has ended.
func (t *Iterations) end(row *iteration) {
	if !row.ended {
		return
	}
	t.threw += int64(b2i(row.threw > 0))
	if row.duration >= 0 {
		t.times.Add(row.duration)
	}
}

// join adds what a later part found.
func (row *iteration) join(later *iteration) {
	row.inner += later.inner
	row.events += later.events
	row.calls += later.calls
	row.threw += later.threw
	if row.first < 0 {
		row.first, row.flags, row.call = later.first, later.flags, later.call
	}
	row.vague = row.vague || later.vague
	if later.ended {
		row.ended, row.whole, row.duration, row.start = true, later.whole, later.duration, later.start
	}
}

// iterationPart is the visitor of Iterations.
type iterationPart struct {
	of     *Iterations
	rows   []iteration
	goesOn bool // the first row is of an iteration that began in an earlier part
	in     bool // the loop is open
	depth  int  // containers open in the loop that are shown
	calls  int  // of these, calls
	open   int  // the row of the open iteration; -1 if there is none
	text   []byte
}

func (v *iterationPart) Begin(_ int32, around []lazy.PassFrame) {
	v.in, v.depth, v.calls, v.open = false, 0, 0, -1
	for i, f := range around {
		if f.At != v.of.loop.Position.At {
			continue
		}
		v.in, v.depth = true, len(around)-i-1
		for _, f := range around[i+1:] {
			v.calls += b2i(f.Class == format.ClassCall)
		}
		if v.depth > 0 && around[i+1].Class == format.ClassIteration && around[i+1].At >= v.of.scope.Begins(v.of.loop.Position.Thread) {
			v.goesOn, v.open = true, len(v.rows)
			v.rows = append(v.rows, iteration{at: around[i+1].At, duration: -1, first: -1})
		}
		return
	}
}

// beginEdited is Begin with what the steps hide.
func (v *iterationPart) beginEdited(thread int32, around []lazy.PassFrame, how []hiding) {
	var seen []lazy.PassFrame
	for i := range around {
		if i >= len(how) || how[i] == shown {
			seen = append(seen, around[i])
		}
	}
	v.Begin(thread, seen)
}

func (v *iterationPart) Enter(p *lazy.PassPoint) {
	if !v.in {
		if v.in = p.Class == format.ClassLoop && p.At == v.of.loop.Position.At; v.in {
			v.depth, v.calls, v.open = 0, 0, -1
		}
		return
	}
	v.calls += b2i(p.Class == format.ClassCall)
	if v.depth++; v.depth == 1 {
		if v.open = -1; p.Class == format.ClassIteration {
			v.begin(p)
		}
		return
	}
	if v.open < 0 {
		return
	}
	row := &v.rows[v.open]
	row.events++
	if p.Class != format.ClassCall {
		return
	}
	if row.calls++; row.first < 0 {
		point := decoded(p)
		if point == nil {
			return
		}
		row.first, row.flags = p.Ref, point.Flags&format.FlagSuper
		v.text = p.Context().AppendText(v.text[:0], point, nil, format.Parent{}, false)
		row.call = cutText(v.text, longestFirstCall)
	}
}

// begin begins an iteration, if it is in the span of time.
func (v *iterationPart) begin(p *lazy.PassPoint) {
	if !v.of.scope.begun(p) {
		return
	}
	point := decoded(p)
	if point == nil {
		return
	}
	v.open = len(v.rows)
	v.rows = append(v.rows, iteration{at: p.At, event: p.Event, number: point.Number, duration: -1, first: -1, events: 1})
}

func (v *iterationPart) Leaf(*lazy.PassPoint) {
	if v.in && v.open >= 0 {
		v.rows[v.open].events++
	}
}

func (v *iterationPart) Exit(p *lazy.PassPoint) {
	switch {
	case !v.in:
		return
	case v.depth == 0:
		v.in = false
		return
	}
	v.calls -= b2i(p.Class == format.ClassCall)
	if v.open >= 0 {
		v.leave(p, &v.rows[v.open])
	}
	if v.depth--; v.depth == 0 {
		v.open = -1
	}
}

// leave is Exit for what is in an iteration, or for the iteration itself.
func (v *iterationPart) leave(p *lazy.PassPoint, row *iteration) {
	if v.depth == 1 {
		row.ended, row.whole = true, p.State == lazy.StateWhole
		if t := tookOf(p, v.of.timed); t.Duration >= 0 {
			row.duration, row.start = t.Duration, t.Start
		}
		return
	}
	if p.Class == format.ClassCall {
		if v.calls == 0 {
			row.has(tookOf(p, v.of.timed))
		}
		threw, _ := p.Threw() // the pass gets the error too
		row.threw += int32(b2i(threw))
	}
}

// has adds the time of a call in the iteration that is in no other call in it.
func (row *iteration) has(t lazy.Time) {
	row.inner += max(0, t.Duration)
	row.vague = row.vague || t.Duration < 0
}

// hide counts a point that is merged with the call that it is in: it is an event of what is around that.
func (v *iterationPart) hide(_ *lazy.PassPoint, how hiding) {
	if how.merges() && v.in && v.open >= 0 {
		v.rows[v.open].events++
	}
}

// exitHidden is Exit for what a step hides. The time of what is dropped belongs to no call.
func (v *iterationPart) exitHidden(p *lazy.PassPoint, how hiding) {
	if how == dropped && v.in && v.open >= 0 && v.calls == 0 {
		v.rows[v.open].has(tookOf(p, v.of.timed))
	}
}
