package lazy

import (
	"context"

	"tracex/format"
)

// The children of a node of an edited tree: reading goes on in a container that is merged, and after
// it with what follows. A read reports such a container as a child that is not shown, as one that
// folds to nothing. So what reads children need not know of this: only where to begin, see begin.

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

// overEdited is a part of overChildren: f gets the children that are shown.
func (l *childReader) overEdited(ctx context.Context, pos *int64, more *bool, f func(l *childReader, pos int64, c *nodeData) error) error {
	at, err := l.begin(ctx, *pos, 0)
	if err != nil {
		return err
	}
	begins := *pos
	var c nodeData
	for range walkBatch {
		read, err := l.step(at, &c, false)
		if *more = read.ok; !read.ok || err != nil {
			return err
		}
		if read.shown && c.at >= begins {
			if err := f(l, read.at.pos, &c); err != nil {
				return err
			}
		}
		at = read.next
		*pos = at.pos
	}
	l.ends(at)
	return nil
}

// keepWay keeps where a read of the children of a node ended.
func (ld *loader) keepWay(n *Node, l *childReader) {
	if l.edit == nil || l.edit.ended.in == nil {
		return
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	ld.ways.keep(readWay{n, l.moment, l.edit.ended})
}
