package query

import (
	"context"
	"fmt"

	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// In limits the scope to what a handle names and everything below it.
func (s *Scope) In(ctx context.Context, r *lazy.LazyTraceReader, h lazy.Handle) error {
	at, event, err := r.Find(ctx, h)
	if err != nil {
		return err
	}
	for _, have := range s.Ranges {
		if have.Thread != at.Thread {
			return fmt.Errorf("%s is in thread %d, not %d", h, int64(at.Thread)+1, int64(have.Thread)+1)
		}
	}
	if at.At < 0 {
		s.Ranges = []lazy.PassRange{{Thread: at.Thread, To: -1}}
		return nil
	}
	e, err := s.extent(ctx, r, at, event)
	if err == nil && !e.found && !e.leaf {
		if shown, ok := shownAs(ctx, r, s.Raw, at); ok {
			at = shown.Position
			e, err = s.extent(ctx, r, at, shown.Event)
		}
	}
	switch {
	case err != nil:
		return err
	case e.leaf:
		return fmt.Errorf("%s is no call, loop or iteration: nothing is below it", h)
	case !e.found:
		return fmt.Errorf("%s is %w", h, ErrHidden)
	}
	s.Ranges = []lazy.PassRange{{Thread: at.Thread, From: at.At, To: e.to}}
	return nil
}

// extent finds the end of the container that is shown at a position.
func (s *Scope) extent(ctx context.Context, r *lazy.LazyTraceReader, at lazy.Position, event int32) (e extent, err error) {
	e, _, err = readOne(ctx, r, &Scope{Raw: s.Raw}, at, func(p *lazy.PassPoint) (extent, bool, error) {
		if p.Event != event || !p.Class.Container() {
			return extent{leaf: true}, p.Event == event, nil
		}
		_, to, err := p.Content()
		return extent{found: true, to: to + 1}, true, err // beyond the end of the thread if it never ended
	})
	return e, err
}

// extent is what is known of what a handle names.
type extent struct {
	found, leaf bool
	to          int64 // logical offset in its footer, or after the end of the thread
}

// shownAs returns what the folded view shows for the point recorded at a position: what folding puts in place of a call
// is visited by passes where that call is. ok is false if it shows nothing for it, or raw is set.
func shownAs(ctx context.Context, r *lazy.LazyTraceReader, raw bool, at lazy.Position) (shown HistoryPoint, ok bool) {
	if raw {
		return shown, false
	}
	_, event, err := r.Find(ctx, lazy.PositionHandle(at))
	if err != nil {
		return shown, false
	}
	n, err := r.Tree(true).Reveal(ctx, at)
	if err != nil || n.IsThread() || n.Position() != at && n.ShowsEvent(event, at) != nil {
		return shown, false
	}
	return pointOf(n), true
}

// Where limits what an answer counts to what a filter matches: see the answers. It may read the trace;
// ctx ends that. The error is a [filter.Error] if the filter does not fit the trace. in(…), has(…) and
// depth are about the tree that the steps of the scope leave, so they must be there before.
func (s *Scope) Where(ctx context.Context, r *lazy.LazyTraceReader, e *filter.Expr) error {
	if s.Titled(e); s.where == nil {
		return nil
	}
	f, err := bound(r, e)
	if err == nil {
		s.condition, err = prepare(ctx, r, f, s.Over)
	}
	return err
}
