package walk

import (
	"errors"
	"slices"

	"tracex/format"
)

// leave returns where the walk is, which ends there.
func (x *PassWalk) leave() *PassState {
	s := &PassState{Pos: x.pos, ord: x.ord, Stack: x.stack, thread: x.S.Thread, to: x.to}
	x.stack = nil
	return s
}

// PassState is the state of a walk before a point.
type PassState struct {
	Pos, ord int64
	Stack    []passFrame
	thread   int32
	to       int64 // end of the segment that ended here
}

// Equal reports whether two walks are at the same point; guided ones must also continue alike.
func (s *PassState) Equal(o *PassState, guided bool) bool {
	if guided {
		return s.Pos == o.Pos && s.ord == o.ord && slices.Equal(s.Stack, o.Stack)
	}
	if s.Pos != o.Pos || len(s.Stack) != len(o.Stack) {
		return false
	}
	for i := range s.Stack {
		if s.Stack[i].At != o.Stack[i].At || s.Stack[i].Event != o.Stack[i].Event {
			return false
		}
	}
	return true
}

// begin puts the walk at a state, in a segment that begins at an offset.
func (x *PassWalk) begin(s *PassState, from int64) {
	x.pos, x.ord, x.window = s.Pos, s.ord, nil
	x.stack = append(x.stack[:0], s.Stack...)
	for i := range x.stack {
		x.stack[i].skip = notSkipped
	}
	around := make([]PassFrame, len(s.Stack))
	for i := range s.Stack {
		around[i] = s.Stack[i].PassFrame
	}
	x.now.Thread = x.S.Thread
	x.hides = nil
	for _, v := range x.visit {
		if h, ok := v.(*hiddenVisitor); ok {
			x.hides = h
		}
		if a, ok := v.(Surveyor); ok {
			x.around(a.Survey)
		}
		v.Begin(x.S.Thread, around)
		if a, ok := v.(segmentVisitor); ok {
			a.Begins(x.S.Thread, from)
		}
		if a, ok := v.(Arounder); ok {
			x.around(a.Around)
		}
	}
	x.beginSkipping()
}

// around calls visit for the containers that are open, outermost first.
func (x *PassWalk) around(visit func(*PassPoint)) {
	for depth := range x.stack {
		x.describe(depth, StateWhole, -1)
		x.now.around = true
		visit(&x.now)
		x.now.around = false
	}
}

// ended ends a segment.
func (x *PassWalk) ended() {
	x.endSkipping()
	for _, v := range x.visit {
		if a, ok := v.(Ender); ok {
			x.around(a.End)
		}
		if a, ok := v.(segmentVisitor); ok {
			a.Ended(x)
		}
	}
}

// stateBefore finds the state before the first point at or after a logical offset. It
// passes at most so many points on the way.
func (x *PassWalk) stateBefore(from int64, most int) (*PassState, error) {
	chain, ok := x.l.enclosingUpTo(from, most)
	if !ok {
		return nil, errFar
	}
	x.l.Chain = chain
	defer func() { x.l.Chain = nil }()
	s := new(PassState)
	in := x.approach(Level{End: x.S.Size}, from)
	var around []Level // where the levels around continue
	for range most {
		e := new(NodeData)
		ok, err := x.Next(in.Pos, in.Ord, in.End, e, true)
		switch {
		case err != nil:
			return nil, err
		case ok && e.At >= from:
			return s.at(x, e.At), nil
		case !ok:
			if in.Pos = in.End; len(around) == 0 || in.End == x.S.Size {
				if x.guided {
					s.Stack = nil
				}
				return s.at(x, x.S.Size), nil // containers that are still open have no footer
			}
			s.Stack = s.Stack[:len(s.Stack)-1]
			in, around = around[len(around)-1], around[:len(around)-1]
			continue
		}
		in.Pos, in.Ord = e.Next, e.After
		out := e
		if x.folded && e.Next > from {
			x.lent.Lent = 0
			if out, err = x.l.Fold(e); err != nil {
				return nil, err
			}
		}
		if e.Next <= from || out == nil || !out.Container() || x.deepest(len(s.Stack)) {
			continue
		}
		f := passFrame{PassFrame: frameOf(&out.Point, out.At), Start: out.Start, resume: e.Next, after: e.After}
		switch {
		case x.guided:
			f.Start = out.End
		case out != e:
			out = kept(out)
			f.data = out
		}
		s.Stack, around = append(s.Stack, f), append(around, in)
		in = x.approach(Level{Pos: out.Start, Ord: out.First, End: out.End}, from)
	}
	return nil, errFar
}

// approach moves the beginning of a level to a child shortly before an offset.
func (x *PassWalk) approach(in Level, from int64) Level {
	if in.Pos < from && from < in.End {
		x.l.Start, x.l.End = in.Pos, in.End
		in.Pos, in.Ord = x.l.SeekBack(in.Pos, in.Ord, from, 1)
	}
	return in
}

func (s *PassState) at(x *PassWalk, pos int64) *PassState {
	s.Pos, s.ord = pos, x.S.Cells.FirstEnding(pos)
	return s
}

// Level is a container whose children are visited, or a run of its children: those
// from pos on that end before end.
type Level struct {
	Pos, Ord, End int64
	Parent        format.Parent
}

// errFar: the way to the first point of a segment is too long.
var errFar = errors.New("the beginning of the segment is not found at once")
