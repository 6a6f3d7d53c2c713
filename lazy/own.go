package lazy

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// OwnOptions select what [VisitOwn] visits.
type OwnOptions struct {
	Raw bool // the points as recorded; otherwise what the folded view shows
	// At is a call, a loop or an iteration, or a point in a call, which stands for the call. Event is its number.
	At    Position
	Event int32
	Child *Position // a point in At; nil for none
	Most  int64     // points visited; what follows is only counted
}

// OwnPoint is a point that a call made itself. It is valid until [OwnVisitor.Own] returns.
type OwnPoint struct {
	Position Position
	Point    *format.Point
	Footer   *format.Footer // of a container; nil while its end is not known
	Parent   format.Parent
	Time     Time
	Timed    bool // Time is known
}

// OwnVisitor gets what [VisitOwn] finds. Its methods are called on the goroutine of VisitOwn.
type OwnVisitor interface {
	// Begin gets the call, loop or iteration, and the point of its own that Child is or is in, nil if there is
	// none; both are nodes of t. It is called again if the walk begins anew: then what was found before does not count.
	Begin(t *Tree, of, child *Node) error
	// Own visits a point, while the Context is locked.
	Own(c *format.Context, p *OwnPoint)
	// Left tells that there are n more points; all is false while they are being counted.
	Left(n int64, all bool)
}

// VisitOwn visits what a call itself did, in the order of the trace: the points directly in it and, as loops and
// their iterations belong to the same function, those in its loops. What is in the calls that it made is passed over:
// they take the time of one point each. Of a loop or an iteration it visits that point, too. The error is a
// [*FoldedError] if folding hides At, or At is a thread, and [ErrNoCall] if there is no call around it.
func VisitOwn(ctx context.Context, r *LazyTraceReader, o OwnOptions, v OwnVisitor) error {
	for {
		view := r.r.Known.Load()
		err := r.r.Insist(ctx, func() error { return visitOwn(ctx, r.r, o, v) })
		if !errors.Is(err, trace.ErrStale) || r.r.Known.Load() == view {
			return err
		}
	}
}

// ErrNoCall is the error of [VisitOwn] for a point that is in no call.
var ErrNoCall = errors.New("no call is around it")

func visitOwn(ctx context.Context, r *walk.Reader, o OwnOptions, v OwnVisitor) error {
	t := newTree(r, !o.Raw, nil)
	child, err := RevealAlone(ctx, t, o.At)
	if err != nil {
		return err
	}
	if err := child.ShowsEvent(o.Event, o.At); err != nil {
		return err
	}
	n := ownerOf(child)
	if n == nil {
		return ErrNoCall
	}
	if o.Child != nil {
		if child, err = RevealAlone(ctx, t, *o.Child); err != nil {
			return err
		}
	}
	if err := v.Begin(t, n, ownChild(n, child)); err != nil {
		return err
	}
	w := &ownWalk{n: n, v: v, left: o.Most, moment: t.now}
	e := n.e.Load()
	if n.Point().Class == format.ClassCall {
		w.stack = []walk.Level{{Pos: e.Start, Ord: e.First, End: e.End, Parent: format.ParentOf(&e.Point)}}
	} else {
		w.stack = []walk.Level{{Pos: e.At, Ord: e.First, End: e.Next, Parent: n.around()}}
	}
	return w.run(ctx)
}

// ownerOf returns n if it is a container, or the call around it; nil if there is none.
func ownerOf(n *Node) *Node {
	if n.Point().Class.Container() {
		return n
	}
	for n = n.parent; !n.IsThread(); n = n.parent {
		if n.Point().Class == format.ClassCall {
			return n
		}
	}
	return nil
}

// ownChild returns the point of n itself that a point is or is in; nil if there is none.
func ownChild(n, p *Node) (child *Node) {
	for ; p != nil && p != n; p = p.parent {
		if c := p.Point(); child == nil || c != nil && c.Class == format.ClassCall {
			child = p
		}
	}
	if p == nil {
		return nil
	}
	return child
}

// How many points are read before others may change the mappings.
const (
	ownVisits = 256
	ownCounts = 8192
)

// ownWalk is a walk over what a call itself did.
type ownWalk struct {
	n      *Node
	v      OwnVisitor
	moment walk.Instant
	left   int64 // points to visit
	stack  []walk.Level
	parent format.Parent // of the point read last
	read   walk.NodeData
	own    OwnPoint
}

func (w *ownWalk) run(ctx context.Context) error {
	l := &nodeReader{walk.ChildReader{Folded: w.n.loader.folded, Moment: w.moment, Lender: new(walk.DataPool)}}
	for w.left > 0 {
		if more, err := w.visit(ctx, l, min(w.left, ownVisits)); err != nil || !more {
			if err == nil {
				w.v.Left(0, true)
			}
			return err
		}
	}
	for n := int64(0); ; {
		by, more, err := w.count(ctx, l)
		n += by
		w.v.Left(n, !more && err == nil)
		if errors.Is(err, trace.ErrStale) && w.moment.Epoch == w.n.loader.r.Epoch.Load() {
			return nil // the trace grows: the number may be larger
		}
		if err != nil || !more {
			return err
		}
	}
}

// within runs f with a reader of the walk's thread.
func (w *ownWalk) within(ctx context.Context, l *nodeReader, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := w.n.loader.r
	return r.Doubt(r.Use(func() (err error) {
		if r.Epoch.Load() != w.moment.Epoch {
			return trace.ErrStale
		}
		if l.Walker, err = r.WalkerOn(w.moment.View, w.n.thread); err != nil {
			return err
		}
		r.CtxMu.RLock()
		defer r.CtxMu.RUnlock()
		return f()
	}), w.moment.View, w.moment.Epoch)
}

// visit visits up to most points.
func (w *ownWalk) visit(ctx context.Context, l *nodeReader, most int64) (more bool, err error) {
	err = w.within(ctx, l, func() error {
		for n := int64(0); n < most; n++ {
			e, err := w.next(l, true)
			if err != nil || e == nil {
				return err
			}
			p := &w.own
			*p = OwnPoint{Position: Position{Thread: w.n.thread, At: e.At}, Point: &e.Point, Parent: w.parent}
			if e.Container() {
				p.Footer = e.ShownFooter()
			}
			p.Time, p.Timed = l.Time(e)
			w.v.Own(l.R.Ctx, p)
			w.left--
		}
		more = true
		return nil
	})
	return more, err
}

// count counts some of the points that are left.
func (w *ownWalk) count(ctx context.Context, l *nodeReader) (n int64, more bool, err error) {
	err = w.within(ctx, l, func() error {
		for ; n < ownCounts; n++ {
			if e, err := w.next(l, false); err != nil || e == nil {
				return err
			}
		}
		more = true
		return nil
	})
	return n, more, err
}

// next reads the next point; nil at the end. If want is false, only what tells whether it is shown and what is in it.
func (w *ownWalk) next(l *nodeReader, want bool) (*walk.NodeData, error) {
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		l.End, l.Lender.Lent = top.End, 0
		e := &w.read
		pos, ord := top.Pos, top.Ord
		ok, err := l.Next(pos, ord, top.End, e, want)
		if err != nil {
			return nil, err
		}
		if !ok {
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		top.Pos, top.Ord = e.Next, e.After
		if l.Folded && (want || l.MayFold(e)) {
			if !want {
				if _, err := l.Next(pos, ord, top.End, e, true); err != nil {
					return nil, err
				}
			}
			if e, err = l.Fold(e); err != nil {
				return nil, err
			}
			if e == nil {
				continue
			}
		}
		w.parent = top.Parent
		if e.Container() && e.Point.Class != format.ClassCall && e.HasContent() {
			w.stack = append(w.stack, walk.Level{Pos: e.Start, Ord: e.First, End: e.End, Parent: format.ParentOf(&e.Point)})
		}
		return e, nil
	}
	return nil, nil
}
