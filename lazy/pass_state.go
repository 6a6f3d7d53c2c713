package lazy

import (
	"errors"
	"slices"

	"tracex/format"
)

// leave returns where the walk is, which ends there.
func (x *passWalk) leave() *passState {
	s := &passState{pos: x.pos, ord: x.ord, stack: x.stack, thread: x.s.Thread, to: x.to}
	x.stack = nil
	return s
}

// passState is the state of a walk before a point.
type passState struct {
	pos, ord int64
	stack    []passFrame
	thread   int32
	to       int64 // end of the segment that ended here
}

// equal reports whether two walks are at the same point; guided ones must also continue alike.
func (s *passState) equal(o *passState, guided bool) bool {
	if guided {
		return s.pos == o.pos && s.ord == o.ord && slices.Equal(s.stack, o.stack)
	}
	if s.pos != o.pos || len(s.stack) != len(o.stack) {
		return false
	}
	for i := range s.stack {
		if s.stack[i].At != o.stack[i].At || s.stack[i].Event != o.stack[i].Event {
			return false
		}
	}
	return true
}

// begin puts the walk at a state, in a segment that begins at an offset.
func (x *passWalk) begin(s *passState, from int64) {
	x.pos, x.ord, x.window = s.pos, s.ord, nil
	x.stack = append(x.stack[:0], s.stack...)
	for i := range x.stack {
		x.stack[i].skim = notSkimmed
	}
	around := make([]PassFrame, len(s.stack))
	for i := range s.stack {
		around[i] = s.stack[i].PassFrame
	}
	x.now.Thread = x.s.Thread
	x.hides = nil
	for _, v := range x.visit {
		if h, ok := v.(*hiddenVisitor); ok {
			x.hides = h
		}
		if a, ok := v.(Surveyor); ok {
			x.around(a.Survey)
		}
		v.Begin(x.s.Thread, around)
		if a, ok := v.(segmentVisitor); ok {
			a.begins(x.s.Thread, from)
		}
		if a, ok := v.(Arounder); ok {
			x.around(a.Around)
		}
	}
	x.beginSkim()
}

// around calls visit for the containers that are open, outermost first.
func (x *passWalk) around(visit func(*PassPoint)) {
	for depth := range x.stack {
		x.describe(depth, StateWhole, -1)
		x.now.around = true
		visit(&x.now)
		x.now.around = false
	}
}

// ended ends a segment.
func (x *passWalk) ended() {
	x.endSkim()
	for _, v := range x.visit {
		if a, ok := v.(Ender); ok {
			x.around(a.End)
		}
		if a, ok := v.(segmentVisitor); ok {
			a.ended(x)
		}
	}
}

// stateBefore finds the state before the first point at or after a logical offset. It
// passes at most so many points on the way.
func (x *passWalk) stateBefore(from int64, most int) (*passState, error) {
	chain, ok := x.l.enclosingUpTo(from, most)
	if !ok {
		return nil, errFar
	}
	x.l.chain = chain
	defer func() { x.l.chain = nil }()
	s := new(passState)
	in := x.approach(level{end: x.s.Size}, from)
	var around []level // where the levels around continue
	for range most {
		e := new(nodeData)
		ok, err := x.next(in.pos, in.ord, in.end, e, true)
		switch {
		case err != nil:
			return nil, err
		case ok && e.at >= from:
			return s.at(x, e.at), nil
		case !ok:
			if in.pos = in.end; len(around) == 0 || in.end == x.s.Size {
				if x.guided {
					s.stack = nil
				}
				return s.at(x, x.s.Size), nil // containers that are still open have no footer
			}
			s.stack = s.stack[:len(s.stack)-1]
			in, around = around[len(around)-1], around[:len(around)-1]
			continue
		}
		in.pos, in.ord = e.next, e.after
		out := e
		if x.folded && e.next > from {
			x.lent.lent = 0
			if out, err = x.l.fold(e); err != nil {
				return nil, err
			}
		}
		if e.next <= from || out == nil || !out.container() {
			continue
		}
		f := passFrame{PassFrame: frameOf(&out.point, out.at), start: out.start, resume: e.next, after: e.after}
		switch {
		case x.guided:
			f.start = out.end
		case out != e:
			out = kept(out)
			f.data = out
		}
		s.stack, around = append(s.stack, f), append(around, in)
		in = x.approach(level{pos: out.start, ord: out.first, end: out.end}, from)
	}
	return nil, errFar
}

// approach moves the beginning of a level to a child shortly before an offset.
func (x *passWalk) approach(in level, from int64) level {
	if in.pos < from && from < in.end {
		x.l.start, x.l.end = in.pos, in.end
		in.pos, in.ord = x.l.seekBack(in.pos, in.ord, from, 1)
	}
	return in
}

func (s *passState) at(x *passWalk, pos int64) *passState {
	s.pos, s.ord = pos, x.s.Cells.FirstEnding(pos)
	return s
}

// level is a container whose children are visited, or a run of its children: those
// from pos on that end before end.
type level struct {
	pos, ord, end int64
	parent        format.Parent
}

// errFar: the way to the first point of a segment is too long.
var errFar = errors.New("the beginning of the segment is not found at once")
