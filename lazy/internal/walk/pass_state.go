package walk

import (
	"errors"

	"tracex/format"
)

// leave returns where the walk is, which ends there.
func (x *PassWalk) leave() *PassState {
	s := &PassState{Pos: x.pos, ord: x.ord, Stack: x.stack, thread: x.S.Thread, to: x.to}
	x.stack = frames{}
	return s
}

// PassState is the state of a walk before a point.
type PassState struct {
	Pos, ord int64
	Stack    frames
	thread   int32
	to       int64 // end of the segment that ended here
}

// copied returns a copy, whose stack a walk may take.
func (s *PassState) copied() *PassState {
	c := *s
	c.Stack = s.Stack.copied()
	return &c
}

// Equal reports whether two walks are at the same point; guided ones must also continue alike.
func (s *PassState) Equal(o *PassState, guided bool) bool {
	if s.Pos != o.Pos || guided && s.ord != o.ord || s.Stack.Len() != o.Stack.Len() {
		return false
	}
	for i := range s.Stack.Len() {
		a, b := s.Stack.At(i), o.Stack.At(i)
		if guided && *a != *b || a.At != b.At || a.Event != b.Event {
			return false
		}
	}
	return true
}

// begin puts the walk at a state, whose stack it takes, in a segment that begins at an offset.
func (x *PassWalk) begin(s *PassState, from int64) {
	x.pos, x.ord, x.window = s.Pos, s.ord, nil
	if s.Stack.Len() > 0 {
		x.stack, s.Stack = s.Stack, frames{}
	} else {
		x.stack.Reset()
		x.stack.data = x.stack.data[:0]
	}
	x.begun = x.stack.Len()
	around := make([]PassFrame, x.begun)
	for i, f := range x.stack.All() {
		around[i] = f.PassFrame
	}
	x.now.Thread = x.S.Thread
	x.hides = nil
	for _, v := range x.visit {
		if h, ok := v.(*hiddenVisitor); ok {
			x.hides = h
		}
		if a, ok := v.(Surveyor); ok {
			x.around(0, a.Survey)
		}
		v.Begin(x.S.Thread, around)
		if a, ok := v.(segmentVisitor); ok {
			a.Begins(x.S.Thread, from)
		}
		if a, ok := v.(Arounder); ok {
			x.around(0, a.Around)
		}
	}
	x.beginSkipping()
}

// resume continues after ended, in a segment that begins at an offset.
func (x *PassWalk) resume(from int64) {
	x.begun = x.stack.Len()
	for _, v := range x.visit {
		if a, ok := v.(segmentVisitor); ok {
			a.Begins(x.S.Thread, from)
		}
	}
	x.beginSkipping()
}

// around calls visit for the containers that are open but the outermost from, outermost first.
func (x *PassWalk) around(from int, visit func(*PassPoint)) {
	for depth := from; depth < x.stack.Len(); depth++ {
		x.describe(depth, StateWhole, -1)
		x.now.around = true
		visit(&x.now)
		x.now.around = false
	}
}

// outward is around, innermost first: the cell of a container follows those of the ones in it, which makes its end quick to find.
func (x *PassWalk) outward(from int, visit func(*PassPoint)) {
	for depth := x.stack.Len() - 1; depth >= from; depth-- {
		x.describe(depth, StateWhole, -1)
		x.now.around = true
		visit(&x.now)
		x.now.around = false
		if e := x.now.ends; e != nil && x.now.data == nil && e.State == StateWhole {
			x.inner = e.After
		}
	}
	x.inner = 0
}

// ended ends a segment.
func (x *PassWalk) ended() {
	x.endSkipping()
	for _, v := range x.visit {
		if a, ok := v.(Ender); ok {
			x.outward(x.begun, a.End)
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
					s.Stack = frames{}
				}
				return s.at(x, x.S.Size), nil // containers that are still open have no footer
			}
			s.Stack.leave()
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
		if e.Next <= from || out == nil || !out.Container() || x.deepest(s.Stack.Len()) {
			continue
		}
		f := passFrame{PassFrame: frameOf(&out.Point, out.At), Start: out.Start, resume: e.Next, after: e.After}
		var data *NodeData
		switch {
		case x.guided:
			f.Start = out.End
		case out != e:
			out = kept(out)
			data = out
		}
		s.Stack.enter(f, data)
		around = append(around, in)
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
