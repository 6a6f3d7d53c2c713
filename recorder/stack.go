package recorder

import "tracex/format"

// stack holds the open containers of a thread that were recorded. It is kept in segments that
// never move: even if two goroutines use it at once, it only touches its own memory.
type stack struct {
	depth int
	least int     // depth below top
	top   *levels // the segment of levels least to least+segmentLevels-1
	first levels
}

type level struct {
	reading uint64 // if owed: when it ended
	count   int32  // of a loop: its iterations; of a call: its event id
	class   format.Class
}

// segmentLevels is how many levels a segment has. A power of two.
const segmentLevels = 8

// levels is a segment of a stack.
type levels struct {
	level        [segmentLevels]level
	below, above *levels // nil if none
}

// fits reports whether a level can be pushed at once.
func (s *stack) fits() bool { return s.depth < s.least+segmentLevels }

// push adds a level. There must be room for it.
func (s *stack) push(class format.Class, count int32) {
	l := &s.top.level[uint(s.depth)%segmentLevels]
	l.class, l.count = class, count
	s.depth++
}

// pop takes the innermost level off. Its memory keeps it until the next push.
func (s *stack) pop() { s.depth-- }

// innermost returns the innermost level, or nil if it is not in the top segment; see down.
func (s *stack) innermost() *level {
	if s.depth <= s.least {
		return nil
	}
	return &s.top.level[uint(s.depth-1)%segmentLevels]
}

// down moves to the segment of the innermost level, and returns that level; nil if there is
// none.
func (s *stack) down() *level {
	for s.depth <= s.least {
		if s.top == nil || s.top.below == nil {
			return nil
		}
		s.top = s.top.below
		s.least -= segmentLevels
	}
	return s.innermost()
}

// up moves to the next segment, if there is one.
func (s *stack) up() bool {
	if s.top.above == nil {
		return false
	}
	s.top = s.top.above
	s.least += segmentLevels
	return true
}

// segment returns the segment that has level i, or nil if there is none.
func (s *stack) segment(i int) *levels {
	p, least := s.top, s.least
	for ; p != nil && i >= least+segmentLevels; least += segmentLevels {
		p = p.above
	}
	for ; p != nil && i < least; least -= segmentLevels {
		p = p.below
	}
	return p
}

// ended returns the ended level that is so many above the innermost open one, from 0 on.
func (s *stack) ended(above int) *level {
	i := s.depth + above
	return &s.segment(i).level[uint(i)%segmentLevels]
}

// call returns the innermost level that is a call, or nil.
func (s *stack) call() *level {
	return s.find(func(l *level) bool { return l.call() })
}

// bound returns the innermost level that is a call which a handle ends, or nil.
func (s *stack) bound() *level {
	return s.find(func(l *level) bool { return l.class == boundCall })
}

// find returns the innermost level that is wanted, or nil.
func (s *stack) find(wanted func(l *level) bool) *level {
	for i, p := s.depth-1, s.segment(s.depth-1); i >= 0 && p != nil; i-- {
		if l := &p.level[uint(i)%segmentLevels]; wanted(l) {
			return l
		}
		if i%segmentLevels == 0 {
			p = p.below
		}
	}
	return nil
}

// toExit reports whether an Exit ends the innermost call.
func (s *stack) toExit() bool {
	l := s.call()
	return l != nil && l.class == format.ClassCall
}

// event is the event id of a call.
func (l *level) event() int32 { return l.count }

// call reports whether the level is a call, bound or not.
func (l *level) call() bool { return l.class&^boundCall == format.ClassCall }

// boundCall is the class of a level that is a call which only its handle can end.
const boundCall = format.ClassCall | 0x80
