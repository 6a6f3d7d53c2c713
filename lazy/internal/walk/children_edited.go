package walk

import (
	"context"
	"slices"
	"sort"

	"tracex/format"
)

// The children of a node of an edited tree: reading goes on in a container that is merged, and after
// it with what follows. A read reports such a container as a child that is not shown, as one that
// folds to nothing. So what reads children need not know of this: only where to begin, see begin.

// Child reads the child at a checkpoint.
func (l *ChildReader) Child(at Checkpoint) (c ChildRead, err error) {
	e := new(NodeData)
	if l.Edit != nil {
		return l.Step(at, e, true)
	}
	if c.Ok, err = l.Next(at.Pos, at.Ord, l.End, e, true); !c.Ok || err != nil {
		return ChildRead{Next: Checkpoint{Pos: l.End, Ord: at.Ord}}, err
	}
	c.Next = Checkpoint{Pos: e.Next, Ord: e.After}
	if l.Folded {
		if e, err = l.Fold(e); err == nil && e != nil && l.Inline {
			e = l.Inlined(e)
		}
	}
	c.Data, c.Shown = e, e != nil
	return c, err
}

// Skip skips the next child without making a node.
func (l *ChildReader) Skip(at Checkpoint) (ChildRead, error) {
	var e NodeData
	return l.Over(&e, at)
}

// Over is skip, and reads the child into e, as recorded.
func (l *ChildReader) Over(e *NodeData, at Checkpoint) (ChildRead, error) {
	if l.Edit != nil {
		return l.Step(at, e, false)
	}
	ok, err := l.Next(at.Pos, at.Ord, l.End, e, false)
	if !ok || err != nil {
		return ChildRead{Next: Checkpoint{Pos: l.End, Ord: at.Ord}}, err
	}
	if l.Folded && l.MayFold(e) {
		return l.Child(at)
	}
	return ChildRead{Ok: true, Shown: true, Next: Checkpoint{Pos: e.Next, Ord: e.After}}, nil
}

// Edits decide which containers an edited tree shows, see [EditedTree]. Any goroutine may call
// their methods, which must not call the tree: it may be locked.
type Edits interface {
	// Begin returns the state at the beginning of a thread.
	Begin(thread int32) EditState
	// Enter decides about a container. The state is that of the container around it, whether or not
	// that is shown. The second result is the state in this one.
	Enter(in EditState, p *PassPoint) (Edit, EditState)
	// Leaves tells which points that are no containers are shown in a state.
	Leaves(in EditState) EditLeaves
	// Leaf decides about a point that is no container, for LeavesAsked.
	Leaf(in EditState, p *PassPoint) Edit
	// Barren reports whether it is certain that nothing that begins in a part of a thread is shown,
	// provided that what is open where it begins has the state. bare reports whether the part is within
	// a container that has no row, in which no point is shown that is no container, nor in those in it
	// that are open where the part begins. It may be slow.
	Barren(in EditState, part PassRange, bare bool) bool
}

// Edit is what Edits do with a point.
type Edit uint8

const (
	EditNone  Edit = iota
	EditMerge      // it has no row: the rows in it are in its place
	EditDrop       // it has no row, and nothing in it has one
)

// Editing is what a ChildReader needs to read the children of a node of an edited tree.
type Editing struct {
	Edits Edits
	Node  *Splice
	Ways  []Checkpoint // where reads of these children ended
	Ended Checkpoint   // where this one did; the zero value if it need not be remembered
	walk  PassWalk
	point PassPoint    // the argument of Enter
	frame passFrame    // the call around it
	Whole []Checkpoint // checkpoints passed, see before
}

// Before returns the last checkpoint of the children of an edited node at or before an offset in its
// content. It goes down from container to container as far as they are merged.
func (l *ChildReader) Before(ctx context.Context, x int64) (Checkpoint, error) {
	in := l.Edit.Node
	for _, w := range l.Edit.Ways {
		if s := w.In; s.Depth > in.Depth {
			for !s.holds(x) {
				s = s.Outer
			}
			if s.Depth > in.Depth {
				in = s
			}
		}
	}
	given, start := l.Chain, l.Start
	defer func() { l.Chain, l.Start = given, start }()
	if given == nil {
		l.Chain = l.enclosedBy(in.Start, x)
	} else if l.Target != x {
		l.Chain = l.EnclosedLike(given, x)
	}
	for depth := 1; ; depth++ {
		if depth%CheckpointEvery == 0 && ctx.Err() != nil {
			return Checkpoint{}, ctx.Err()
		}
		at, e, err := l.level(ctx, in, x)
		if e == nil || err != nil {
			return at, err
		}
		// e is around x.
		c, err := l.Step(at, e, true)
		s := c.Next.In
		switch {
		case err != nil || s == in || x < c.Next.Pos:
			return at, err
		case x >= s.End:
			return Checkpoint{Pos: s.End, Ord: s.After, In: s}, nil
		}
		in = s
	}
}

// enclosedBy returns the containers around an offset, outermost first, of those that begin at an
// offset or later.
func (l *ChildReader) enclosedBy(from, at int64) []format.Cell {
	cells := l.S.Cells
	chain := []format.Cell{}
	for own := cells.FirstAround(cells.FirstEnding(at), at); own < cells.Len(); {
		c := cells.At(own)
		if c.Start <= from {
			break
		}
		chain = append(chain, c)
		own = cells.FirstAround(own+1, c.Start-1)
	}
	slices.Reverse(chain)
	return chain
}

// EnclosedLike returns the containers around an offset, with those around another: near each other, they have
// most in common.
func (l *ChildReader) EnclosedLike(given []format.Cell, at int64) []format.Cell {
	n := sort.Search(len(given), func(i int) bool { return given[i].Start > at || given[i].End < at })
	from := int64(-1)
	if n > 0 {
		from = given[n-1].Start
	}
	if more := l.enclosedBy(from, at); len(more) > 0 {
		return append(given[:n:n], more...)
	}
	return given[:n:n]
}

// level walks over the children of one container, as recorded, and returns the checkpoint of the last
// at or before an offset. e is that child if the offset is within it; nil if not.
func (l *ChildReader) level(ctx context.Context, in *Splice, x int64) (at Checkpoint, e *NodeData, err error) {
	l.Start = in.Start
	at.In = in
	at.Pos, at.Ord = l.SeekBack(in.Start, in.First, x, 1)
	if m, ok := CheckpointBefore(l.Checkpoints, x); ok && m.Pos > at.Pos && m.of == in.At {
		at.Pos, at.Ord = m.Pos, m.Ord
	}
	e = new(NodeData)
	for n := 1; ; n++ {
		ok, err := l.Next(at.Pos, at.Ord, in.End, e, false)
		if err != nil {
			return at, nil, err
		}
		if !ok || e.At >= x {
			return at, nil, nil
		}
		if e.Next > x {
			return at, e, nil
		}
		at.Pos, at.Ord = e.Next, e.After
		if n%CheckpointEvery == 0 {
			l.Edit.Whole = append(l.Edit.Whole, Checkpoint{Pos: at.Pos, Ord: at.Ord, of: in.At})
			if err := ctx.Err(); err != nil {
				return at, nil, err
			}
		}
	}
}

// Begin returns the checkpoint of a child at an offset, or one shortly before it.
func (l *ChildReader) Begin(ctx context.Context, pos, ord int64) (Checkpoint, error) {
	x := l.Edit
	if x == nil {
		return Checkpoint{Pos: pos, Ord: ord}, nil
	}
	if pos <= x.Node.Start {
		return Checkpoint{Pos: x.Node.Start, Ord: x.Node.First, In: x.Node}, nil
	}
	for _, w := range x.Ways {
		if w.Pos == pos {
			return w, nil
		}
	}
	return l.Before(ctx, pos)
}

// Ends notes where a read ended: the next one may begin there.
func (l *ChildReader) Ends(at Checkpoint) {
	if l.Edit != nil {
		l.Edit.Ended = at
	}
}

// Step reads the child at a checkpoint of an edited node: into e, as recorded. If want is false, only
// the fields of its point that DecodeHead reads are known.
func (l *ChildReader) Step(at Checkpoint, e *NodeData, want bool) (c ChildRead, err error) {
	for at.Pos >= at.In.End && at.In.Outer != nil {
		at = Checkpoint{Pos: at.In.Next, Ord: at.In.After, In: at.In.Outer}
	}
	in := at.In
	ok, err := l.Next(at.Pos, at.Ord, in.End, e, want)
	switch {
	case err != nil || !ok && in.Outer == nil:
		return ChildRead{Next: Checkpoint{Pos: l.End, Ord: at.Ord, In: in}}, err
	case !ok:
		return ChildRead{Ok: true, Entered: true, Next: Checkpoint{Pos: in.End, Ord: at.Ord, In: in}}, nil
	}
	e.In = in
	if !want && l.Folded && l.MayFold(e) {
		return l.Step(at, new(NodeData), true)
	}
	c = ChildRead{Ok: true, At: at, Next: Checkpoint{Pos: e.Next, Ord: e.After, In: in}}
	out := e
	if l.Folded && want {
		if out, err = l.Fold(e); out == nil || err != nil {
			return c, err
		}
	}
	if !out.Container() {
		how := EditNone
		switch in.Leaves {
		case LeavesNone:
			how = EditMerge
		case LeavesAsked:
			if how, _, err = l.Decide(out, in, want); err != nil {
				return c, err
			}
		}
		c.Shown, c.Left, c.Dropped = how == EditNone, how != EditNone, how == EditDrop
	} else {
		var how Edit
		if how, out.Inside, err = l.Decide(out, in, want); err != nil {
			return c, err
		}
		c.Shown, c.Left, c.Dropped = how == EditNone, how != EditNone, how == EditDrop
		if how == EditMerge {
			c.Entered = true
			if out.HasContent() {
				c.Next = Checkpoint{Pos: out.Start, Ord: out.First, In: l.SpliceOf(out, in, c.Next)}
			}
		}
	}
	if c.Shown && want {
		out.In = in
		c.Data = out
		if l.Folded && l.Inline {
			c.Data, err = l.inlinedIn(out)
		}
	}
	return c, err
}

// inlinedIn is inlined for a loop of an edited tree: not if the iteration is left out.
func (l *ChildReader) inlinedIn(e *NodeData) (*NodeData, error) {
	out := l.Inlined(e)
	if out == e {
		return e, nil
	}
	var only NodeData
	if _, err := l.Next(e.Start, e.First, e.End, &only, false); err != nil {
		return e, err
	}
	how, inside, err := l.Decide(&only, &Splice{State: e.Inside}, false)
	if how != EditNone || err != nil {
		return e, err
	}
	out.Inside = inside
	return out, nil
}

// SpliceOf returns the splice of a container after which in's children continue at next.
func (l *ChildReader) SpliceOf(e *NodeData, in *Splice, next Checkpoint) *Splice {
	return &Splice{
		Outer: in, At: e.At, Start: e.Start, End: e.End, First: e.First, Next: next.Pos, After: next.Ord,
		Depth: in.Depth + 1, Text: format.ParentOf(&e.Point), State: e.Inside, Leaves: l.Edit.Edits.Leaves(e.Inside),
	}
}

// Decide asks the edits about a point, which is decoded if whole is true. The state is that in a container.
func (l *ChildReader) Decide(e *NodeData, in *Splice, whole bool) (Edit, EditState, error) {
	x := l.Edit
	p := &x.point
	if p.walk == nil {
		x.walk = PassWalk{Walker: l.Walker, version: l.R.Data.Version(), l: l, folded: l.Folded}
		x.frame.Class = format.ClassCall
		p.walk = &x.walk
	}
	p.PassFrame, p.Thread, p.State = frameOf(&e.Point, e.At), l.S.Thread, StateWhole
	p.size, p.foot = int(e.Start-e.At), -1
	if !e.Container() {
		p.size = int(e.Next - e.At)
	}
	p.point, p.ends, p.footer, p.data, p.parent = nil, nil, nil, nil, nil
	x.walk.ord, x.walk.window = e.First, nil
	if whole {
		p.data = e
	} else if b, err := l.Bytes(e.At); err == nil {
		x.walk.window = b
	} else {
		return EditNone, nil, err
	}
	if in.Text.Call {
		x.frame.Ref = in.Text.Method
		p.parent = &x.frame
	}
	var how Edit
	var inside EditState
	if e.Container() {
		how, inside = x.Edits.Enter(in.State, p)
	} else {
		how = x.Edits.Leaf(in.State, p)
	}
	err := x.walk.err
	x.walk.err = nil
	return how, inside, err
}
