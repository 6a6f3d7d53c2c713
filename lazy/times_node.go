package lazy

import (
	"context"
	"math"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
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

// childTime is how long the calls in a node took, as far as a walk over its children has seen them.
type childTime struct {
	sum    int64 // ns
	loops  int64 // bytes of the loops among the children
	missed bool  // the time of some container is not known
	more   bool  // not all loops were read
}

// loopBytes is up to how many bytes of the loops directly in a node are read to find the calls in them.
const loopBytes = 1 << 20

// add adds the time of a child, unless it folds to nothing: of a loop or an iteration, that of the calls in it.
func (c *childTime) add(ctx context.Context, l *childReader, e *nodeData, read *childRead) error {
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
func (c *childTime) addCalls(ctx context.Context, l *childReader, e *nodeData, read *childRead) error {
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

// blockTries is how many blocks at each end of a thread are tried to find its time.
const blockTries = 1024

// ThreadTime returns the time of a thread: from the start of its first block to the end of its
// last. ok is false if it is not known, as in a trace without times.
func (r *LazyTraceReader) ThreadTime(thread int32) (t Time, ok bool) {
	t = r.threadTime(thread)
	return t, t.Duration >= 0
}

// threadTime returns the time of a thread, noTime if it is not known.
func (r *trace) threadTime(thread int32) Time {
	t := noTime
	err := r.use(func() error {
		if !r.timed() {
			return nil
		}
		w, err := r.walkerOn(r.known.Load(), thread)
		if err == nil {
			t, _ = w.threadTime()
		}
		return err
	})
	if err != nil {
		return noTime
	}
	return t
}

// threadTime returns the time of a thread: from the first block that has a time to
// the last.
func (w *walker) threadTime() (t Time, ok bool) {
	t = noTime
	n := w.s.Blocks()
	var first, last Time
	for i := 0; i < min(n, blockTries) && !ok; i++ {
		first, ok = w.blockTime(i)
	}
	if !ok {
		return t, false
	}
	ok = false
	for i := n - 1; i >= max(0, n-blockTries) && !ok; i-- {
		last, ok = w.blockTime(i)
	}
	if !ok || last.End() < first.Start {
		return t, false
	}
	return Time{Start: first.Start, Duration: last.End() - first.Start}, true
}

func (w *walker) blockTime(i int) (Time, bool) {
	cellAt := w.s.Block(i).CellAt
	last, ok := w.s.Last(i)
	if !ok {
		last = cellAt
	}
	c, ok := w.r.pick(w.s.Thread, cellAt, last, times.Block)
	if !ok {
		return noTime, false
	}
	return times.Of(c)
}

// Recording returns when the recording began and how long it took: to its end,
// or, if it has none, to the last known time. ok is false if the trace has no times.
func (r *LazyTraceReader) Recording() (begin time.Time, length time.Duration, ok bool) {
	err := r.use(func() error {
		if !r.timed() {
			return nil
		}
		v := r.known.Load()
		if v.Complete && v.EOF {
			var c format.TimeCell
			cellAt := endCellAt(v)
			if c, ok = r.pick(times.EndID, cellAt, cellAt, times.End); ok {
				var t Time
				t, ok = times.Of(c)
				begin, length = r.times.Load().Anchor(), time.Duration(t.Start)
			}
			return nil
		}
		so := r.lengthSoFar(v)
		begin, length, ok = r.times.Load().Anchor(), time.Duration(so.end), so.known
		return nil
	})
	return begin, length, ok && err == nil
}

// length is the length of a recording that has no end.
type length struct {
	v     *index.View // that it belongs to
	epoch int64
	size  int     // of the file of times
	end   int64   // latest end of anything recorded
	known bool    // whether anything has a time
	late  []int32 // threads, by id, whose last block has no time yet
	looks int     // number of threads looked at, for this view
}

// lengthSoFar returns the length of the recording in a view. It looks only at threads
// that have grown since the last call, or whose times were late then. It must be called
// within use.
func (t *trace) lengthSoFar(v *index.View) *length {
	was, file := t.length.Load(), t.times.Load()
	now := &length{v: v, epoch: t.epoch.Load(), size: len(file.Mapped().Bytes())}
	if was != nil && was.v == v && was.size == now.size {
		return was
	}
	if was == nil || was.epoch != now.epoch {
		was = &length{v: new(index.View)}
	}
	now.end, now.known = was.end, was.known
	late := was.late
	for i, s := range v.Streams {
		for len(late) > 0 && late[0] < s.Thread {
			late = late[1:]
		}
		isLate := len(late) > 0 && late[0] == s.Thread
		if !isLate && i < len(was.v.Streams) && was.v.Streams[i] == s {
			continue
		}
		now.looks++
		w := &walker{r: t, v: v, s: s}
		if took, ok := w.threadTime(); ok {
			now.end, now.known = max(now.end, took.End()), true
		}
		if n := s.Blocks(); n > 0 {
			if _, ok := w.blockTime(n - 1); !ok {
				now.late = append(now.late, s.Thread)
			}
		}
	}
	t.length.Store(now)
	return now
}
