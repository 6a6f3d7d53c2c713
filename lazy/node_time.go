package lazy

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// Time returns the time of a node. For a container it is that of its cell in the file
// of times; for a thread, from the start of its first block to the end of its last.
// ok is false if it is not known: for a leaf, for a container whose end is not known,
// and if the trace has no times. A node of the folded view that shows several points
// as one has the time of the point that it shows.
func (n *Node) Time() (t Time, ok bool) {
	r := n.loader.r
	t = trace.NoTime
	err := r.Use(func() error {
		if r.Timed() {
			t, ok = n.time()
		}
		return nil
	})
	return t, ok && err == nil
}

// time is Time, for a trace with times. It must be called within use.
func (n *Node) time() (t Time, ok bool) {
	r := n.loader.r
	if n.IsThread() {
		w, err := r.WalkerOn(r.Known.Load(), n.thread)
		if err != nil {
			return trace.NoTime, false
		}
		return w.ThreadTime()
	}
	if int64(n.epoch) != r.Epoch.Load() {
		return trace.NoTime, false
	}
	return (&walk.Walker{R: r.Trace}).Time(n.e.Load())
}

// Self returns how much of a node's time it did not spend in calls: its time minus
// that of the calls in it that are in no other call in it. The time of a loop without the
// calls in it, and of what the view folds away, is that of what it is in. CountChildren
// adds up the calls: known is false until it has begun, and exact is true once it has seen
// all children and their times, unless the loops among them are large. Otherwise the real
// number may be smaller.
func (n *Node) Self() (ns int64, exact, known bool) {
	t, ok := n.Time()
	if !ok {
		return 0, false, false
	}
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
	return n.self(t)
}

// self is Self for a node whose time is known. The loader is locked.
func (n *Node) self(t Time) (ns int64, exact, known bool) {
	e := n.e.Load()
	if !n.IsThread() && !e.HasContent() {
		return t.Duration, true, true
	}
	k := n.kids
	if k == nil || k.counted == 0 && !k.exact {
		return 0, false, false
	}
	return max(0, t.Duration-k.time.sum), k.exact && !k.time.missed && !k.time.more, true
}

// loopBytes is up to how many bytes of the loops directly in a node are read to find the calls in them.
const loopBytes = 1 << 20

// add adds the time of a child, unless it folds to nothing: of a loop or an iteration, that of the calls in it.
func (c *childTime) add(ctx context.Context, l *nodeReader, e *walk.NodeData, read *walk.ChildRead) error {
	if read.Data != nil {
		e = read.Data
	}
	if !e.Container() || !read.Shown && !read.Dropped {
		return nil
	}
	t, ok := l.Time(e)
	switch {
	case !ok:
		c.missed = true
	case e.Point.Class == format.ClassCall || read.Dropped:
		c.took(t.Duration)
	case e.HasContent():
		if c.loops += e.End - e.Start; c.loops > loopBytes {
			c.more = true
			return nil
		}
		return c.addCalls(ctx, l, e, read)
	}
	return nil
}

func (c *childTime) took(ns int64) {
	if c.sum += ns; c.sum < 0 {
		c.sum = math.MaxInt64
	}
}

// addCalls adds the times of the calls in a loop or an iteration that are in no other call in it.
func (c *childTime) addCalls(ctx context.Context, l *nodeReader, e *walk.NodeData, read *walk.ChildRead) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.Edit == nil {
		x := walk.Below{L: &walk.ChildReader{Walker: l.Walker, Folded: l.Folded, Lender: new(walk.DataPool)}, Timed: true}
		err := x.Add(e.Start, e.End, nil)
		c.took(x.Calls)
		c.missed = c.missed || !x.Timed
		return err
	}
	var in walk.NodeData
	for at := (walk.Checkpoint{Pos: e.Start, Ord: e.First, In: l.SpliceOf(e, read.At.In, read.Next)}); at.Pos < e.End; {
		r, err := l.Step(at, &in, false)
		if err != nil || !r.Ok {
			return err
		}
		if !r.Entered {
			if err := c.add(ctx, l, &in, &r); err != nil {
				return err
			}
		}
		at = r.Next
	}
	return nil
}
