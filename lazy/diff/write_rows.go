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
	x := twins{w: w, ends: w.ends()}
	var hidden row
	for i := int64(0); i < s.n; {
		if err := w.check(ctx); err != nil {
			return err
		}
		err := holdSources(w.a, w.b, func() (err error) {
			if i == 0 {
				x.start(s.a, s.b)
			}
			for n := 0; n < holdFor && i < s.n && err == nil; n, i = n+1, i+1 {
				err = w.equalOne(ctx, &x, &hidden, s, i < head || i >= tail)
				if i == tail-1 && err == nil {
					err = w.stand(&hidden)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// equalOne writes the next siblings of a step if they are shown; else it adds them to a row.
func (w *writer) equalOne(ctx context.Context, x *twins, hidden *row, s step, shown bool) error {
	if err := x.next(shown || s.n == 1); err != nil {
		return err
	}
	if !x.ok {
		return w.b.w.Contradiction(s.b, "fewer trace points than a step of the diff says")
	}
	if s.n == 1 && !x.at[1].HasContent() {
		shown = true // a row would not be shorter
	}
	calls, err := w.callsIn(ctx, &x.at[1])
	if err != nil {
		return err
	}
	if shown {
		return w.sibling(ctx, x, calls)
	}
	hidden.add(x)
	hidden.calls += calls
	return nil
}

// callsIn returns how many calls a point of B is, with those in it.
func (w *writer) callsIn(ctx context.Context, e *walk.NodeData) (calls int64, err error) {
	switch {
	case !e.Container():
		return 0, nil
	case w.calls != nil && e.State == walk.StateWhole:
		return w.calls(w.b.w.S.Thread, e.After-1), nil
	}
	f := &w.feeds[1]
	f.start(w.b, e.At)
	f.heads = true
	for n := 1; ; n++ {
		if err := f.next(); err != nil {
			return 0, err
		}
		if !f.closed && f.point.Class == format.ClassCall {
			calls++
		}
		if len(f.open) == 0 {
			return calls, nil
		}
		if n%holdFor == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
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

// sibling writes siblings that are next to a change, and one row for what is in them. They are some calls, with those in them.
func (w *writer) sibling(ctx context.Context, x *twins, calls int64) error {
	s, e := x.shown()
	class, foot := e.Point.Class, e.Foot
	event, content, err := w.put(s, &e.Point, format.DiffUnchanged, 0, x.from())
	if err != nil || !class.Container() {
		return err
	}
	if class == format.ClassCall {
		calls--
	}
	if err := w.inside(ctx, x, calls); err != nil {
		return err
	}
	return w.close(s, &foot, class, event, content)
}

// inside writes a row for what is in containers that are equal, which has some calls. A single point without content stands for
// itself.
func (w *writer) inside(ctx context.Context, around *twins, calls int64) error {
	in := twins{w: w, without: around.without, only: !w.a.r.Timed() && around.without == nil}
	in.enter(around)
	_, of := around.shown()
	r := row{calls: calls}
	for n := 1; ; n++ {
		if err := in.next(n == 1); err != nil {
			return err
		}
		if !in.ok {
			return w.stand(&r)
		}
		if _, e := in.shown(); n == 1 && e.Next >= of.End && !e.HasContent() {
			return w.sibling(ctx, &in, calls)
		}
		if r.add(&in); n%holdFor == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
