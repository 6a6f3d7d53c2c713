package walk

import (
	"cmp"

	"tracex/format"
)

// steps visits up to n objects. more is false at the end of the part.
func (x *PassWalk) steps(n int) (more bool, err error) {
	x.window = nil // the mapping may have changed
	if x.guided {
		return x.guidedSteps(n)
	}
	most := n
	defer func() {
		x.visited += most - n
		// What could not be read of the stack looks like damage of the trace.
		err = cmp.Or(x.stack.Err(), err)
	}()
	for ; n > 0; n-- {
		if x.skips.by != nil {
			n -= x.skip(n)
		}
		if more, err = x.step(); !more || err != nil {
			return more, err
		}
		if x.err != nil {
			return false, x.err
		}
	}
	return true, nil
}

// step visits the next object.
func (x *PassWalk) step() (more bool, err error) {
	if len(x.window) == 0 {
		if x.pos >= x.S.Size {
			if x.to >= 0 || x.stack.Len() == 0 {
				return false, nil
			}
			x.leaveUnended()
			return true, nil
		}
		if x.window, err = x.Bytes(x.pos); err != nil {
			return false, err
		}
	}
	switch k := format.Kind(x.window[0]); {
	case k == format.KindTracePoint:
		if x.to >= 0 && x.pos >= x.to {
			return false, nil
		}
		return true, x.point()
	case k == format.KindFooter:
		return true, x.footer()
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

// point visits the trace point at pos.
func (x *PassWalk) point() error {
	b := x.window
	n, err := x.version.Size(b, 0)
	if err != nil {
		return x.Damaged(err, x.pos)
	}
	p := &x.now
	p.Class, _ = x.version.PointClass(b[format.PointClassAt])
	p.Location, p.Event, p.At = format.LocationOf(b), format.EventOf(b), x.pos
	p.Ref = refOf(x.version, p.Class, b)
	x.last = p.Event
	p.size, p.State, p.foot = n, StateWhole, -1
	p.point, p.ends, p.footer, p.data = nil, nil, nil, nil
	p.Depth = x.stack.Len()
	p.parent = nil
	if p.Depth > 0 {
		p.parent = x.stack.Last()
	}
	if x.folded {
		if plain, err := x.plain(p, n); !plain || err != nil {
			return err
		}
	}
	if !p.Class.Container() {
		for _, v := range x.visit {
			v.Leaf(p)
		}
		x.advance(n)
		return nil
	}
	for _, v := range x.visit {
		v.Enter(p)
	}
	x.stack.Push(passFrame{PassFrame: p.PassFrame, Start: x.pos + int64(n)})
	x.advance(n)
	return nil
}

// footer leaves the innermost container, whose footer is at pos.
func (x *PassWalk) footer() error {
	if x.stack.Len() == 0 {
		return x.Contradiction(x.pos, format.KindFooter.String()+" where a trace point should be")
	}
	n, err := x.version.Size(x.window, x.stack.Last().Class) // folding never changes it
	if err != nil {
		return x.Damaged(err, x.pos)
	}
	x.exit(StateWhole, x.pos)
	f := x.stack.Last()
	if f.resume > 0 {
		if x.hides != nil {
			x.hides.hide(x.ord, f.after-1)
		}
		x.jump(f.resume, f.after)
	} else {
		x.ord++
		x.advance(n)
	}
	x.stack.leave()
	x.begun = min(x.begun, x.stack.Len())
	return nil
}

// exit calls visitors for the innermost container.
func (x *PassWalk) exit(state State, foot int64) {
	x.describe(x.stack.Len()-1, state, foot)
	for _, v := range x.visit {
		v.Exit(&x.now)
	}
}

// describe makes an open container the argument of visitors.
func (x *PassWalk) describe(depth int, state State, foot int64) {
	p := &x.now
	f := x.stack.At(depth)
	p.PassFrame, p.Depth, p.level, p.State, p.foot = f.PassFrame, depth, depth, state, foot
	p.size, p.data = 0, x.stack.dataOf(f)
	p.point, p.ends, p.footer = nil, nil, nil
	p.parent = nil
	if depth > 0 {
		p.parent = x.stack.At(depth - 1)
	}
}

// leaveUnended leaves the innermost container, which is open at the end of the thread.
func (x *PassWalk) leaveUnended() {
	state := StatePending
	if x.V.Complete {
		state = StateUnfinished
	}
	x.exit(state, -1)
	x.stack.leave()
	x.begun = min(x.begun, x.stack.Len())
}
