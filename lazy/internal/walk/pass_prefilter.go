package walk

import "tracex/format"

// Folding is decided late when points are passed. A call that may fold is looked at when it is met,
// and an iteration with nothing in it is not passed. But whether a loop is shown as recorded depends
// on its end, which takes a search of the index, and matters only to what is visited in it. So the
// walk decides about the open loops before it visits anything; if one is not shown as recorded, the
// walk goes back to its beginning. Nothing in it has been visited then.

// beginSkipping begins to pass points, if the visitor agrees.
func (x *PassWalk) beginSkipping() {
	x.skips = skipping{}
	if len(x.visit) != 1 {
		return
	}
	if by, ok := x.visit[0].(Prefiltered); ok {
		if q := by.Prefilter(); q != nil {
			x.skips = skipping{by: by, prefilter: q}
		}
	}
}

// skip passes less than n objects, and returns how many. It stops at the first one that is not
// ruled out, needs a closer look, or may be the last of the segment or the block.
func (x *PassWalk) skip(n int) (passed int) {
	if x.pos < x.skips.until {
		return 0
	}
	if len(x.window) > 0 {
		passed = x.skipOn(n)
	}
	if x.settle(); passed > 0 {
		x.skips.by.Passed(x.stack.Len(), x.pos)
	}
	return passed
}

// skipOn is skip without what follows.
func (x *PassWalk) skipOn(n int) (passed int) {
	q, stack, end := x.skips.prefilter, &x.stack, x.to
	if end < 0 {
		end = x.S.Size
	}
	b, ends := x.window, x.pos+int64(len(x.window)) // the position is ends - len(b)
loop:
	for passed = 0; passed < n-1 && len(b) > 0; passed++ {
		if format.Kind(b[0]) == format.KindFooter {
			if stack.Len() <= x.begun {
				break
			}
			top := stack.Last()
			if top.skip == notSkipped {
				break
			}
			size := q.Footer(b, top.Class)
			if size == 0 {
				break
			}
			if top.skip == undecidedLoop {
				if format.IterationsOf(b) == 0 {
					break // not shown
				}
				x.skips.loops--
			}
			stack.Pop()
			x.ord++
			b = b[size:]
			continue
		}
		at := ends - int64(len(b))
		size, class, ref, mayFold := q.Point(b)
		if size == 0 || at >= end {
			break
		}
		if !class.Container() {
			b = b[size:]
			continue
		}
		state := skipped
		if x.folded {
			switch class {
			case format.ClassCall:
				if mayFold && !x.callStays(ref, b[size:]) {
					break loop
				}
			case format.ClassIteration:
				switch {
				case size >= len(b):
					break loop
				case format.Kind(b[size]) == format.KindFooter: // nothing in it: not shown
					x.Changed = true
					x.ord++
					b = b[size+format.FooterSize:]
					continue
				case format.Kind(b[size]) != format.KindTracePoint:
					break loop // perhaps there is nothing in it
				}
			case format.ClassLoop:
				state = undecidedLoop
				x.skips.loops++
			}
		}
		stack.Push(passFrame{
			PassFrame: PassFrame{Class: class, Ref: ref, Event: format.EventOf(b), Location: format.LocationOf(b), At: at},
			Start:     at + int64(size), after: x.ord, skip: state,
		})
		b = b[size:]
	}
	x.window, x.pos = b, ends-int64(len(b))
	return passed
}

// settle decides about the open loops, outermost first. If one is not shown as recorded, the walk
// goes back to its beginning, and visits what it had passed.
func (x *PassWalk) settle() {
	if x.skips.loops == 0 {
		return
	}
	i := x.stack.Len()
	for open := x.skips.loops; open > 0; { // they were passed after the walk settled last
		if i--; x.stack.At(i).skip == undecidedLoop {
			open--
		}
	}
	for ; x.skips.loops > 0 && i < x.stack.Len(); i++ {
		f := x.stack.At(i)
		if f.skip != undecidedLoop {
			continue
		}
		if x.loopStays(f.after, f.Start) {
			settled := *f
			settled.skip = skipped
			x.stack.Put(i, settled)
			x.skips.loops--
			continue
		}
		x.skips.until, x.skips.loops = x.pos, 0
		x.pos, x.ord, x.window = f.At, f.after, nil
		x.stack.Truncate(i)
	}
}

// endSkipping ends a segment.
func (x *PassWalk) endSkipping() {
	if x.skips.by != nil {
		x.settle()
		x.skips.by.Passed(x.stack.Len(), x.pos)
	}
}
