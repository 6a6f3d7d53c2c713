package lazy

import (
	"context"

	"tracex/format"
)

// visit is a trace point in a walk over a whole thread. It is good until the
// function that it is given to returns.
type visit struct {
	*entry
	depth  int // 0: a root
	parent format.Parent
	inside int64 // event of the container around it, as it is shown; -1: none
	time   Time  // noTime when it is not known, or not asked for
}

// A walk reads ahead: one goroutine reads trace points in batches of so many,
// while another makes text of those before. Three batches go round.
const (
	batchVisits = 1024
	batchCount  = 3
)

// batch is a run of trace points that were read.
type batch struct {
	visits []visit
	lent   entries // that they are in
	at     int64   // logical: how far the walk has come
}

// entries lends entries, and takes all back at once.
type entries struct {
	all  []*entry
	lent int
}

func (s *entries) take() *entry {
	if s.lent == len(s.all) {
		s.all = append(s.all, new(entry))
	}
	s.lent++
	return s.all[s.lent-1]
}

// descent is a walk over the trace points of one thread, parents before their
// children. It keeps no nodes: what it has in memory grows with the depth.
type descent struct {
	descentOptions
	r     *TraceReader
	v     *view
	l     *childReader
	stack []level
}

// descentOptions say what a descent is to visit.
type descentOptions struct {
	thread int32
	folded bool
	depth  int    // levels; 0: all
	times  bool   // tell how long each took
	only   *level // what to visit; nil: all of the thread
}

// level is a container whose children are visited, or a run of them: those from
// pos on that end before end.
type level struct {
	pos, ord, end int64
	parent        format.Parent
	event         int64 // of the container; -1: a thread
}

// descend walks over a thread and calls visit for each trace point, as the
// folded or the raw view shows it, on the caller's goroutine. visit may read
// r.ctx, which is locked for it. chunk, when not nil, is called now and then
// with the logical offset that the walk has reached.
func (r *TraceReader) descend(ctx context.Context, o descentOptions, visit func(*visit) error, chunk func(at int64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	epoch := r.epoch.Load()
	d := &descent{descentOptions: o, r: r, v: r.known.Load(), l: &childReader{t: &Tree{r: r, folded: o.folded}}}
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
		err := r.visitAll(b, visit)
		if err == nil && chunk != nil {
			err = chunk(b.at)
		}
		if err != nil {
			cancel()
			for range full {
			}
			return err
		}
		free <- b
	}
	return r.doubt(walkErr, d.v, epoch)
}

func (r *TraceReader) visitAll(b *batch, visit func(*visit) error) error {
	r.ctxMu.RLock()
	defer r.ctxMu.RUnlock()
	for i := range b.visits {
		if err := visit(&b.visits[i]); err != nil {
			return err
		}
	}
	return nil
}

// walk fills batches until the thread is at its end. Between two of them others
// may change the reader's mappings. What was read before an error is passed on.
func (d *descent) walk(ctx context.Context, free <-chan *batch, full chan<- *batch) error {
	for more := true; more; {
		var b *batch
		select {
		case <-ctx.Done(): // nothing comes back any more
			return ctx.Err()
		case b = <-free:
		}
		b.visits, b.lent.lent = b.visits[:0], 0
		err := d.r.use(func() error {
			var err error
			more, err = d.fill(b)
			return err
		})
		full <- b
		if err != nil {
			return err
		}
	}
	return nil
}

// fill reads a batch and reports whether there may be more. It must be called
// within guard.
func (d *descent) fill(b *batch) (more bool, err error) {
	w, err := d.r.walkerOn(d.v, d.thread)
	if err != nil {
		return false, err
	}
	if d.l.walker == nil {
		if d.only == nil {
			d.only = &level{end: w.s.size, event: -1}
		}
		d.stack = append(d.stack, *d.only)
	}
	d.l.walker, d.l.lender = w, &b.lent
	d.r.ctxMu.RLock()
	defer d.r.ctxMu.RUnlock()
	for more = true; more && err == nil && len(b.visits) < batchVisits && b.lent.lent < 4*batchVisits; {
		more, err = d.step(b)
	}
	if len(d.stack) > 0 {
		b.at = d.stack[len(d.stack)-1].pos
	}
	return more, err
}

// step reads the next trace point and reports whether there may be more.
func (d *descent) step(b *batch) (bool, error) {
	for len(d.stack) > 0 && d.stack[len(d.stack)-1].pos >= d.stack[len(d.stack)-1].end {
		d.stack = d.stack[:len(d.stack)-1]
	}
	if len(d.stack) == 0 {
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
	top.pos, top.ord = e.next, e.after
	if d.l.t.folded {
		if e, err = d.l.fold(e); e == nil || err != nil {
			return true, err
		}
	}
	depth := len(d.stack) - 1
	b.visits = append(b.visits, visit{entry: e, depth: depth, parent: top.parent, inside: top.event, time: noTime})
	if d.times {
		b.visits[len(b.visits)-1].time, _ = d.l.time(e)
	}
	if e.hasContent() && e.container() && (d.depth == 0 || depth+1 < d.depth) {
		d.stack = append(d.stack, level{pos: e.start, ord: e.first, end: e.end, parent: format.ParentOf(&e.point), event: int64(e.point.Event)})
	}
	return true, nil
}
