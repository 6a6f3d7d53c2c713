package lazy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/literal"
)

func (s *passRun) run(ctx context.Context) error {
	if !s.unawaited {
		s.r.summary.passes.begin()
		defer s.r.summary.passes.end()
	}
	s.among = literal.AnyOf(s.Among)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	todo := make(chan *passShare)
	s.dealt = make(chan *passShare, 2*s.cut.width)
	shares := s.shares()
	group.Go(func() { s.deal(ctx, shares, s.dealt, todo) })
	for range s.cut.width {
		group.Go(func() {
			for sh := range todo {
				s.visit(ctx, sh)
				sh.tell()
			}
		})
	}
	for {
		sh, err := s.next(ctx)
		if sh == nil || err != nil {
			return err
		}
		if err := s.merge(ctx, sh); err != nil {
			return err
		}
	}
}

// shares returns the shares of the pass, and adds up their bytes.
func (s *passRun) shares() iter.Seq[[]segment] {
	if s.order != nil {
		s.total = s.order.total
		return s.order.shares(s.v, s.cut.bytes)
	}
	if s.Ranges == nil {
		threads := s.threads
		for _, st := range s.v.Streams {
			if s.threads == nil {
				threads = append(threads, st.Thread)
			}
			s.total += st.Size
		}
		return sharesOf(s.v, threads, s.cut.bytes)
	}
	var list []segment
	for _, g := range s.Ranges {
		if st := s.v.Stream(g.Thread); st != nil {
			from, to := max(g.From, 0), g.To
			if to < 0 || to >= st.Size {
				to = st.Size
			}
			s.total += max(0, to-from)
			for from < to {
				next := min(from+s.cut.bytes, to)
				part := segment{thread: g.Thread, from: from, to: next}
				if next == st.Size {
					part.to = -1
				}
				list = append(list, part)
				from = next
			}
		}
	}
	return func(yield func([]segment) bool) {
		for i := range list {
			if !yield(list[i : i+1]) {
				return
			}
		}
	}
}

// deal hands out shares.
func (s *passRun) deal(ctx context.Context, shares iter.Seq[[]segment], order, todo chan<- *passShare) {
	defer close(order)
	defer close(todo)
	var ahead *mapped.Ahead
	thread, last := int32(-1), int64(0)
	defer func() { ahead.Stop() }()
	for segments := range shares {
		g := segments[0]
		sh := &passShare{segments: segments, ready: make(chan struct{})}
		if s.skips(segments) {
			sh.tell()
			select {
			case order <- sh:
				continue
			case <-ctx.Done():
				return
			}
		}
		if stream := s.v.Stream(g.thread); s.Skip == nil && g.part() && stream != nil && s.total > mapped.LoadSize {
			if thread != g.thread || g.from < last {
				ahead.Stop()
				ahead, thread = s.r.streamAhead(s.v, stream, g.from, stream.Size), g.thread
			}
			ahead.Reached(g.from)
			last = g.from
		}
		for _, c := range s.Collect {
			sh.visitors = append(sh.visitors, c.Visitor())
		}
		if s.guided {
			sh.out, sh.dropped = make(chan any, shareProducts), make(chan struct{})
		}
		for _, to := range []chan<- *passShare{order, todo} {
			select {
			case to <- sh:
			case <-ctx.Done():
				return
			}
		}
	}
}

// skips reports whether a share need not be read.
func (s *passRun) skips(share []segment) bool {
	if s.Skip == nil {
		return false
	}
	for i := range share {
		if g := &share[i]; !s.Skip(PassRange{g.thread, g.from, g.to}) {
			return false
		}
	}
	return true
}

// visit visits a share. A part of a thread whose beginning is not found at once is left to
// merge.
func (s *passRun) visit(ctx context.Context, sh *passShare) {
	if sh.barren, sh.err = s.isBarren(ctx, sh.segments); sh.barren || sh.err != nil {
		return
	}
	x := s.newWalk(sh.visitors)
	if s.guided {
		x.put = sh.puts(ctx)
		defer func() {
			sh.err = cmp.Or(x.hand(), sh.err)
			close(sh.out)
		}()
	}
	for i := range sh.segments {
		g := &sh.segments[i]
		if s.guided && !sh.visitors[0].(handing).next(g.thread) {
			sh.err = ErrEnough
			return
		}
		if sh.err = s.enter(x, g); sh.err != nil {
			return
		}
		begin := s.begin
		if begin == nil {
			begin = new(passState)
		}
		if s.begin == nil && g.from > 0 {
			var err error
			if begin, err = s.find(x, g.from, s.cut.approach); err != nil {
				if !errors.Is(err, errFar) {
					sh.err = err
				}
				return
			}
		}
		if g.part() {
			sh.first = begin
		}
		if s.guided {
			sh.tell()
		}
		if sh.err = s.walk(ctx, x, begin, g.from, nil); sh.err != nil {
			return
		}
		if g.part() {
			sh.last = x.leave()
		}
	}
}

// merge merges a share.
func (s *passRun) merge(ctx context.Context, sh *passShare) error {
	s.count(sh)
	before := s.last
	s.last = nil
	if sh.barren || sh.visitors == nil && s.Among != nil { // what is skipped has not been searched
		sh.visitors = nil
		s.addBarren(sh.segments[0])
	} else {
		defer func() { s.barren = s.barren[:0] }()
	}
	if sh.visitors != nil {
		g := &sh.segments[0]
		if before != nil && (before.thread != g.thread || before.to != g.from) {
			before = nil
		}
		var err error
		switch misfit := g.from > 0 && (sh.first == nil && sh.err == nil || sh.first != nil && before != nil && !sh.first.equal(before, s.guided)); {
		case misfit:
			if s.guided { // it may still be visited
				close(sh.dropped)
				sh = &passShare{segments: sh.segments, visitors: make([]Visitor, len(s.Collect))}
			}
			err = s.again(ctx, sh, before, !s.exact)
		case s.guided:
			err = s.takeAll(ctx, sh)
		default:
			err = sh.err
		}
		if err == nil && sh.first != nil {
			if err := s.precede(ctx, sh); err != nil {
				return err
			}
		}
		for i, c := range s.Collect {
			if err := c.Merge(sh.visitors[i]); err != nil {
				return err
			}
		}
		if err != nil { // everything before is merged
			return err
		}
		if g := &sh.segments[len(sh.segments)-1]; g.to >= 0 {
			s.last = sh.last
		}
	}
	if s.Progress != nil {
		s.Progress(s.done, s.total)
	}
	return nil
}

func (r *walkReader) Pass(ctx context.Context, p Pass) error {
	if p.cut == (passCut{}) {
		p.cut = usualPassCut()
		if p.Share > 0 {
			p.cut.bytes = p.Share
		}
	}
	return r.insist(ctx, func() error {
		for _, c := range p.Collect {
			c.Reset()
		}
		run := &passRun{Pass: p, r: r, v: r.known.Load(), epoch: r.epoch.Load()}
		err := run.run(ctx)
		if errors.Is(err, ErrEnough) {
			return nil
		}
		if errors.Is(err, errStale) && r.known.Load() != run.v {
			// The view was replaced before anything was found to be wrong with it.
			return index.ErrContradiction
		}
		return r.doubt(err, run.v, run.epoch)
	})
}
