package lazy

import "slices"

// walkState is the state of a walk before a point: everything that decides how it continues.
type walkState struct {
	at    int64   // logical offset of the point; -1 if there is no other
	stack []level // the containers around it, outermost first, with visited children skipped
}

// equal reports whether walks with the two states continue alike.
func (s *walkState) equal(o *walkState) bool {
	return s.at == o.at && slices.Equal(s.stack, o.stack)
}

// seam records the state of a walk over one segment at its two ends, to decide
// whether it continues where another ended. A nil seam records nothing.
type seam struct {
	approach int        // number of points that may be passed on the way to the first
	first    *walkState // before the first point in or after the segment; nil if not known yet
	last     *walkState // before the first point after it; nil if not known yet
}

// reaches records that a walk reaches a point that is not after its segment.
func (s *seam) reaches(stack []level, at, from int64) error {
	switch {
	case s.first != nil:
	case at >= from:
		s.first = stateAt(stack, at)
	default:
		if s.approach--; s.approach < 0 {
			return errFar
		}
	}
	return nil
}

// stops records that a walk ends before a point after its segment.
func (s *seam) stops(stack []level, at int64) {
	if s != nil {
		s.put(stateAt(stack, at))
	}
}

// ended records that a walk has visited everything.
func (s *seam) ended() {
	if s != nil {
		s.put(&walkState{at: -1})
	}
}

func (s *seam) put(last *walkState) {
	s.last = last
	if s.first == nil {
		s.first = last
	}
}

// stateAt copies the stack of a walk that has reached a point. It skips reference objects
// before the point: walks may arrive from before or after them.
func stateAt(stack []level, at int64) *walkState {
	s := &walkState{at: at, stack: slices.Clone(stack)}
	s.stack[len(stack)-1].pos = at
	return s
}
