package lazy

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/literal"
)

// passSteps is how many objects a goroutine visits before it lets others change the mappings
// and the context.
const passSteps = 1024

// passRun is a running pass over one view.
type passRun struct {
	Pass
	r           *LazyTraceReader
	v           *index.View
	epoch       int64
	done, total int64        // bytes
	order       *searchOrder // in place of Ranges: a thread may be in several of them; nil if not used
	among       *literal.Any // of Among
	barren      []segment    // parts of a thread merged last, one after the other, that have nothing of Among
	dealt       chan *passShare
	early       *passShare // taken from dealt, and not merged yet; nil if there is none
	last        *passState // where the part ended that was merged last; nil if it was a whole thread, or skipped
}

// segmentVisitor is a Visitor that is told about segments too, with mappings and context locked.
type segmentVisitor interface {
	begins(thread int32, from int64) // after Begin
	ended(x *passWalk)               // also after an error, where it ended
}

// passShare is a run of segments that one goroutine visits: several whole threads, or a part
// of one.
type passShare struct {
	segments []segment
	visitors []Visitor // one for each collector; nil if skipped, or if barren
	ready    chan struct{}

	// The fields below may be read once ready is closed.
	first, last *passState // of a part of a thread, before and after; nil if not known
	barren      bool       // its data has nothing of Among
	err         error
}

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
				close(sh.ready)
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

// next returns the next share to merge, once it has been visited; nil if there is none.
func (s *passRun) next(ctx context.Context) (*passShare, error) {
	sh := s.early
	if s.early = nil; sh != nil {
		return sh, nil
	}
	sh, ok := <-s.dealt
	if !ok {
		return nil, ctx.Err()
	}
	select {
	case <-sh.ready:
		return sh, nil
	case <-ctx.Done(): // perhaps no goroutine got the share
		return nil, ctx.Err()
	}
}

// shares returns the shares of the pass, and adds up their bytes.
func (s *passRun) shares() iter.Seq[[]segment] {
	if s.order != nil {
		s.total = s.order.total
		return s.order.shares(s.v, s.cut.bytes)
	}
	if s.Ranges == nil {
		threads := make([]int32, len(s.v.Streams))
		for i, st := range s.v.Streams {
			threads[i] = st.Thread
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
			close(sh.ready)
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
	for i := range sh.segments {
		g := &sh.segments[i]
		if sh.err = s.enter(x, g); sh.err != nil {
			return
		}
		begin := new(passState)
		if g.from > 0 {
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
		if sh.err = s.walk(ctx, x, begin, g.from, nil); sh.err != nil {
			return
		}
		if g.part() {
			sh.last = x.leave()
		}
	}
}

func (s *passRun) newWalk(visitors []Visitor) *passWalk {
	x := &passWalk{version: s.r.version(), folded: !s.Raw, visit: visitors}
	x.now.walk = x
	return x
}

// enter begins a segment.
func (s *passRun) enter(x *passWalk, g *segment) error {
	x.to = g.to
	return s.r.use(func() error {
		w, err := s.r.walkerOn(s.v, g.thread)
		if err != nil {
			return err
		}
		x.walker, x.l = w, &childReader{walker: w, folded: x.folded, lender: &x.lent}
		return nil
	})
}

// locked calls f while the mappings and the context stay as they are.
func (s *passRun) locked(f func() error) error {
	return s.r.use(func() error {
		if !s.r.shows(s.v) {
			return errStale
		}
		s.r.ctxMu.RLock()
		defer s.r.ctxMu.RUnlock()
		return f()
	})
}

// find finds the state before the first point at or after an offset.
func (s *passRun) find(x *passWalk, from int64, most int) (begin *passState, err error) {
	err = s.locked(func() (err error) {
		begin, err = x.stateBefore(from, most)
		return err
	})
	return begin, err
}

// walk visits a segment from a state on. At its end further, if not nil, may move the end; it reports
// whether it did.
func (s *passRun) walk(ctx context.Context, x *passWalk, begin *passState, from int64, further func() bool) (err error) {
	if err := s.locked(func() error { x.begin(begin, from); return nil }); err != nil {
		return err
	}
	defer func() {
		if endErr := s.locked(func() error { x.ended(); return nil }); err == nil {
			err = endErr
		}
	}()
	for more := true; more; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.locked(func() (err error) { more, err = x.steps(passSteps); return err }); err != nil {
			return err
		}
		if !more && further != nil {
			more = further()
		}
		runtime.Gosched() // what a key asks for does not wait for passes on all processors
	}
	return nil
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
		err := sh.err
		if g.from > 0 && (sh.first == nil && err == nil || sh.first != nil && before != nil && !sh.first.equal(before)) {
			err = s.again(ctx, sh, before, !s.exact)
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

// count counts the bytes of a share as done.
func (s *passRun) count(sh *passShare) {
	for _, g := range sh.segments {
		if st := s.v.Stream(g.thread); st != nil {
			to := g.to
			if to < 0 {
				to = st.Size
			}
			s.done += to - g.from
		}
	}
}

// again visits a part of a thread from where the part before ended; if that is not known, from
// a state that may take long to find. If it may, it joins parts after this one with it.
func (s *passRun) again(ctx context.Context, sh *passShare, begin *passState, mayJoin bool) error {
	for i, c := range s.Collect {
		sh.visitors[i] = c.Visitor()
	}
	x, g := s.newWalk(sh.visitors), sh.segments[0]
	if err := s.enter(x, &g); err != nil {
		return err
	}
	if begin == nil {
		var err error
		if begin, err = s.find(x, g.from, int(min(g.from+2, 1<<40))); err != nil {
			return err
		}
	}
	// To begin takes time for each call around. So that this does not add up in a deep recursion, no part
	// is shorter than the calls around it, if the next one would begin as deep.
	depth := len(begin.stack)
	further := func() bool {
		if !mayJoin || x.visited > depth || g.to < 0 {
			return false
		}
		next, err := s.next(ctx)
		if s.early = next; next == nil || err != nil || !next.follows(&g) {
			return false
		}
		s.early = nil
		if s.count(next); s.Progress != nil {
			s.Progress(s.done, s.total)
		}
		g.to = next.segments[0].to
		x.to = g.to
		return true
	}
	x.stack = begin.stack // which is not needed any more
	if err := s.walk(ctx, x, begin, g.from, further); err != nil {
		return err
	}
	sh.segments = []segment{g}
	sh.first, sh.last = &passState{pos: begin.pos}, x.leave()
	return nil
}

// follows reports whether a share is the rest of a thread after a part, or a part of that, and has not been
// visited because its beginning is far away or because there is nothing to find.
func (sh *passShare) follows(g *segment) bool {
	n := &sh.segments[0]
	return n.thread == g.thread && n.from == g.to && sh.visitors != nil && sh.first == nil && sh.err == nil
}
