package walk

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/trace"
	"tracex/lazy/literal"
)

func (s *PassRun) run(ctx context.Context) error {
	if !s.unawaited {
		s.r.Summary.Passes.Begin()
		defer s.r.Summary.Passes.End()
	}
	if s.Among != nil {
		s.texts, s.ends = s.Among()
	}
	s.among = literal.AnyOf(s.texts)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	todo := make(chan *PassShare)
	s.dealt = make(chan *PassShare, 2*s.cut.Width)
	shares := s.Shares()
	group.Go(func() { s.deal(ctx, shares, s.dealt, todo) })
	for range s.cut.Width {
		group.Go(func() {
			for sh := range todo {
				s.Visit(ctx, sh)
				sh.tell()
			}
		})
	}
	for {
		sh, err := s.next(ctx)
		if sh == nil || err != nil {
			return err
		}
		if err := s.Merge(ctx, sh); err != nil {
			return err
		}
	}
}

// Shares returns the shares of the pass, and adds up their bytes.
func (s *PassRun) Shares() iter.Seq[[]Segment] {
	if s.order != nil {
		s.total = s.order.total
		return s.order.shares(s.V, s.cut.Bytes)
	}
	if s.Ranges == nil {
		for i := range s.V.Streams.Len() {
			s.total += s.V.Streams.Size(i)
		}
		if s.threads == nil {
			return sharesOf(s.V, s.V.Streams.Len(), s.V.Streams.Thread, s.cut.Bytes)
		}
		return sharesOf(s.V, len(s.threads), func(i int) int32 { return s.threads[i] }, s.cut.Bytes)
	}
	for _, g := range s.Ranges {
		from, to := g.within(s.V)
		s.total += max(0, to-from)
	}
	return func(yield func([]Segment) bool) {
		for _, g := range s.Ranges {
			size := s.V.Size(g.Thread)
			for from, to := g.within(s.V); from < to; {
				part := Segment{Thread: g.Thread, From: from, To: min(from+s.cut.Bytes, to)}
				if from = part.To; from == size {
					part.To = -1
				}
				if !yield([]Segment{part}) {
					return
				}
			}
		}
	}
}

// within returns the logical offsets of a range in what is known of its thread.
func (g *PassRange) within(v *index.View) (from, to int64) {
	size := v.Size(g.Thread)
	if from, to = max(g.From, 0), g.To; to < 0 || to >= size {
		to = size
	}
	return from, to
}

// deal hands out shares.
func (s *PassRun) deal(ctx context.Context, shares iter.Seq[[]Segment], order, todo chan<- *PassShare) {
	defer close(order)
	defer close(todo)
	var ahead *mapped.Ahead
	thread, last := int32(-1), int64(0)
	defer func() { ahead.Stop() }()
	for segments := range shares {
		g := segments[0]
		sh := &PassShare{Segments: segments, Ready: make(chan struct{})}
		if s.skips(segments) {
			sh.tell()
			select {
			case order <- sh:
				continue
			case <-ctx.Done():
				return
			}
		}
		if s.Skip == nil && s.levels == 0 && g.part() && s.V.Size(g.Thread) > 0 && s.total > mapped.LoadSize {
			if thread != g.Thread || g.From < last {
				ahead.Stop()
				stream := s.V.Stream(g.Thread)
				ahead, thread = s.r.StreamAhead(s.V, stream, g.From, stream.Size), g.Thread
			}
			ahead.Reached(g.From)
			last = g.From
		}
		for _, c := range s.Collect {
			sh.Visitors = append(sh.Visitors, c.Visitor())
		}
		if s.guided {
			sh.Out, sh.Dropped = make(chan any, shareProducts), make(chan struct{})
		}
		for _, to := range []chan<- *PassShare{order, todo} {
			select {
			case to <- sh:
			case <-ctx.Done():
				return
			}
		}
	}
}

// skips reports whether a share need not be read.
func (s *PassRun) skips(share []Segment) bool {
	if s.Skip == nil {
		return false
	}
	for i := range share {
		if g := &share[i]; !s.Skip(PassRange{g.Thread, g.From, g.To}) {
			return false
		}
	}
	return true
}

// Visit visits a share. A part of a thread whose beginning is not found at once is left to
// merge.
func (s *PassRun) Visit(ctx context.Context, sh *PassShare) {
	if sh.barren, sh.Err = s.isBarren(ctx, sh); sh.barren || sh.Err != nil {
		return
	}
	x := s.newWalk(sh.Visitors)
	if s.guided {
		x.put = sh.puts(ctx)
		defer func() {
			sh.Err = cmp.Or(x.hand(), sh.Err)
			close(sh.Out)
		}()
	}
	for i := range sh.Segments {
		g := &sh.Segments[i]
		if s.guided && !sh.Visitors[0].(handing).next(g.Thread) {
			sh.Err = ErrEnough
			return
		}
		if sh.Err = s.enter(x, g); sh.Err != nil {
			return
		}
		begin := s.begin
		if begin == nil {
			begin = new(PassState)
		}
		if s.begin == nil && g.From > 0 {
			var err error
			if begin, err = s.find(x, g.From, s.cut.Approach); err != nil {
				if !errors.Is(err, errFar) && s.levels == 0 { // what is too deep may be damaged
					sh.Err = err
				}
				return
			}
		}
		if g.part() {
			sh.First = begin
		}
		if s.guided {
			sh.tell()
		}
		if s.begin != nil || g.part() {
			begin = begin.copied()
		}
		if sh.Err = s.walk(ctx, x, begin, g.From, nil); sh.Err != nil {
			return
		}
		if g.part() {
			sh.Last = x.leave()
		}
	}
}

// Merge merges a share.
func (s *PassRun) Merge(ctx context.Context, sh *PassShare) error {
	s.count(sh)
	before := s.last
	s.last = nil
	if !s.ends && (sh.barren || sh.Visitors == nil && s.texts != nil) { // what is skipped has not been searched
		sh.Visitors = nil
		s.addBarren(sh.Segments[0])
	} else {
		defer func() { s.barren = s.barren[:0] }()
	}
	if sh.Visitors != nil {
		g := &sh.Segments[0]
		if before != nil && (before.thread != g.Thread || before.to != g.From) {
			before = nil
		}
		var err error
		switch misfit := g.From > 0 && !sh.barren && (sh.First == nil && sh.Err == nil || sh.First != nil && before != nil && !sh.First.Equal(before, s.guided)); {
		case misfit:
			if s.guided { // it may still be visited
				close(sh.Dropped)
				sh = &PassShare{Segments: sh.Segments, Visitors: make([]Visitor, len(s.Collect))}
			}
			err = s.again(ctx, sh, before, !s.exact)
		case s.guided:
			if err = s.takeAll(ctx, sh); err != nil { // its visitor may still be in use
				return err
			}
		default:
			err = sh.Err
		}
		if err == nil && sh.First != nil {
			if err := s.precede(ctx, sh); err != nil {
				return err
			}
		}
		for i, c := range s.Collect {
			if err := c.Merge(sh.Visitors[i]); err != nil {
				return err
			}
		}
		if err != nil { // everything before is merged
			return err
		}
		if g := &sh.Segments[len(sh.Segments)-1]; g.To >= 0 {
			s.last = sh.Last
		}
	}
	if s.Progress != nil {
		s.Progress(s.done, s.total)
	}
	return nil
}

func (r *Reader) Pass(ctx context.Context, p Pass) error {
	if p.cut == (PassCut{}) {
		p.cut = UsualPassCut()
		if p.Share > 0 {
			p.cut.Bytes = p.Share
		}
	}
	if p.On != nil {
		return r.passOn(ctx, p, *p.On)
	}
	return r.Insist(ctx, func() error {
		on := Known{r.Known.Load(), r.Epoch.Load()}
		err := r.passOn(ctx, p, on)
		if errors.Is(err, trace.ErrStale) && r.Known.Load() != on.View {
			// The view was replaced before anything was found to be wrong with it.
			return index.ErrContradiction
		}
		return err
	})
}

// passOn runs a pass once.
func (r *Reader) passOn(ctx context.Context, p Pass, on Known) error {
	for _, c := range p.Collect {
		c.Reset()
	}
	run := &PassRun{Pass: p, r: r, V: on.View, Epoch: on.Epoch}
	err := run.run(ctx)
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return r.Doubt(err, on.View, on.Epoch)
}
