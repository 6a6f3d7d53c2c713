package lazy

import (
	"errors"
	"slices"
)

// standing is the state of a walk before a point: everything that decides how it continues.
type standing struct {
	at    int64   // logical offset of the point; -1 if there is no other
	stack []level // the containers around it, outermost first, with visited children skipped
}

// equal reports whether walks with the two states continue alike.
func (s *standing) equal(o *standing) bool {
	return s.at == o.at && slices.Equal(s.stack, o.stack)
}

// seam records the standings of a walk over one segment at its two ends, to decide
// whether it continues where another ended. A nil seam records nothing.
type seam struct {
	approach int       // number of points that may be passed on the way to the first
	first    *standing // before the first point in or after the segment; nil if not known yet
	last     *standing // before the first point after it; nil if not known yet
}

// errFar: the way to the first point of a segment is too long.
var errFar = errors.New("the beginning of the segment is not found at once")

// comes records that a walk reaches a point that is not after its segment.
func (s *seam) comes(stack []level, at, from int64) error {
	switch {
	case s.first != nil:
	case at >= from:
		s.first = stands(stack, at)
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
		s.put(stands(stack, at))
	}
}

// ended records that a walk has visited everything.
func (s *seam) ended() {
	if s != nil {
		s.put(&standing{at: -1})
	}
}

func (s *seam) put(last *standing) {
	s.last = last
	if s.first == nil {
		s.first = last
	}
}

// stands copies the stack of a walk that has reached a point. It skips reference objects
// before the point: walks may arrive from before or after them.
func stands(stack []level, at int64) *standing {
	s := &standing{at: at, stack: slices.Clone(stack)}
	s.stack[len(stack)-1].pos = at
	return s
}
