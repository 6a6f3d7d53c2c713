package walk

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
	"tracex/lazy/literal"
)

// passSteps is how many objects a goroutine visits before it lets others change the mappings
// and the context.
const passSteps = 1024

// takeSteps is the usual [PassCut.Take].
const takeSteps = 64 << 10

// PassRun is a running pass over one view.
type PassRun struct {
	Pass
	r           *Reader
	V           *index.View
	Epoch       int64
	done, total int64          // bytes
	order       *searchOrder   // in place of Ranges: a thread may be in several of them; nil if not used
	threads     []int32        // in place of Ranges: to be visited; nil if not used
	begin       *PassState     // of a single range, in place of what is around it in the trace; nil if not used
	texts       []literal.Text // of Among
	ends        bool           // of Among
	among       *literal.Any   // of texts
	barren      []Segment      // parts of a thread merged last, one after the other, that have nothing of Among
	dealt       chan *PassShare
	early       *PassShare // taken from dealt, and not merged yet; nil if there is none
	last        *PassState // where the part ended that was merged last; nil if it was a whole thread, or skipped
}

// PassShare is a run of segments that one goroutine visits: several whole threads, or a part
// of one.
type PassShare struct {
	Segments []Segment
	Visitors []Visitor // one for each collector; nil if skipped, or if barren
	Ready    chan struct{}
	told     bool          // ready is closed
	Out      chan any      // of a guided pass: products, closed at the end; nil otherwise
	Dropped  chan struct{} // of a guided pass: closed when they are no longer wanted

	// The fields below may be read once ready is closed; the last and the error of a guided pass, once out is.
	First, Last *PassState // of a part of a thread, before and after; nil if not known
	barren      bool       // its data has nothing of Among
	Err         error
}

// next returns the next share to merge, once it has been visited; nil if there is none.
func (s *PassRun) next(ctx context.Context) (*PassShare, error) {
	sh := s.early
	if s.early = nil; sh != nil {
		return sh, nil
	}
	sh, ok := <-s.dealt
	if !ok {
		return nil, ctx.Err()
	}
	select {
	case <-sh.Ready:
		return sh, nil
	case <-ctx.Done(): // perhaps no goroutine got the share
		return nil, ctx.Err()
	}
}

func (s *PassRun) newWalk(visitors []Visitor) *PassWalk {
	x := &PassWalk{version: s.r.Version(), folded: !s.Raw, visit: visitors, guided: s.guided, levels: s.levels}
	x.now.walk = x
	return x
}

// enter begins a segment.
func (s *PassRun) enter(x *PassWalk, g *Segment) error {
	x.to = g.To
	return s.r.Use(func() error {
		w, err := s.r.WalkerOn(s.V, g.Thread)
		if err != nil {
			return err
		}
		x.Walker, x.l = w, &ChildReader{Walker: w, Folded: x.folded, Lender: &x.lent}
		return nil
	})
}

// locked calls f while the mappings and the context stay as they are.
func (s *PassRun) locked(f func() error) error {
	return s.r.Use(func() error {
		if !s.r.Shows(s.V) {
			return trace.ErrStale
		}
		s.r.CtxMu.RLock()
		defer s.r.CtxMu.RUnlock()
		return f()
	})
}

// find finds the state before the first point at or after an offset.
func (s *PassRun) find(x *PassWalk, from int64, most int) (begin *PassState, err error) {
	err = s.locked(func() (err error) {
		begin, err = x.stateBefore(from, most)
		return err
	})
	return begin, err
}

// walk visits a segment from a state on, whose stack it takes. further, if not nil, is called now and then, with whether there
// is more to visit, and returns that. At the end of the segment it may move the end.
func (s *PassRun) walk(ctx context.Context, x *PassWalk, begin *PassState, from int64, further func(more bool) (bool, error)) (err error) {
	if err := s.locked(func() error { x.begin(begin, from); return nil }); err != nil {
		return err
	}
	defer func() {
		x.ahead.Stop()
		x.ahead = nil
		if endErr := s.locked(func() error { x.ended(); return x.err }); err == nil {
			err = endErr
		}
		if err != nil {
			x.stack.Reset()
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
		if further != nil {
			if more, err = further(more); err != nil {
				return err
			}
		}
		runtime.Gosched() // what a key asks for does not wait for passes on all processors
	}
	return nil
}

// count counts the bytes of a share as done.
func (s *PassRun) count(sh *PassShare) {
	for _, g := range sh.Segments {
		to := g.To
		if to < 0 {
			to = max(g.From, s.V.Size(g.Thread))
		}
		s.done += to - g.From
	}
}

// again visits a part of a thread from where the part before ended; if that is not known, from
// a state that may take long to find. If it may, it joins parts after this one with it.
func (s *PassRun) again(ctx context.Context, sh *PassShare, begin *PassState, mayJoin bool) error {
	for i, c := range s.Collect {
		sh.Visitors[i] = c.Visitor()
	}
	x, g := s.newWalk(sh.Visitors), sh.Segments[0]
	if s.guided {
		sh.Visitors[0].(handing).next(g.Thread)
		x.put = s.Collect[0].(taking).take
	}
	if err := s.enter(x, &g); err != nil {
		return err
	}
	if begin == nil {
		var err error
		if begin, err = s.find(x, g.From, int(min(g.From+2, 1<<40))); err != nil {
			return err
		}
	}
	// To begin takes time for each call around. So that this does not add up in a deep recursion, a part goes on as
	// long as the next one would begin as deep. If what is found cannot be taken meanwhile, it ends when it is longer than
	// the calls around it.
	depth, pos := begin.Stack.Len(), begin.Pos
	taken := mayJoin && len(s.barren) == 0 && s.takes()
	last := 0 // what had been visited when it was taken last
	further := func(more bool) (bool, error) {
		if taken && x.visited-last >= cmp.Or(s.cut.Take, takeSteps) {
			last = x.visited
			if err := s.take(x, sh, x.pos); err != nil {
				return false, err
			}
		}
		if more {
			return true, nil
		}
		if !mayJoin || !taken && x.visited > depth || g.To < 0 {
			return false, nil
		}
		next, err := s.next(ctx)
		if s.early = next; next == nil || err != nil || !next.follows(&g) {
			return false, nil
		}
		s.early = nil
		if s.count(next); s.Progress != nil {
			s.Progress(s.done, s.total)
		}
		g.To = next.Segments[0].To
		x.to = g.To
		return true, nil
	}
	err := s.walk(ctx, x, begin, g.From, further)
	if s.guided {
		err = cmp.Or(x.hand(), err)
	}
	if err != nil {
		return err
	}
	sh.Segments = []Segment{g}
	sh.First, sh.Last = &PassState{Pos: pos}, x.leave()
	return nil
}

// takes reports whether all collectors can take what their visitors have found while a part goes on.
func (s *PassRun) takes() bool {
	for _, c := range s.Collect {
		if c, ok := c.(Taker); !ok || !c.Takes() {
			return false
		}
	}
	return true
}

// take lets the collectors take what was found in a part up to an offset, from which it continues.
func (s *PassRun) take(x *PassWalk, sh *PassShare, upto int64) error {
	err := s.locked(func() error { x.ended(); return x.err })
	for i, c := range s.Collect {
		if err == nil {
			err = c.(Taker).Take(sh.Visitors[i])
		}
	}
	return cmp.Or(err, s.locked(func() error { x.resume(upto); return nil }))
}

// follows reports whether a share is the rest of a thread after a part, or a part of that, and has not been
// visited because its beginning is far away or because there is nothing to find.
func (sh *PassShare) follows(g *Segment) bool {
	n := &sh.Segments[0]
	return n.Thread == g.Thread && n.From == g.To && sh.Visitors != nil && sh.First == nil && sh.Err == nil
}

// errDropped ends the walk over a share that is no longer wanted.
var errDropped = errors.New("dropped")
