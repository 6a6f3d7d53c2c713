package lazy

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// A spread walks the points of threads with several goroutines and hands over what they make
// in order. Only printing uses it.

// cut determines how a spread cuts threads into shares.
type cut struct {
	bytes    int64 // size of the part of a stream that one goroutine walks at a time
	approach int   // maximum number of points to pass before the beginning of a share
	width    int   // number of goroutines, excluding the one that takes the products
}

// usualCut is for traces of any size. A share is long enough that finding its beginning
// takes little time compared with walking it, and short enough that its products can
// wait in memory. The width bounds that memory too.
func usualCut() cut {
	return cut{bytes: 256 << 10, approach: 512, width: min(runtime.GOMAXPROCS(0), 16)}
}

// spread is a walk over threads by several goroutines at once. Each walks one share of
// segments after another, and makes products from them, which are taken in the order of
// the trace. Unlike in a descent, the same goroutine reads and visits points.
//
// A share that begins within a thread must continue where the previous one ended. Its
// goroutine finds the way there from the top, by the cells. If its state then differs
// than the previous walk ended, as may happen with a wrong index, or if the way would be
// long, the share is dropped and a descent continues where the previous one ended. So a
// spread visits the same points as a descent.
type spread[P any] struct {
	r      *LazyTraceReader
	v      *index.View // being walked
	epoch  int64       // of v
	cut    cut
	o      descentOptions
	worker func(put func(P) error) shareWorker
	take   func(P) error // gets all products in order, on the goroutine of run
}

// shareWorker makes products from the points it visits, for one goroutine.
type shareWorker interface {
	enter(g *segment) // begins a segment
	// visit visits a point of the segment, with mappings and context locked. It
	// reports whether there is enough for a product. Products are not put while these are
	// locked: the receiver may wait for a goroutine that changes them.
	visit(*visit) (full bool)
	flush() error // puts what has been collected
	reset()       // discards what has been collected
}

// share is a run of segments: several whole threads, or a part of one.
type share[P any] struct {
	segments []segment
	first    chan *walkState // for a share that begins within a thread: its first state; nil if not known
	out      chan P
	dropped  chan struct{} // closed when the share is no longer wanted

	// The fields below may be read once out is closed.
	last   *walkState // where it ended, if it is part of a thread
	thread int32      // thread that the walk was in
	err    error
}

func newShare[P any](segments []segment) *share[P] {
	return &share[P]{segments: segments, first: make(chan *walkState, 1), out: make(chan P, shareProducts), dropped: make(chan struct{})}
}

// run walks over threads. It returns an error with the thread concerned.
func (s *spread[P]) run(ctx context.Context, threads []int32) (thread int32, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	todo, order := make(chan *share[P]), make(chan *share[P], 2*s.cut.width)
	group.Go(func() { s.deal(ctx, sharesOf(s.v, threads, s.cut.bytes), order, todo) })
	for range s.cut.width {
		group.Go(func() { s.work(ctx, todo) })
	}
	var last *walkState
	for sh := range order {
		if thread, err = s.merge(ctx, sh, &last); err != nil {
			return thread, err
		}
	}
	return 0, ctx.Err()
}

// merge takes the products of a share. last is where the previous share ended; merge
// sets it to where this one did.
func (s *spread[P]) merge(ctx context.Context, sh *share[P], last **walkState) (thread int32, err error) {
	if g := sh.segments[0]; g.from > 0 {
		var first *walkState
		select {
		case first = <-sh.first:
		case <-ctx.Done():
			return g.thread, ctx.Err()
		}
		if first == nil || !first.equal(*last) {
			close(sh.dropped)
			return g.thread, s.walkAgain(ctx, g, last)
		}
	}
	for {
		select {
		case p, more := <-sh.out:
			if !more {
				*last = sh.last
				return sh.thread, s.r.doubt(sh.err, s.v, s.epoch)
			}
			if err := s.take(p); err != nil {
				return sh.segments[0].thread, err
			}
		case <-ctx.Done(): // perhaps no goroutine got the share
			return sh.segments[0].thread, ctx.Err()
		}
	}
}

// walkAgain walks a part of a thread from where the previous walk ended.
func (s *spread[P]) walkAgain(ctx context.Context, g segment, last **walkState) error {
	begin := *last
	if begin.at < 0 || g.to >= 0 && begin.at >= g.to {
		return nil
	}
	o := s.o
	g.from = begin.at
	var end walkState
	o.segments, o.begin, o.end = []segment{g}, begin, &end
	w := s.worker(s.take)
	w.enter(&g)
	visit := func(v *visit) error {
		if w.visit(v) {
			return w.flush()
		}
		return nil
	}
	if err := descend(ctx, s.r, o, visit, nil); err != nil {
		w.flush()
		return err
	}
	*last = &end
	return w.flush()
}

// deal hands out shares.
func (s *spread[P]) deal(ctx context.Context, shares iter.Seq[[]segment], order, todo chan<- *share[P]) {
	defer close(order)
	defer close(todo)
	var a *mapped.Ahead
	defer func() { a.Stop() }()
	for segments := range shares {
		g := segments[0]
		if g.from == 0 {
			a.Stop()
			a = s.ahead(g)
		}
		a.Reached(g.from)
		sh := newShare[P](segments)
		for _, to := range []chan<- *share[P]{order, todo} {
			select {
			case to <- sh:
			case <-ctx.Done():
				return
			}
		}
	}
}

// ahead starts reading ahead in a long thread; it returns nil for a short one.
func (s *spread[P]) ahead(g segment) *mapped.Ahead {
	stream := s.v.Stream(g.thread)
	if stream == nil || stream.Size <= mapped.LoadSize {
		return nil
	}
	return s.r.streamAhead(s.v, stream, 0, stream.Size)
}

func (s *spread[P]) work(ctx context.Context, todo <-chan *share[P]) {
	var sh *share[P]
	w := s.worker(func(p P) error {
		select {
		case sh.out <- p:
			return nil
		case <-sh.dropped:
			return errDropped
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	b := new(batch)
	for sh = range todo {
		w.reset()
		sh.err = s.walk(ctx, sh, w, b)
		close(sh.out)
	}
}

// walk walks over a share.
func (s *spread[P]) walk(ctx context.Context, sh *share[P], w shareWorker, b *batch) error {
	o := s.o
	o.segments = sh.segments
	d := newDescent(s.r, o, s.v)
	d.visit = w.visit
	told := true
	if g := sh.segments[0]; g.part() {
		d.seam = &seam{approach: s.cut.approach}
		told = false
	}
	defer func() {
		if !told {
			sh.first <- nil
		}
	}()
	for d.at < len(d.segments) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g := &d.segments[d.at]
		sh.thread = g.thread
		if d.l.walker == nil {
			w.enter(g)
		}
		more, err := d.read(b, sharePoints)
		if !told && d.seam.first != nil {
			sh.first <- d.seam.first
			told = true
		}
		if d.full || err != nil {
			if flushErr := w.flush(); flushErr != nil {
				return flushErr
			}
		}
		if err != nil {
			return err
		}
		if !more {
			d.leave()
		}
	}
	if d.seam != nil {
		sh.last = d.seam.last
	}
	return w.flush()
}
