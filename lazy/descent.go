package lazy

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// visit is a trace point in a walk over whole threads. It is valid until the
// function that receives it returns.
type visit struct {
	*nodeData
	thread  int32
	segment int // index of the segment in the walk
	depth   int // 0 for a root
	parent  format.Parent
	inside  int64 // event of the container around it, as it is shown; -1 if none
	time    Time  // noTime if it is not known, or not requested
	left    int64 // children that the walk does not visit, as it goes no deeper; 0 if that was not requested
}

// A walk reads ahead: one goroutine reads batches of trace points, while another
// makes text from earlier ones. Three batches circulate.
const (
	batchVisits = 1024
	batchCount  = 3
)

// batch is a run of trace points that have been read.
type batch struct {
	visits  []visit
	lent    dataPool // backs the nodeData of visits
	segment int      // of all the visits
	at      int64    // logical: how far the walk has got in the segment
	changed bool     // folding changed or dropped a point
}

// descent is a walk over the trace points of threads, one thread after the
// other, parents before their children. It keeps no nodes: its memory grows
// with the depth of nesting.
type descent struct {
	descentOptions
	r     *LazyTraceReader
	v     *index.View
	l     *childReader
	at    int // index of the current segment
	stack []level
	begun int64         // logical: start of the walk in the segment
	ahead *mapped.Ahead // of the segment; nil if it is short, as far as is known
	seam  *seam         // nil if not requested
	// visit, if not nil, is called for each point where it is read, within use and
	// with the context locked, instead of filling a batch: the point is still in the
	// cache then. full is its result: whether to stop reading there.
	visit func(*visit) (full bool)
	full  bool
	now   visit        // the argument of visit
	ended func() error // why the walk is to end; nil if it is not
}

// descentOptions select what a descent visits.
type descentOptions struct {
	thread   int32     // to visit if there are no segments
	only     *level    // part of the thread to visit; nil for all
	segments []segment // to visit, in this order
	folded   bool
	depth    int        // number of levels; 0 for all
	times    bool       // set visit.time
	left     bool       // set visit.left
	changed  *bool      // set when folding changes or drops a point; nil if not requested
	begin    *walkState // where the walk begins, for one segment; nil to find its from
	end      *walkState // set to where the walk ends; nil if not requested
	// reach, if not nil, is called before the points of a batch are visited, at least once
	// for each segment, without locks. An error ends the walk.
	reach func(segment int) error
}

// descend walks over threads and calls visit for each trace point, as the
// folded or the raw view shows it, on the caller's goroutine. visit may read
// r.ctx, which is locked for it. chunk, if not nil, is called now and then
// with the segment and the logical offset that the walk has reached.
func descend(ctx context.Context, r *LazyTraceReader, o descentOptions, visit func(*visit) error, chunk func(segment int, at int64) error) error {
	if o.segments == nil {
		o.segments = []segment{{thread: o.thread, to: -1}}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	epoch := r.epoch.Load()
	d := newDescent(r, o, r.known.Load())
	if o.end != nil {
		d.seam = &seam{approach: math.MaxInt}
	}
	full, free := make(chan *batch, batchCount), make(chan *batch, batchCount)
	for range batchCount {
		free <- new(batch)
	}
	var walkErr error
	go func() {
		defer close(full)
		walkErr = d.walk(ctx, free, full)
	}()
	for b := range full {
		if b.changed && o.changed != nil {
			*o.changed = true
		}
		var err error
		if o.reach != nil {
			err = o.reach(b.segment)
		}
		if err == nil {
			err = r.visitAll(b, visit)
		}
		if err == nil && chunk != nil {
			err = chunk(b.segment, b.at)
		}
		if err != nil {
			cancel()
			for range full {
			}
			return err
		}
		free <- b
	}
	if o.end != nil && d.seam.last != nil {
		*o.end = *d.seam.last
	}
	return r.doubt(walkErr, d.v, epoch)
}

// newDescent returns a walk over segments in a view.
func newDescent(r *LazyTraceReader, o descentOptions, v *index.View) *descent {
	return &descent{descentOptions: o, r: r, v: v, l: &childReader{folded: o.folded}}
}

func (r *trace) visitAll(b *batch, visit func(*visit) error) error {
	r.ctxMu.RLock()
	defer r.ctxMu.RUnlock()
	for i := range b.visits {
		if err := visit(&b.visits[i]); err != nil {
			return err
		}
	}
	return nil
}

// walk fills batches until all segments have been read. Between two batches other
// goroutines may change the reader's mappings. Points read before an error are passed on.
func (d *descent) walk(ctx context.Context, free <-chan *batch, full chan<- *batch) error {
	defer d.stopAhead()
	d.ended = ctx.Err
	for d.at < len(d.segments) {
		var b *batch
		select {
		case <-ctx.Done(): // no batch will be returned
			return ctx.Err()
		case b = <-free:
		}
		more, err := d.read(b, batchVisits)
		at := b.at // others may refill b once it is handed on
		full <- b
		if err != nil {
			return err
		}
		if !more {
			d.stopAhead()
			d.leave()
			continue
		}
		d.reached(at)
	}
	return nil
}

// read fills a batch with up to most points, and reports whether the segment may have
// more.
func (d *descent) read(b *batch, most int) (more bool, err error) {
	b.visits, b.lent.lent, b.segment, b.changed = b.visits[:0], 0, d.at, false
	err = d.r.use(func() error {
		var err error
		more, err = d.fill(b, most)
		return err
	})
	return more, err
}

// leave moves to the next segment.
func (d *descent) leave() { d.at, d.l.walker = d.at+1, nil }

// reached starts reading ahead, once the walk is long enough that more may be needed.
func (d *descent) reached(at int64) {
	if d.ahead == nil && at-d.begun >= mapped.LoadSize && len(d.stack) > 0 {
		end := d.stack[0].end
		if to := d.segments[d.at].to; to >= 0 {
			end = min(end, to)
		}
		d.ahead = d.r.streamAhead(d.v, d.l.s, at, end)
	}
	if d.ahead != nil {
		d.ahead.Reached(at)
	}
}

func (d *descent) stopAhead() {
	if d.ahead != nil {
		d.ahead.Stop()
		d.ahead = nil
	}
}

// fill reads a batch and reports whether the segment may have more. It must be called
// within use.
func (d *descent) fill(b *batch, most int) (more bool, err error) {
	g := &d.segments[d.at]
	w, err := d.r.walkerOn(d.v, g.thread)
	if err != nil {
		return false, err
	}
	begins := d.l.walker == nil
	d.l.walker, d.l.lender = w, &b.lent
	d.r.ctxMu.RLock()
	defer d.r.ctxMu.RUnlock()
	if begins {
		err = d.enter(g)
	}
	more, d.full = true, false
	if d.visit != nil {
		for steps := 0; more && err == nil && steps < most && !d.full; steps++ {
			b.lent.lent = 0 // the visited point is no longer needed
			more, err = d.advance(b, g)
		}
	}
	for d.visit == nil && more && err == nil && len(b.visits) < most && b.lent.lent < 4*most {
		more, err = d.advance(b, g)
	}
	b.at = w.s.Size
	if len(d.stack) > 0 {
		b.at = d.stack[len(d.stack)-1].pos
	} else if g.to >= 0 {
		b.at = g.to
	}
	return more, err
}

// enter begins a segment.
func (d *descent) enter(g *segment) error {
	if d.begin != nil {
		d.stack = append(d.stack[:0], d.begin.stack...)
		d.begun = d.begin.at
		return nil
	}
	d.l.chain = nil
	if d.seam != nil && g.from > 0 {
		chain, ok := d.l.enclosingUpTo(g.from, d.seam.approach)
		if !ok {
			return errFar
		}
		d.l.chain = chain
	}
	in := level{end: d.l.s.Size, event: -1}
	if d.only != nil {
		in = *d.only
	}
	d.stack = append(d.stack[:0], d.jump(in, g.from))
	d.begun = d.stack[0].pos
	return nil
}

// put visits a point, or adds it to the batch. It sets the fields one by one: copying
// a struct that has just been written field by field would stall.
func (d *descent) put(b *batch, e *nodeData, g *segment, in *level, depth int) {
	v := &d.now
	if d.visit == nil {
		b.visits = append(b.visits, visit{})
		v = &b.visits[len(b.visits)-1]
	}
	v.nodeData, v.thread, v.segment, v.depth = e, g.thread, d.at, depth
	v.parent.Call, v.parent.Method, v.inside = in.parent.Call, in.parent.Method, in.event
	v.time = noTime
	if d.times {
		v.time, _ = d.l.time(e)
	}
	if d.visit != nil {
		d.full = d.visit(v)
	}
}

// jump moves the start of a level to a child before an offset, to avoid passing all
// earlier children.
func (d *descent) jump(in level, to int64) level {
	if in.pos < to && to < in.end {
		d.l.start, d.l.end = in.pos, in.end
		in.pos, in.ord = d.l.seekBack(in.pos, in.ord, to, 1)
	}
	return in
}

// advance reads the next trace point and reports whether there may be more.
func (d *descent) advance(b *batch, g *segment) (bool, error) {
	for len(d.stack) > 0 && d.stack[len(d.stack)-1].pos >= d.stack[len(d.stack)-1].end {
		d.stack = d.stack[:len(d.stack)-1]
	}
	if len(d.stack) == 0 {
		d.seam.ended()
		return false, nil
	}
	top := &d.stack[len(d.stack)-1]
	d.l.end = top.end
	e := b.lent.take()
	ok, err := d.l.next(top.pos, top.ord, top.end, e, true)
	if err != nil {
		return false, err
	}
	if !ok {
		top.pos = top.end
		return true, nil
	}
	if g.to >= 0 && e.at >= g.to {
		d.seam.stops(d.stack, e.at)
		d.stack = d.stack[:0]
		return false, nil
	}
	if d.seam != nil {
		if err := d.seam.reaches(d.stack, e.at, g.from); err != nil {
			return false, err
		}
	}
	top.pos, top.ord = e.next, e.after
	if e.next <= g.from {
		return true, nil
	}
	if d.l.folded {
		recorded := e
		e, err = d.l.fold(e)
		b.changed = b.changed || e != recorded
		if e == nil || err != nil {
			return true, err
		}
	}
	depth := len(d.stack) - 1
	if e.at >= g.from {
		d.put(b, e, g, top, depth)
	}
	if !e.hasContent() || !e.container() {
		return true, nil
	}
	if d.depth > 0 && depth+1 >= d.depth {
		if d.left && e.at >= g.from {
			b.visits[len(b.visits)-1].left, err = d.countLeft(e)
		}
		return true, err
	}
	d.stack = append(d.stack, level{})
	in := &d.stack[depth+1]
	in.pos, in.ord, in.end = e.start, e.first, e.end
	in.parent, in.event = format.ParentOf(&e.point), int64(e.point.Event)
	if in.pos < g.from {
		*in = d.jump(*in, g.from)
	}
	return true, nil
}

// countLeft counts the children of a container, as they would be visited.
func (d *descent) countLeft(e *nodeData) (count int64, err error) {
	var lent dataPool // for the children of one step
	l := &childReader{walker: d.l.walker, folded: d.l.folded, start: e.start, end: e.end, lender: &lent}
	at := checkpoint{pos: e.start, ord: e.first}
	for n := 1; at.pos < e.end; n++ {
		if n%tallyEvery == 0 && d.ended() != nil {
			return 0, d.ended()
		}
		lent.lent = 0
		c, err := l.skip(at)
		if err != nil || !c.ok {
			return count, err
		}
		if c.shown {
			count++
		}
		at = c.next
	}
	return count, nil
}
