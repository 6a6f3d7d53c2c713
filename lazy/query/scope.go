package query

import (
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

// holds reports whether a moment is in the time of the scope.
func (s *Scope) holds(at int64) bool { return !s.Timed || at >= s.From && at < s.To }

// Steps returns the steps of the scope.
func (s *Scope) Steps() Steps {
	if s.edits == nil {
		return nil
	}
	return s.edits.steps
}

// Edited reports whether a call may have lost its place in the tree: whether the scope has steps of
// other kinds than Recursion.
func (s *Scope) Edited() bool { return s.edits != nil && len(s.edits.list) > 0 }

// recursions returns the methods whose recursion paths do not show.
func (s *Scope) recursions() []*filter.Filter {
	if s.edits == nil {
		return nil
	}
	return s.edits.paths
}
