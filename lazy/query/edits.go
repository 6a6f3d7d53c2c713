package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// Edit adds steps to the scope: its pass then visits the edited tree. The values of a call remain
// those recorded, its duration too; in(…), has(…) and depth in the filter of a step are about the tree
// that the steps before it left. It may read the trace; ctx ends that. The error is a [StepError].
func (s *Scope) Edit(ctx context.Context, r *lazy.LazyTraceReader, steps Steps) error {
	if len(steps) == 0 {
		return nil
	}
	x := &edits{}
	s.edits = x
	for list := withoutRanges(steps); len(list) > 0; {
		n, err := s.edit(ctx, r, x, list)
		if err != nil {
			return err
		}
		list = list[n:]
	}
	x.steps = steps
	return s.ranged(ctx, r, steps) // after a focus has narrowed the scope
}

// edit prepares the first of steps, with those after it that it can be one edit with. It returns how
// many.
func (s *Scope) edit(ctx context.Context, r *lazy.LazyTraceReader, x *edits, steps Steps) (n int, err error) {
	step := steps[0]
	f, err := step.bind(r)
	if err != nil {
		return 0, err
	}
	if step.Kind == Recursion && len(x.paths) < mostEdits {
		x.paths = append(x.paths, f)
		return 1, nil
	}
	if step.Kind == Recursion || len(x.list) == mostEdits {
		return 0, &StepError{step, fmt.Errorf("more than %d steps that cannot be taken together", mostEdits)}
	}
	e := edit{kind: step.edits()}
	n = 1
	switch {
	case step.among != nil:
		if e.among = step.among; len(x.list) == 0 {
			s.amid(e.among)
		}
	case step.place != nil:
		if e.place, err = s.narrow(ctx, r, step, len(x.list) == 0); err != nil {
			return 0, &StepError{step, err}
		}
	case step.merges(f):
		text := step.mergeText()
		for ; n < len(steps); n++ {
			next := steps[n]
			g, err := next.bind(r)
			if err != nil {
				return 0, err
			}
			if next.edits() != step.edits() || !next.merges(g) {
				break
			}
			text += " or " + next.mergeText()
		}
		all, err := filter.Parse(text)
		if err == nil {
			f, err = bound(r, all)
		}
		if err != nil {
			return 0, &StepError{step, err}
		}
	}
	if f != nil {
		if e.about, err = prepare(ctx, r, f, s.Over); err != nil {
			return 0, &StepError{step, err}
		}
	}
	x.list = append(x.list, e)
	return n, nil
}

// Check returns the error of a step that does not fit the trace. It reads no data.
func (s Step) Check(r *lazy.LazyTraceReader) error {
	if s.over != nil {
		return s.over.fits(r)
	}
	_, err := s.bind(r)
	return err
}

// bind resolves the names of the step's filter; nil if it is about a place.
func (s Step) bind(r *lazy.LazyTraceReader) (*filter.Filter, error) {
	if s.about == nil {
		return nil, nil
	}
	f, err := bound(r, s.about) // so that an error is about the text as it was typed
	if err == nil {
		f, err = bound(r, s.filter())
	}
	var none *filter.Error
	if s.method && errors.As(err, &none) {
		err = &NoMethodError{s.Text, none.Near}
	}
	if err != nil {
		return nil, &StepError{s, err}
	}
	return f, nil
}

// edits returns what kind of edit the step is. An Only that names kinds merges the points that it does not name.
func (s Step) edits() StepKind {
	if s.Kind == Only && s.about != nil && s.about.NamesKinds() {
		return Merge
	}
	return s.Kind
}

// filter returns the filter of what the edit of the step is about.
func (s Step) filter() *filter.Expr {
	e := s.about
	if s.Kind == Only {
		e = e.Not()
	}
	if s.about.NamesKinds() {
		return e
	}
	return filter.And(callsFilter, e)
}

// merges reports whether the step, with its filter, can be one edit with others that merge: whether the
// filter is only about points themselves.
func (s Step) merges(f *filter.Filter) bool {
	if s.Kind != Merge && s.Kind != Only || f == nil || f.Needs().Depth {
		return false
	}
	in, has := f.Subs()
	return len(in) == 0 && len(has) == 0
}

// mergeText returns the filter of what the step merges, as a part of another.
func (s Step) mergeText() string { return "(" + s.filter().String() + ")" }

// narrow finds the place that a step is about. If it is the first one and focuses, the scope is
// narrowed to it.
func (s *Scope) narrow(ctx context.Context, r *lazy.LazyTraceReader, step Step, first bool) (lazy.Position, error) {
	at, _, err := r.Find(ctx, *step.place)
	if err != nil {
		return at, err
	}
	if at.At < 0 {
		return at, fmt.Errorf("%s is a thread, not a call", step.place)
	}
	if step.Kind == Only {
		n, err := r.Tree(false).Reveal(ctx, at)
		if err != nil {
			return at, err
		}
		if p := n.Point(); p != nil && p.Class != format.ClassCall {
			return at, fmt.Errorf("%s is a %s, and only leaves calls: focus %s leaves it with all below it", step.place, p.Class, step.place)
		}
	}
	alone := Scope{Raw: s.Raw}
	if err := alone.In(ctx, r, *step.place); err != nil {
		return at, err
	}
	whole := s.Ranges == nil
	for _, have := range s.Ranges {
		whole = whole || have == lazy.PassRange{Thread: at.Thread, To: -1}
	}
	if whole && first && step.Kind == Focus {
		s.Ranges = alone.Ranges
	}
	return at, nil
}

// FocusOn returns a Focus on the points of a set, which what calls: "12 matches". The outermost of them
// become roots; a point there that is no call, loop or iteration is left as well, where no root is around it.
// The set must have ended. Its places are those of the view that the scope is of.
//
// The step cannot be read again: its text is for people.
func FocusOn(what string, set *places.Set) Step {
	return Step{Kind: Focus, Text: what, among: set}
}

// amid narrows a scope of all threads to those that have places, from the first one on.
func (s *Scope) amid(set *places.Set) {
	if s.Ranges != nil {
		return
	}
	s.Ranges = []lazy.PassRange{} // nil would be all threads
	for next := int32(0); ; next++ {
		id, ok := set.NextThread(next)
		if !ok {
			return
		}
		if from, ok := set.First(id, 0, math.MaxInt64); ok {
			s.Ranges = append(s.Ranges, lazy.PassRange{Thread: id, From: from, To: -1})
		}
		next = id
	}
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

// ranged takes the Range steps out of steps, and limits the scope to them.
func (s *Scope) ranged(ctx context.Context, r *lazy.LazyTraceReader, steps Steps) error {
	for _, step := range steps {
		if step.over == nil {
			continue
		}
		if err := s.within(ctx, r, *step.over); err != nil {
			return &StepError{step, err}
		}
	}
	return nil
}

// withoutRanges returns the steps that are no Range.
func withoutRanges(steps Steps) Steps {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.over != nil })
}

// within limits the scope to a span.
func (s *Scope) within(ctx context.Context, r *lazy.LazyTraceReader, p axisRange) error {
	if err := p.fits(r); err != nil {
		return err
	}
	if p.timed {
		if !s.Timed {
			s.Timed, s.From, s.To = true, 0, math.MaxInt64
		}
		s.From, s.To = max(s.From, p.from), min(s.To, p.to)
		s.To = max(s.From, s.To)
		return nil
	}
	parts, err := eventRanges(ctx, r, p)
	if err != nil {
		return err
	}
	if s.Ranges != nil {
		parts = intersect(parts, s.Ranges)
	}
	s.Ranges = parts
	return nil
}
