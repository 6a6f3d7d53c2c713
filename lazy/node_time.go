package lazy

import (
	"context"
	"math"

	"tracex/format"
)

// Time returns the time of a node. For a container it is that of its cell in the file
// of times; for a thread, from the start of its first block to the end of its last.
// ok is false if it is not known: for a leaf, for a container whose end is not known,
// and if the trace has no times. A node of the folded view that shows several points
// as one has the time of the point that it shows.
func (n *Node) Time() (t Time, ok bool) {
	r := n.loader.r
	t = noTime
	err := r.use(func() error {
		if r.timed() {
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
		w, err := r.walkerOn(r.known.Load(), n.thread)
		if err != nil {
			return noTime, false
		}
		return w.threadTime()
	}
	if int64(n.epoch) != r.epoch.Load() {
		return noTime, false
	}
	return (&walker{r: r.trace}).time(n.e.Load())
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
	if !n.IsThread() && !e.hasContent() {
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
func (c *childTime) add(ctx context.Context, l *nodeReader, e *nodeData, read *childRead) error {
	if read.data != nil {
		e = read.data
	}
	if !e.container() || !read.shown && !read.dropped {
		return nil
	}
	t, ok := l.time(e)
	switch {
	case !ok:
		c.missed = true
	case e.point.Class == format.ClassCall || read.dropped:
		c.took(t.Duration)
	case e.hasContent():
		if c.loops += e.end - e.start; c.loops > loopBytes {
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
func (c *childTime) addCalls(ctx context.Context, l *nodeReader, e *nodeData, read *childRead) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.edit == nil {
		x := below{l: &childReader{walker: l.walker, folded: l.folded, lender: new(dataPool)}, timed: true}
		err := x.add(e.start, e.end, nil)
		c.took(x.calls)
		c.missed = c.missed || !x.timed
		return err
	}
	var in nodeData
	for at := (checkpoint{pos: e.start, ord: e.first, in: l.spliceOf(e, read.at.in, read.next)}); at.pos < e.end; {
		r, err := l.step(at, &in, false)
		if err != nil || !r.ok {
			return err
		}
		if !r.entered {
			if err := c.add(ctx, l, &in, &r); err != nil {
				return err
			}
		}
		at = r.next
	}
	return nil
}
