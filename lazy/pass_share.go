package lazy

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"tracex/lazy/internal/index"
	"tracex/lazy/literal"
)

// passSteps is how many objects a goroutine visits before it lets others change the mappings
// and the context.
const passSteps = 1024

// passRun is a running pass over one view.
type passRun struct {
	Pass
	r           *walkReader
	v           *index.View
	epoch       int64
	done, total int64        // bytes
	order       *searchOrder // in place of Ranges: a thread may be in several of them; nil if not used
	threads     []int32      // in place of Ranges: to be visited; nil if not used
	begin       *passState   // of a single range, in place of what is around it in the trace; nil if not used
	among       *literal.Any // of Among
	barren      []segment    // parts of a thread merged last, one after the other, that have nothing of Among
	dealt       chan *passShare
	early       *passShare // taken from dealt, and not merged yet; nil if there is none
	last        *passState // where the part ended that was merged last; nil if it was a whole thread, or skipped
}

// passShare is a run of segments that one goroutine visits: several whole threads, or a part
// of one.
type passShare struct {
	segments []segment
	visitors []Visitor // one for each collector; nil if skipped, or if barren
	ready    chan struct{}
	told     bool          // ready is closed
	out      chan any      // of a guided pass: products, closed at the end; nil otherwise
	dropped  chan struct{} // of a guided pass: closed when they are no longer wanted

	// The fields below may be read once ready is closed; the last and the error of a guided pass, once out is.
	first, last *passState // of a part of a thread, before and after; nil if not known
	barren      bool       // its data has nothing of Among
	err         error
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

func (s *passRun) newWalk(visitors []Visitor) *passWalk {
	x := &passWalk{version: s.r.version(), folded: !s.Raw, visit: visitors, guided: s.guided}
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
		x.ahead.Stop()
		x.ahead = nil
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
		if x.guided {
			if s.reached(x, from); x.full {
				if err := x.hand(); err != nil {
					return err
				}
			}
		}
		if !more && further != nil {
			more = further()
		}
		runtime.Gosched() // what a key asks for does not wait for passes on all processors
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
	if s.guided {
		sh.visitors[0].(handing).next(g.thread)
		x.put = s.Collect[0].(taking).take
	}
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
	err := s.walk(ctx, x, begin, g.from, further)
	if s.guided {
		err = cmp.Or(x.hand(), err)
	}
	if err != nil {
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

// errDropped ends the walk over a share that is no longer wanted.
var errDropped = errors.New("dropped")
