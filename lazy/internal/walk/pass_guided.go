package walk

import (
	"context"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// A guided walk decodes each point with its footer, and goes by the index: a container ends where its cell says,
// whatever the last point in it was. So a damaged trace looks the same wherever a walk begins. It need not read
// what is in a container, and does not visit one again when it leaves it.

// handing is a visitor that hands on what it has while its part is still being visited: all of it may be too much
// for memory. It sets [PassWalk].full to be asked.
type handing interface {
	Visitor
	// next begins a thread, or a part of one, before anything is known about it. It reports whether that is wanted.
	next(thread int32) bool
	// hand puts what there is. Nothing is locked meanwhile: put may wait.
	hand(put func(product any) error) error
}

// taking is the collector of handing visitors.
type taking interface {
	Collector
	// take gets all products in order, on the goroutine that runs the pass.
	take(product any) error
}

// guidedSteps visits up to n objects, or until the visitor is full. more is false at the end of the part.
func (x *PassWalk) guidedSteps(n int) (more bool, err error) {
	for more = true; more && err == nil && n > 0 && !x.full; n-- {
		if more, err = x.guidedStep(); err == nil {
			err = x.err
		}
	}
	return more, err
}

// guidedStep visits the next object.
func (x *PassWalk) guidedStep() (more bool, err error) {
	end := x.S.Size
	for x.stack.Len() > 0 {
		f := x.stack.Last()
		if x.pos < f.Start {
			end = f.Start
			break
		}
		x.jump(f.resume, f.after)
		x.stack.leave()
	}
	if x.pos >= end {
		return false, nil
	}
	if len(x.window) == 0 {
		if x.window, err = x.Bytes(x.pos); err != nil {
			return false, err
		}
	}
	switch k := format.Kind(x.window[0]); {
	case k == format.KindTracePoint:
		if x.to >= 0 && x.pos >= x.to {
			return false, nil
		}
		return true, x.guidedPoint(end)
	case k.Reference():
		n, err := x.version.Size(x.window, 0)
		if err != nil {
			return false, x.Damaged(err, x.pos)
		}
		x.advance(n)
		return true, nil
	default:
		return false, x.Contradiction(x.pos, k.String()+" where a trace point should be")
	}
}

// guidedPoint visits the trace point at pos, in a container whose content ends at end.
func (x *PassWalk) guidedPoint(end int64) error {
	e := &x.read
	if err := x.Walker.point(x.pos, x.ord, end, x.window, e, true); err != nil {
		return err
	}
	p, out, next, after := &x.now, e, e.Next, e.After
	p.size = int(e.Start - e.At)
	if x.last = e.Point.Event; x.folded {
		x.lent.Lent = 0
		var err error
		if out, err = x.l.Fold(e); err != nil {
			return err
		}
		x.Changed = x.Changed || out != e
		if out == nil {
			x.jump(next, after)
			return nil
		}
	}
	p.PassFrame = frameOf(&out.Point, x.pos)
	p.State, p.foot = StateWhole, -1
	p.point, p.ends, p.footer, p.data = &out.Point, out, nil, nil
	if out != e {
		p.data = out
	}
	p.parent = nil
	if p.Depth = x.stack.Len(); p.Depth > 0 {
		p.parent = x.stack.Last()
	}
	if !out.Container() {
		for _, v := range x.visit {
			v.Leaf(p)
		}
		x.jump(next, after)
		return nil
	}
	for _, v := range x.visit {
		v.Enter(p)
	}
	if x.deepest(p.Depth) || !out.HasContent() {
		x.jump(next, after)
		return nil
	}
	x.stack.Push(passFrame{PassFrame: p.PassFrame, Start: out.End, resume: next, after: after})
	x.jump(out.Start, out.First)
	return nil
}

// deepest reports whether the walk does not enter containers that have so many around them.
func (x *PassWalk) deepest(depth int) bool { return x.levels > 0 && depth+1 >= x.levels }

// reached starts reading ahead, once a guided walk is long enough that more may be needed.
func (s *PassRun) reached(x *PassWalk, from int64) {
	if x.ahead == nil && x.pos-from >= mapped.LoadSize && x.stack.Len() > 0 {
		end := x.stack.At(0).Start
		if x.to >= 0 {
			end = min(end, x.to)
		}
		x.ahead = s.r.StreamAhead(s.V, x.S, x.pos, end)
	}
	x.ahead.Reached(x.pos)
}

// hand hands on what the visitor has.
func (x *PassWalk) hand() error {
	x.full = false
	return x.visit[0].(handing).hand(x.put)
}

// tell tells merge that the share can be merged, if it has not been told.
func (sh *PassShare) tell() {
	if !sh.told {
		sh.told = true
		close(sh.Ready)
	}
}

// puts returns how the visitor of a share hands on its products.
func (sh *PassShare) puts(ctx context.Context) func(any) error {
	return func(product any) error {
		select {
		case sh.Out <- product:
			return nil
		case <-sh.Dropped:
			return errDropped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// takeAll takes the products of a share that is being visited, and returns why that ended.
func (s *PassRun) takeAll(ctx context.Context, sh *PassShare) error {
	for {
		select {
		case product, more := <-sh.Out:
			if !more {
				return sh.Err
			}
			if err := s.Collect[0].(taking).take(product); err != nil {
				return err
			}
		case <-ctx.Done(): // perhaps no goroutine got the share
			return ctx.Err()
		}
	}
}
