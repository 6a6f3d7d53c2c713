package lazy

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// FlameOf finds what a thread did. If the data is damaged, it is about everything before the damage.
func FlameOf(ctx context.Context, r *LazyTraceReader, o FlameOptions) (f Flame, err error) {
	o.Columns, o.Depth = min(max(o.Columns, 1), mostFlame), min(max(o.Depth, 1), mostFlame)
	for {
		v, epoch := r.r.Moment()
		x := &flameWalk{r: r.r, v: v, o: o}
		err = x.run(ctx)
		if errors.Is(err, trace.ErrStale) && ctx.Err() == nil && r.r.Known.Load() != v {
			continue
		}
		again, err := r.r.Remade(ctx, r.r.Doubt(err, v, epoch), epoch)
		if !again {
			return x.f, err
		}
	}
}

// run finds the flame.
func (x *flameWalk) run(ctx context.Context) error {
	if x.o.Below != nil {
		if err := x.findBelow(ctx); err != nil {
			return err
		}
	}
	if err := x.use(func() error { return x.begin(ctx) }); err != nil {
		return err
	}
	for x.f.Done < x.o.Columns {
		err := x.use(func() error {
			for end := min(x.f.Done+flameBatch, x.o.Columns); x.f.Done < end; x.f.Done++ {
				if err := x.column(ctx, x.f.Done); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		if x.o.Tell != nil && x.f.Done < x.o.Columns {
			part := x.f
			if err := x.use(func() error { x.narrow(&part); return nil }); err != nil {
				return err
			}
			x.o.Tell(part)
		}
	}
	return x.use(func() error { x.narrow(&x.f); return nil })
}

// use runs f while the mappings and the descriptors stay in place.
func (x *flameWalk) use(f func() error) error {
	return x.r.Use(func() error {
		w, err := x.r.WalkerOn(x.v, x.o.Thread)
		if err != nil {
			return err
		}
		if x.Walker == nil {
			x.Walker = w
		}
		x.r.CtxMu.RLock()
		defer x.r.CtxMu.RUnlock()
		return f()
	})
}

// findBelow finds the container that the flame is about.
func (x *flameWalk) findBelow(ctx context.Context) error {
	tree := newTree(x.r, !x.o.Raw, nil)
	Inline(tree)
	n, err := tree.Reveal(ctx, *x.o.Below)
	if err != nil {
		return err
	}
	e := n.e.Load()
	if n.IsThread() || !e.Container() || x.o.Below.At < e.At || x.o.Below.At >= e.Start {
		return fmt.Errorf("%s: %w", PositionHandle(*x.o.Below), ErrEmptyFlame)
	}
	data := *e
	x.below, x.in = &data, n.around()
	return nil
}

// begin finds the ends of the axis, and what never ended.
func (x *flameWalk) begin(ctx context.Context) error {
	f, o := &x.f, &x.o
	*f = Flame{Thread: o.Thread, Timed: x.Walker.R.Timed(), Columns: o.Columns}
	if f.Timed {
		x.axis = &timeAxis{w: x.Walker}
	} else {
		x.axis = &eventAxis{w: x.Walker}
	}
	begin, end, err := x.axis.ends(ctx)
	if err != nil {
		return err
	}
	if f.Begin, f.End = begin, end; end <= begin || uint64(end-begin) > mostAxis {
		return ErrEmptyFlame
	}
	x.findOpen()
	x.kids = []flameKids{{within: nodeReader{walk.ChildReader{Walker: x.Walker, Folded: !o.Raw, End: x.S.Size}}, after: end, beyond: x.S.Cells.Len()}}
	if x.below != nil {
		span, ok, err := x.span(ctx, x.below, x.below, &x.kids[0])
		if err != nil {
			return err
		}
		if !ok || span.To <= span.From {
			return ErrEmptyFlame
		}
		f.Begin, f.End = span.From, span.To
		span.Left, span.Right = 0, o.Columns
		x.kids[0].parent = x.in
		x.put(span, x.below, x.below, &x.kids[0])
	}
	f.From, f.To = f.Begin, f.End
	if o.To > o.From {
		f.From, f.To = max(f.From, o.From), min(f.To, o.To)
	}
	if f.From >= f.To {
		return ErrEmptyFlame
	}
	if x.below != nil {
		f.Spans[0].Left, f.Spans[0].Right = x.columns(f.Spans[0].From, f.Spans[0].To)
	}
	first, at := x.axis.endingAfter(ctx, f.From, 0)
	x.ends, f.Edges = append(x.ends[:0], first), []int64{at}
	return nil
}

// findOpen finds the containers that never ended, and where they begin as far as is known.
func (x *flameWalk) findOpen() {
	list := x.S.Unended()
	x.open = make([]openSpan, len(list))
	later := x.f.End
	for i := len(x.open) - 1; i >= 0; i-- {
		o := &x.open[i]
		o.Unended, o.own = list[i], -1
		o.cell = format.Cell{Start: o.Start, End: x.S.Size}
		to := x.S.Size
		if i+1 < len(x.open) {
			to = x.open[i+1].At
		}
		later = x.axis.openFrom(o.Unended, to, later)
		o.from = later
	}
}

// AxisOf returns where a node begins and ends on the axis of its thread's flame: time, or the numbers of events.
// The error is [ErrNoTimes] if nothing is known of that in a trace with times.
func AxisOf(ctx context.Context, r *LazyTraceReader, n *Node, raw bool) (timed bool, from, to int64, err error) {
	_, timed = r.Times()
	at := n.Position()
	if p := n.Point(); p != nil && !p.Class.Container() {
		if !timed {
			return false, int64(p.Event), int64(p.Event) + 1, nil
		}
		from, to, err = walk.TimesAround(r.r, at)
		if to == math.MaxInt64 {
			if t, ok := r.ThreadTime(at.Thread); ok {
				to = t.End()
			}
		}
		return true, from, max(to, from+1), err
	}
	o := FlameOptions{Thread: at.Thread, Raw: raw, Columns: 1, Depth: 1}
	if !n.IsThread() {
		o.Below = &at
	}
	f, err := FlameOf(ctx, r, o)
	if errors.Is(err, ErrEmptyFlame) && timed {
		err = ErrNoTimes
	}
	return timed, f.Begin, f.End, err
}
