package lazy

import (
	"errors"
	"slices"
)

// standing is where a walk stands before a point: all that decides how it goes on.
type standing struct {
	at    int64   // logical: of the point; -1: there is no other
	stack []level // the containers around it, outermost first; what has been visited of them is passed
}

// equal reports whether two walks that stand there go on alike.
func (s *standing) equal(o *standing) bool {
	return s.at == o.at && slices.Equal(s.stack, o.stack)
}

// seam notes where the walk over one segment stands at its two ends, so that it
// can be told whether it goes on where another ended. A nil seam notes nothing.
type seam struct {
	approach int       // points that may be passed on the way to the first
	first    *standing // before the first point that is not before the segment; nil: not known yet
	last     *standing // before the first point behind it; nil: not known yet
}

// errFar: the way to the first point of a segment is too long.
var errFar = errors.New("the beginning of the segment is not found at once")

// comes notes that a walk comes to a point that is not behind its segment.
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

// stops notes that a walk ends before a point behind its segment.
func (s *seam) stops(stack []level, at int64) {
	if s != nil {
		s.put(stands(stack, at))
	}
}

// ended notes that a walk has come to the end of all that it visits.
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

// stands copies the stack of a walk that has come to a point. Reference objects
// before the point are passed: walks may come from before them or from behind.
func stands(stack []level, at int64) *standing {
	s := &standing{at: at, stack: slices.Clone(stack)}
	s.stack[len(stack)-1].pos = at
	return s
}
