package lazy

import "context"

// leapFirst is about how many bytes it is asked first whether nothing in them is shown.
const leapFirst = 64 << 10

// bare reports whether what is from somewhere in s up to an offset is in a splice that shows no leaf,
// and in others of these in it.
func (s *splice) bare(to int64) bool {
	for ; s.outer != nil && s.leaves == LeavesNone; s = s.outer {
		if to <= s.end {
			return true
		}
	}
	return false
}

// pass shortens a gap of an edited node, at one end, by what has no rows: an empty slab takes its
// place.
func (ld *loader) pass(ctx context.Context, n *Node, from, to int64, end End) (int64, int64) {
	size := ld.leap
	if to-from <= size {
		return from, to
	}
	lo, hi := from, to
	var m moment
	for size >= ld.leap && lo < hi && ctx.Err() == nil {
		part := PassRange{Thread: n.thread, From: lo, To: min(lo+size, hi)}
		if end == AtEnd {
			part.From, part.To = max(lo, hi-size), hi
		}
		var in *splice // at the beginning of the part; nil if it need not be asked
		err := ld.read(n, func(l *childReader) error {
			m = l.moment
			at, err := l.begin(ctx, part.From, 0)
			if err != nil {
				return err
			}
			if end == AtStart {
				in = at.in
				return nil
			}
			var e nodeData
			c, err := l.step(at, &e, false)
			if err == nil && !c.shown { // otherwise the part may be in it
				in = at.in
			}
			return err
		})
		switch {
		case err != nil:
			return from, to // the load will tell
		case in == nil || !ld.edits.Barren(in.state, part, in.bare(part.To)):
			size /= 4
			continue
		case end == AtStart:
			lo = part.To
		default:
			hi = part.From
		}
		size *= 2
	}
	if lo == from && hi == to {
		return from, to
	}
	empty := &childRun{from: from, to: lo, read: m}
	if end == AtEnd {
		empty.from, empty.to = hi, to
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	ld.memory.attach(n, empty, ld.now)
	return lo, hi
}
