package lazy

import (
	"context"
	"tracex/lazy/internal/walk"
)

// walkBatch is how many children a walk over all of them processes between two
// checks of its context.
const walkBatch = 4096

// overChildren calls f for each child of n, in order and as recorded: only the fields
// of its point that DecodeHead reads are known. pos is where the reference objects before
// it begin. f is called within use, and must not keep its arguments.
func (ld *loader) overChildren(ctx context.Context, n *Node, progress Progress, f func(l *nodeReader, pos int64, c *walk.NodeData) error) error {
	e := n.e.Load()
	pos, ord := e.Start, e.First
	for more := true; more; {
		err := ld.read(n, func(l *nodeReader) error {
			if l.Edit != nil {
				return l.overEdited(ctx, &pos, &more, f)
			}
			var c walk.NodeData
			for range walkBatch {
				found, err := l.Next(pos, ord, l.End, &c, false)
				if more = found; !found || err != nil {
					return err
				}
				if err := f(l, pos, &c); err != nil {
					return err
				}
				pos, ord = c.Next, c.After
			}
			return nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if progress != nil {
			progress(pos-e.Start, max(e.End, pos)-e.Start)
		}
	}
	return nil
}

// shown returns what the tree shows of a recorded child; nil for nothing. In the result,
// too, only the fields of the point that DecodeHead reads are certain to be known.
func (l *nodeReader) shown(c *walk.NodeData) (*walk.NodeData, error) {
	if !l.Folded || !l.MayFold(c) {
		return c, nil
	}
	read, err := l.Child(walk.Checkpoint{Pos: c.At, Ord: c.First, In: c.In})
	return read.Data, err
}

// Largest returns the Position of the child of n, of those that the tree shows, that contains most, see [Node.Nested]: of
// equals the one whose header, content and footer take the most bytes, and of these the first. ok is false if n shows no children. It makes no
// nodes, and takes time in proportion to the number of children.
func (ld *loader) Largest(ctx context.Context, n *Node, progress Progress) (p Position, ok bool, err error) {
	if err := ld.countHidden(ctx); err != nil {
		return p, false, err
	}
	h, only := ld.hiddenFor(), ld.onlyIn(n)
	nested, most := int64(-1), int64(0)
	err = ld.overChildren(ctx, n, progress, func(l *nodeReader, _ int64, c *walk.NodeData) error {
		size := c.Next - c.At
		if c.Nested() < nested || c.Nested() == nested && size <= most || only != nil && !only(c) {
			return nil
		}
		shown, err := l.shown(c)
		if shown == nil || err != nil {
			return err
		}
		if count := nestedBut(shown, h, n.thread); count > nested || count == nested && size > most {
			p, nested, most, ok = Position{Thread: n.thread, At: c.Next - 1}, count, size, true
		}
		return nil
	})
	if err != nil {
		return Position{}, false, err
	}
	return p, ok, nil
}

// Weight returns how many bytes of the trace a node takes, 0 if it has not ended yet, and the size of its
// parent's content: of is 0 if that is not known, as for a thread.
func (n *Node) Weight() (bytes, of int64) {
	e := n.e.Load()
	if n.IsThread() || e.State == StatePending {
		return 0, 0
	}
	in := n.parent.e.Load()
	if !n.parent.IsThread() && in.State == StatePending {
		return e.Next - e.At, 0
	}
	return e.Next - e.At, in.End - in.Start
}

// Longest returns the Position of the child of n, of those that the tree shows, that took longest, the first of
// equals. ok is false if no child has a time. It makes no nodes, and takes
// time in proportion to the number of children.
func (ld *loader) Longest(ctx context.Context, n *Node, progress Progress) (p Position, ok bool, err error) {
	most, only := int64(-1), ld.onlyIn(n)
	err = ld.overChildren(ctx, n, progress, func(l *nodeReader, _ int64, c *walk.NodeData) error {
		if only != nil && !only(c) {
			return nil
		}
		shown, err := l.shown(c)
		if shown == nil || err != nil {
			return err
		}
		if time, known := l.Time(shown); known && time.Duration > most {
			p, most, ok = Position{Thread: n.thread, At: c.Next - 1}, time.Duration, true
		}
		return nil
	})
	if err != nil {
		return Position{}, false, err
	}
	return p, ok, nil
}

// overEdited is a part of overChildren: f gets the children that are shown.
func (l *nodeReader) overEdited(ctx context.Context, pos *int64, more *bool, f func(l *nodeReader, pos int64, c *walk.NodeData) error) error {
	at, err := l.Begin(ctx, *pos, 0)
	if err != nil {
		return err
	}
	begins := *pos
	var c walk.NodeData
	for range walkBatch {
		read, err := l.Step(at, &c, false)
		if *more = read.Ok; !read.Ok || err != nil {
			return err
		}
		if read.Shown && c.At >= begins {
			if err := f(l, read.At.Pos, &c); err != nil {
				return err
			}
		}
		at = read.Next
		*pos = at.Pos
	}
	l.Ends(at)
	return nil
}
