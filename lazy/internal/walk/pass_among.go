package walk

import (
	"context"
	"errors"
	"runtime"
	"slices"
)

// A part of a thread is read from its first point on: what is before that, the rest of a point or
// footers, belongs to the part before. So a part that has nothing of Among must be read all the same
// if the one after it begins with something: precede does that. If footers count too, leap looks at all of what
// belongs to the part, and at the ends of the containers that go on after it.

// amongBytes is how many bytes are searched before others may change the mappings.
const amongBytes = 4 << 20

// isBarren reports whether the data of a share has nothing of Among. If footers count, the visitors have then seen
// what begins in it and ends after it.
func (s *PassRun) isBarren(ctx context.Context, sh *PassShare) (bool, error) {
	if len(s.texts) == 0 {
		return false, nil
	}
	if s.ends && slices.ContainsFunc(sh.Visitors, func(v Visitor) bool { _, ok := v.(Beyonder); return !ok }) {
		return false, nil
	}
	for i := range sh.Segments {
		g := &sh.Segments[i]
		found, err := s.holds(ctx, g.Thread, g.From, g.To)
		if found || err != nil {
			return false, err
		}
	}
	if !s.ends {
		return true, nil
	}
	for i := range sh.Segments {
		if ok, err := s.leap(ctx, &sh.Segments[i], sh.Visitors); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// leap lets visitors leap over a segment without anything of Among. ok is false if it has to be read all the same;
// then it is the only one of its share, and nothing has been visited.
func (s *PassRun) leap(ctx context.Context, g *Segment, visitors []Visitor) (ok bool, err error) {
	x := s.newWalk(visitors)
	if err := s.enter(x, g); err != nil {
		return false, err
	}
	end := &PassState{Pos: x.S.Size}
	if g.To >= 0 {
		if end, err = s.find(x, g.To, s.cut.Approach); errors.Is(err, errFar) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if end.Pos > g.To { // the rest of a point
			if found, err := s.holds(ctx, g.Thread, g.To, end.Pos); found || err != nil {
				return false, err
			}
		}
	}
	around := 0
	for around < end.Stack.Len() && end.Stack.At(around).At < g.From {
		around++
	}
	begin := &PassState{Pos: g.From, Stack: end.Stack.copied()}
	begin.Stack.Truncate(around)
	return true, s.locked(func() error {
		x.begin(begin, g.From)
		x.skips = skipping{}
		x.stack = end.Stack
		x.pos, x.ord = max(end.Pos, g.From), end.ord
		x.around(around, func(p *PassPoint) {
			for _, v := range visitors {
				v.(Beyonder).Beyond(p)
			}
		})
		for _, v := range visitors {
			if a, ok := v.(segmentVisitor); ok {
				a.Ended(x)
			}
		}
		return x.err
	})
}

// holds reports whether a part of a thread has one of Among, or the beginning of one at its end. to
// is -1 for the end of the thread.
func (s *PassRun) holds(ctx context.Context, thread int32, from, to int64) (found bool, err error) {
	longest := 0
	for _, b := range s.texts {
		longest = max(longest, b.Len())
	}
	g := Segment{Thread: thread, From: from, To: to}
	x := s.newWalk(nil)
	if err := s.enter(x, &g); err != nil {
		return false, err
	}
	if to < 0 || to > x.S.Size {
		to = x.S.Size
	}
	for pos := from; pos < to && !found; {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		err := s.locked(func() error {
			for stop := pos + amongBytes; pos < min(to, stop) && !found; {
				b, err := x.Bytes(pos)
				if err != nil {
					return err
				}
				n := min(int64(len(b)), to-pos)
				b = b[:min(int64(len(b)), n+int64(longest-1))]
				found = s.among.In(b)
				pos += n
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		runtime.Gosched() // as in walk
	}
	return found, nil
}

// addBarren notes that the part that is merged has nothing of Among.
func (s *PassRun) addBarren(g Segment) {
	if n := len(s.barren); n > 0 && (s.barren[n-1].Thread != g.Thread || s.barren[n-1].To != g.From) {
		s.barren = s.barren[:0]
	}
	s.barren = append(s.barren, g)
}

// precede visits and merges the parts directly before a share that were not read, but have the
// beginning of a point or container that ends in the share.
func (s *PassRun) precede(ctx context.Context, sh *PassShare) error {
	g := &sh.Segments[0]
	n := len(s.barren)
	if n == 0 || s.barren[n-1].Thread != g.Thread || s.barren[n-1].To != g.From || sh.First.Pos <= g.From {
		return nil
	}
	if found, err := s.holds(ctx, g.Thread, g.From, sh.First.Pos); !found || err != nil {
		return err
	}
	var parts []*PassShare // the last one first
	for ; n > 0; n-- {
		part := &PassShare{Segments: s.barren[n-1 : n], Visitors: make([]Visitor, len(s.Collect))}
		if err := s.again(ctx, part, nil, false); err != nil {
			return err
		}
		parts = append(parts, part)
		if part.First.Pos < part.Segments[0].To {
			break
		}
	}
	for _, part := range slices.Backward(parts) {
		for i, c := range s.Collect {
			if err := c.Merge(part.Visitors[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
