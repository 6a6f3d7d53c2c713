package diff

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// contextRows is how many equal siblings are shown before and after a change.
const contextRows = 3

// leastHidden is how many equal siblings a row stands for at least, where they could be shown.
const leastHidden = 2

// equalRows writes equal siblings so that the diff stays small: those next to a change with one row for what is in them, and one row for all
// others. before and after tell on which sides there is a change.
func (w *writer) equalRows(ctx context.Context, s step, before, after bool) error {
	head, tail := int64(0), s.n
	if before {
		head = min(contextRows, s.n)
	}
	if after {
		tail = max(head, s.n-contextRows)
	}
	if tail-head < leastHidden && (before || after) {
		head = tail
	}
	x := equalRun{twins: twins{w: w, ends: w.ends()}, of: s, head: head, tail: tail}
	for begun := false; x.i < s.n; {
		if err := w.check(ctx); err != nil {
			return err
		}
		err := holdSources(w.a, w.b, func() (err error) {
			defer w.feeds[1].release()
			if !begun {
				x.start(s.a, s.b)
				begun = true
			}
			for n := 0; n < holdFor && x.i < s.n && err == nil; n++ {
				err = x.goOn()
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// equalRun are the siblings of a step that are equal, while they are written.
type equalRun struct {
	twins
	of         step
	head, tail int64 // those between are hidden
	hidden     row
	i          int64 // the current one
	counting   bool  // the calls in it
	calls      int64
}

// goOn reads one point of the siblings, or of what is in them: they are written, or added to a row.
func (x *equalRun) goOn() error {
	w, f := x.w, &x.w.feeds[1]
	shown := x.i < x.head || x.i >= x.tail
	switch {
	case w.part != nil:
		if err := w.inside(); err != nil || w.part != nil {
			return err
		}
		return x.passed()
	case x.counting:
		if err := f.next(); err != nil {
			return err
		}
		if !f.closed && f.point.Class == format.ClassCall {
			x.calls++
		}
		x.counting = len(f.open) > 0
	default:
		if err := x.next(shown || x.of.n == 1); err != nil {
			return err
		}
		if !x.ok {
			return w.b.w.Contradiction(x.of.b, "fewer trace points than a step of the diff says")
		}
		e := &x.at[1]
		switch x.calls = 0; {
		case !e.Container():
		case w.calls != nil && e.State == walk.StateWhole:
			x.calls = w.calls(w.b.w.S.Thread, e.After-1)
		default:
			f.start(w.b, e.At)
			f.heads, x.counting = true, true
		}
	}
	switch {
	case x.counting:
		return nil
	case shown, x.of.n == 1 && !x.at[1].HasContent(): // a row would not be shorter
		if err := w.sibling(&x.twins, x.calls); err != nil || w.part != nil {
			return err
		}
	default:
		x.hidden.add(&x.twins)
		x.hidden.calls += x.calls
	}
	return x.passed()
}

// passed goes on to the next sibling.
func (x *equalRun) passed() error {
	if x.i++; x.i == x.tail {
		return x.w.stand(&x.hidden)
	}
	return nil
}

// twins are siblings of both traces that are equal, read in step. Where a difference in them does not count A may have fewer or
// more: then its last one stays the current one.
type twins struct {
	w       *writer
	ends    [2]int64         // of what they are in
	at      [2]walk.NodeData // the current ones
	without *source          // the side that has none
	only    bool             // A passes only the first one: its time is not known anyway
	ok      bool             // there is a current one
	still   bool             // that of A is the one before
}

// start begins with those at these offsets.
func (x *twins) start(a, b int64) {
	for i, s := range [...]*source{x.w.a, x.w.b} {
		if s != x.without {
			at := [...]int64{a, b}[i]
			x.at[i].Next, x.at[i].After = at, s.w.S.Cells.FirstEnding(at)
		}
	}
}

// enter begins with what is in the current ones of others.
func (x *twins) enter(of *twins) {
	for i := range x.at {
		e := &of.at[i]
		x.ends[i], x.at[i].Next, x.at[i].After = e.End, e.Start, e.First
	}
}

// next reads the next ones, all of their points if want is set. Without one ok is false.
func (x *twins) next(want bool) error {
	had := x.ok
	x.ok = false
	for i, s := range [...]*source{x.w.a, x.w.b} {
		e := &x.at[i]
		if s == x.without || i == 0 && x.only && had {
			continue
		}
		var err error
		if x.ok, err = s.w.Next(e.Next, e.After, x.ends[i], e, want); err != nil {
			return err
		}
		s.read = max(s.read, e.At)
		if x.still = i == 0 && !x.ok || i == 1 && x.still; x.still && !had {
			x.without = x.w.a
		}
	}
	return nil
}

// from returns where the current ones are from.
func (x *twins) from() origin {
	switch x.without {
	case x.w.a:
		return x.w.from(nil, &x.at[1])
	case x.w.b:
		return x.w.from(&x.at[0], nil)
	}
	return x.w.from(&x.at[0], &x.at[1])
}

// shown returns the ones that are shown, those of B if there are any.
func (x *twins) shown() (*source, *walk.NodeData) {
	if x.without == x.w.b {
		return x.w.a, &x.at[0]
	}
	return x.w.b, &x.at[1]
}

// row is a row that stands for equal siblings.
type row struct {
	calls, n int64
	from     origin
}

// add adds siblings, but not their calls.
func (r *row) add(x *twins) {
	o := x.from()
	if r.n++; r.n == 1 {
		r.from = o
		return
	}
	for i, took := range o.pair.Took {
		if i == 0 && (x.only || x.still) || took < 0 {
			continue
		}
		r.from.pair.Took[i] = max(0, r.from.pair.Took[i]) + took
	}
}

// stand writes the row, unless it stands for nothing, and begins another one.
func (w *writer) stand(r *row) error {
	if r.n == 0 {
		return nil
	}
	long := func(n int64) format.Value { return format.Value{Kind: format.ValueLong, Bits: n} }
	p := format.Point{Class: format.ClassCall, Location: -1, Target: format.Null(), Args: []format.Value{long(r.calls), long(r.n)}}
	p.Ref = w.words.pseudo(format.EqualMethod, format.EqualArgs()...)
	event, content, err := w.put(nil, &p, format.DiffUnchanged, 0, r.from)
	if err != nil {
		return err
	}
	*r = row{}
	return w.close(nil, &format.Footer{Result: format.Value{Kind: format.ValueVoid}}, p.Class, event, content)
}

// part is an equal sibling whose row is written, while what is in it is added up.
type part struct {
	from    *source
	class   format.Class
	foot    format.Footer
	event   int32
	content int64
	in      twins // what is in it
	end     int64 // of that
	row     row   // stands for that
}

// begin writes the current ones of siblings, without what is in them.
func (w *writer) begin(x *twins) (p part, err error) {
	s, e := x.shown()
	p = part{from: s, class: e.Point.Class, foot: e.Foot}
	p.event, p.content, err = w.put(s, &e.Point, format.DiffUnchanged, 0, x.from())
	return p, err
}

// end ends what begin began.
func (w *writer) end(p *part) error {
	if !p.class.Container() {
		return nil
	}
	return w.close(p.from, &p.foot, p.class, p.event, p.content)
}

// sibling writes siblings that are next to a change. They are some calls, with those in them. Of a container, w.part is
// then to be written.
func (w *writer) sibling(x *twins, calls int64) error {
	p, err := w.begin(x)
	if err != nil || !p.class.Container() {
		return err
	}
	if p.class == format.ClassCall {
		calls--
	}
	_, e := x.shown()
	p.end, p.row.calls = e.End, calls
	p.in = twins{w: w, without: x.without, only: !w.a.r.Timed() && x.without == nil}
	p.in.enter(x)
	w.part = &p
	return nil
}

// inside adds the next point in w.part to the row for what is in it, or ends it. A single point without content stands for itself.
func (w *writer) inside() error {
	p := w.part
	first := p.row.n == 0
	if err := p.in.next(first); err != nil {
		return err
	}
	if !p.in.ok {
		w.part = nil
		if err := w.stand(&p.row); err != nil {
			return err
		}
		return w.end(p)
	}
	if _, e := p.in.shown(); !first || e.Next < p.end || e.HasContent() {
		p.row.add(&p.in)
		return nil
	}
	w.part = nil
	single, err := w.begin(&p.in)
	if err == nil {
		err = w.end(&single)
	}
	if err != nil {
		return err
	}
	return w.end(p)
}
