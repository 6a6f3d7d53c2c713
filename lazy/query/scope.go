package query

import (
	"context"
	"fmt"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// Scope is the part of a trace that a question is about. The zero Scope is all that the folded
// view shows.
type Scope struct {
	// Raw takes the points as recorded, otherwise as the folded view shows them.
	Raw bool
	// Ranges are parts of threads; nil for all threads. Containers that begin before the From of
	// their thread's range do not belong to the scope.
	Ranges []lazy.PassRange
	// From and To bound the time, in nanoseconds since [lazy.LazyTraceReader.Times], if Timed is set.
	Timed    bool
	From, To int64

	edits *edits // nil without steps

	where     *filter.Expr // nil if all counts
	condition *condition   // of where, once it is prepared
}

// ScopeOf returns the scope of what a handle names and everything below it, or of the whole trace if that is nil: the tree
// that steps leave, and of that only what a filter matches, if that is not nil. See In, Edit and Where for errors.
func ScopeOf(ctx context.Context, r *lazy.LazyTraceReader, raw bool, below *lazy.Handle, steps Steps, where *filter.Expr) (s Scope, err error) {
	if s.Raw = raw; below != nil {
		err = s.In(ctx, r, *below)
	}
	if err == nil {
		err = s.Edit(ctx, r, steps)
	}
	if err == nil {
		err = s.Where(ctx, r, where)
	}
	return s, err
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

// Titled is Where for the title of an answer only: the scope is not good for a pass.
func (s *Scope) Titled(e *filter.Expr) {
	if s.where, s.condition = e, nil; e != nil && e.Empty() {
		s.where = nil
	}
}

// matcher returns what evaluates the filter for a visitor; nil if all counts.
func (s *Scope) matcher() *matcher {
	switch {
	case s.where == nil:
		return nil
	case s.condition == nil:
		panic("a pass over a scope whose filter is not prepared")
	}
	return s.condition.matcher()
}

// with returns a filter of an answer together with that of the scope; nil if all counts. e may be nil.
func (s *Scope) with(e *filter.Expr) *filter.Expr {
	switch {
	case s.where == nil:
		return e
	case e == nil:
		return s.where
	}
	return filter.And(e, s.where)
}

// about returns what the title of an answer tells of the filter; "" without one.
func (s *Scope) about(g *display.Glyphs) string {
	if s.where == nil {
		return ""
	}
	return " " + g.Dot + " where " + s.where.String()
}

// Pass returns a pass over the scope, to be completed with collectors. It does not know the steps:
// see Over.
func (s *Scope) Pass() lazy.Pass { return lazy.Pass{Raw: s.Raw, Ranges: s.Ranges} }

// Begins returns where the scope begins in a thread: a logical offset. What begins before does not
// belong to it.
func (s *Scope) Begins(thread int32) int64 {
	for _, r := range s.Ranges {
		if r.Thread == thread {
			return r.From
		}
	}
	return 0
}

// clip returns the part of a time that is within the scope; ok is false if there is none. counted
// reports whether it begins there.
func (s *Scope) clip(t lazy.Time) (clipped lazy.Time, counted, ok bool) {
	if !s.Timed {
		return t, true, true
	}
	from, to := max(t.Start, s.From), min(t.End(), s.To)
	counted = t.Start >= s.From && t.Start < s.To
	if from > to || from == to && !counted {
		return lazy.Time{}, false, false
	}
	return lazy.Time{Start: from, Duration: to - from}, counted, true
}

// begun reports whether a container begins in the time of the scope.
func (s *Scope) begun(p *lazy.PassPoint) bool {
	if !s.Timed {
		return true
	}
	t, ok := p.Time()
	return ok && s.holds(t.Start)
}

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

// extent is what is known of what a handle names.
type extent struct {
	found, leaf bool
	to          int64 // logical offset in its footer, or after the end of the thread
}
