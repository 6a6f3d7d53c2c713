package lazy

import (
	"context"
	"slices"
	"sort"

	"tracex/format"
)

// The children of a node of an edited tree: reading goes on in a container that is merged, and after
// it with what follows. A read reports such a container as a child that is not shown, as one that
// folds to nothing. So what reads children need not know of this: only where to begin, see begin.

// child reads the child at a checkpoint.
func (l *childReader) child(at checkpoint) (c childRead, err error) {
	e := new(nodeData)
	if l.edit != nil {
		return l.step(at, e, true)
	}
	if c.ok, err = l.next(at.pos, at.ord, l.end, e, true); !c.ok || err != nil {
		return childRead{next: checkpoint{pos: l.end, ord: at.ord}}, err
	}
	c.next = checkpoint{pos: e.next, ord: e.after}
	if l.folded {
		if e, err = l.fold(e); err == nil && e != nil && l.inline {
			e = l.inlined(e)
		}
	}
	c.data, c.shown = e, e != nil
	return c, err
}

// skip skips the next child without making a node.
func (l *childReader) skip(at checkpoint) (childRead, error) {
	var e nodeData
	return l.over(&e, at)
}

// over is skip, and reads the child into e, as recorded.
func (l *childReader) over(e *nodeData, at checkpoint) (childRead, error) {
	if l.edit != nil {
		return l.step(at, e, false)
	}
	ok, err := l.next(at.pos, at.ord, l.end, e, false)
	if !ok || err != nil {
		return childRead{next: checkpoint{pos: l.end, ord: at.ord}}, err
	}
	if l.folded && l.mayFold(e) {
		return l.child(at)
	}
	return childRead{ok: true, shown: true, next: checkpoint{pos: e.next, ord: e.after}}, nil
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

// editing is what a childReader needs to read the children of a node of an edited tree.
type editing struct {
	edits Edits
	node  *splice
	ways  []checkpoint // where reads of these children ended
	ended checkpoint   // where this one did; the zero value if it need not be remembered
	walk  passWalk
	point PassPoint    // the argument of Enter
	frame passFrame    // the call around it
	whole []checkpoint // checkpoints passed, see before
}

// before returns the last checkpoint of the children of an edited node at or before an offset in its
// content. It goes down from container to container as far as they are merged.
func (l *childReader) before(ctx context.Context, x int64) (checkpoint, error) {
	in := l.edit.node
	for _, w := range l.edit.ways {
		if s := w.in; s.depth > in.depth {
			for !s.holds(x) {
				s = s.outer
			}
			if s.depth > in.depth {
				in = s
			}
		}
	}
	given, start := l.chain, l.start
	defer func() { l.chain, l.start = given, start }()
	if given == nil {
		l.chain = l.enclosedBy(in.start, x)
	} else if l.target != x {
		l.chain = l.enclosedLike(given, x)
	}
	for depth := 1; ; depth++ {
		if depth%checkpointEvery == 0 && ctx.Err() != nil {
			return checkpoint{}, ctx.Err()
		}
		at, e, err := l.level(ctx, in, x)
		if e == nil || err != nil {
			return at, err
		}
		// e is around x.
		c, err := l.step(at, e, true)
		s := c.next.in
		switch {
		case err != nil || s == in || x < c.next.pos:
			return at, err
		case x >= s.end:
			return checkpoint{pos: s.end, ord: s.after, in: s}, nil
		}
		in = s
	}
}

// enclosedBy returns the containers around an offset, outermost first, of those that begin at an
// offset or later.
func (l *childReader) enclosedBy(from, at int64) []format.Cell {
	cells := l.s.Cells
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

// enclosedLike returns the containers around an offset, with those around another: near each other, they have
// most in common.
func (l *childReader) enclosedLike(given []format.Cell, at int64) []format.Cell {
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
func (l *childReader) level(ctx context.Context, in *splice, x int64) (at checkpoint, e *nodeData, err error) {
	l.start = in.start
	at.in = in
	at.pos, at.ord = l.seekBack(in.start, in.first, x, 1)
	if m, ok := checkpointBefore(l.checkpoints, x); ok && m.pos > at.pos && m.of == in.at {
		at.pos, at.ord = m.pos, m.ord
	}
	e = new(nodeData)
	for n := 1; ; n++ {
		ok, err := l.next(at.pos, at.ord, in.end, e, false)
		if err != nil {
			return at, nil, err
		}
		if !ok || e.at >= x {
			return at, nil, nil
		}
		if e.next > x {
			return at, e, nil
		}
		at.pos, at.ord = e.next, e.after
		if n%checkpointEvery == 0 {
			l.edit.whole = append(l.edit.whole, checkpoint{pos: at.pos, ord: at.ord, of: in.at})
			if err := ctx.Err(); err != nil {
				return at, nil, err
			}
		}
	}
}

// begin returns the checkpoint of a child at an offset, or one shortly before it.
func (l *childReader) begin(ctx context.Context, pos, ord int64) (checkpoint, error) {
	x := l.edit
	if x == nil {
		return checkpoint{pos: pos, ord: ord}, nil
	}
	if pos <= x.node.start {
		return checkpoint{pos: x.node.start, ord: x.node.first, in: x.node}, nil
	}
	for _, w := range x.ways {
		if w.pos == pos {
			return w, nil
		}
	}
	return l.before(ctx, pos)
}

// ends notes where a read ended: the next one may begin there.
func (l *childReader) ends(at checkpoint) {
	if l.edit != nil {
		l.edit.ended = at
	}
}

// step reads the child at a checkpoint of an edited node: into e, as recorded. If want is false, only
// the fields of its point that DecodeHead reads are known.
func (l *childReader) step(at checkpoint, e *nodeData, want bool) (c childRead, err error) {
	for at.pos >= at.in.end && at.in.outer != nil {
		at = checkpoint{pos: at.in.next, ord: at.in.after, in: at.in.outer}
	}
	in := at.in
	ok, err := l.next(at.pos, at.ord, in.end, e, want)
	switch {
	case err != nil || !ok && in.outer == nil:
		return childRead{next: checkpoint{pos: l.end, ord: at.ord, in: in}}, err
	case !ok:
		return childRead{ok: true, entered: true, next: checkpoint{pos: in.end, ord: at.ord, in: in}}, nil
	}
	e.in = in
	if !want && l.folded && l.mayFold(e) {
		return l.step(at, new(nodeData), true)
	}
	c = childRead{ok: true, at: at, next: checkpoint{pos: e.next, ord: e.after, in: in}}
	out := e
	if l.folded && want {
		if out, err = l.fold(e); out == nil || err != nil {
			return c, err
		}
	}
	if !out.container() {
		how := EditNone
		switch in.leaves {
		case LeavesNone:
			how = EditMerge
		case LeavesAsked:
			if how, _, err = l.decide(out, in, want); err != nil {
				return c, err
			}
		}
		c.shown, c.left, c.dropped = how == EditNone, how != EditNone, how == EditDrop
	} else {
		var how Edit
		if how, out.inside, err = l.decide(out, in, want); err != nil {
			return c, err
		}
		c.shown, c.left, c.dropped = how == EditNone, how != EditNone, how == EditDrop
		if how == EditMerge {
			c.entered = true
			if out.hasContent() {
				c.next = checkpoint{pos: out.start, ord: out.first, in: l.spliceOf(out, in, c.next)}
			}
		}
	}
	if c.shown && want {
		out.in = in
		c.data = out
		if l.folded && l.inline {
			c.data, err = l.inlinedIn(out)
		}
	}
	return c, err
}

// inlinedIn is inlined for a loop of an edited tree: not if the iteration is left out.
func (l *childReader) inlinedIn(e *nodeData) (*nodeData, error) {
	out := l.inlined(e)
	if out == e {
		return e, nil
	}
	var only nodeData
	if _, err := l.next(e.start, e.first, e.end, &only, false); err != nil {
		return e, err
	}
	how, inside, err := l.decide(&only, &splice{state: e.inside}, false)
	if how != EditNone || err != nil {
		return e, err
	}
	out.inside = inside
	return out, nil
}

// spliceOf returns the splice of a container after which in's children continue at next.
func (l *childReader) spliceOf(e *nodeData, in *splice, next checkpoint) *splice {
	return &splice{
		outer: in, at: e.at, start: e.start, end: e.end, first: e.first, next: next.pos, after: next.ord,
		depth: in.depth + 1, text: format.ParentOf(&e.point), state: e.inside, leaves: l.edit.edits.Leaves(e.inside),
	}
}

// decide asks the edits about a point, which is decoded if whole is true. The state is that in a container.
func (l *childReader) decide(e *nodeData, in *splice, whole bool) (Edit, EditState, error) {
	x := l.edit
	p := &x.point
	if p.walk == nil {
		x.walk = passWalk{walker: l.walker, version: l.r.data.Version(), l: l, folded: l.folded}
		x.frame.Class = format.ClassCall
		p.walk = &x.walk
	}
	p.PassFrame, p.Thread, p.State = frameOf(&e.point, e.at), l.s.Thread, StateWhole
	p.size, p.foot = int(e.start-e.at), -1
	if !e.container() {
		p.size = int(e.next - e.at)
	}
	p.point, p.ends, p.footer, p.data, p.parent = nil, nil, nil, nil, nil
	x.walk.ord, x.walk.window = e.first, nil
	if whole {
		p.data = e
	} else if b, err := l.bytes(e.at); err == nil {
		x.walk.window = b
	} else {
		return EditNone, nil, err
	}
	if in.text.Call {
		x.frame.Ref = in.text.Method
		p.parent = &x.frame
	}
	var how Edit
	var inside EditState
	if e.container() {
		how, inside = x.edits.Enter(in.state, p)
	} else {
		how = x.edits.Leaf(in.state, p)
	}
	err := x.walk.err
	x.walk.err = nil
	return how, inside, err
}
