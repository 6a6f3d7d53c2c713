package flame

import (
	"context"
	"errors"
	"math"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
)

// ReadRange reads a range that was typed.
func (f *Flame) ReadRange(args string) (step query.Step, err error) {
	if step, err = query.ParseStep(query.Range, args); err == nil {
		err = step.Check(f.env.Trace.Reader)
	}
	return step, err
}

// Run sets a range that was typed.
func (f *Flame) Run(args string) tea.Cmd {
	step, _ := query.ParseStep(query.Range, args)
	if timed, from, to, ok := step.Span(); ok {
		f.limit(timed, from, to)
	}
	return nil
}

// ranged returns the index of the range among the steps; -1 if there is none.
func (f *Flame) ranged() int {
	for i, s := range f.steps.List {
		if _, _, _, ok := s.Span(); ok {
			return i
		}
	}
	return -1
}

// ends returns the range in force on the axis; all of it without one.
func (f *Flame) ends() (from, to int64) {
	if i := f.ranged(); i >= 0 {
		_, from, to, _ = f.steps.List[i].Span()
		return from, to
	}
	return 0, math.MaxInt64
}

// limit sets the range.
func (f *Flame) limit(timed bool, from, to int64) {
	step := query.RangeStep(timed, from, to)
	if i := f.ranged(); i >= 0 {
		f.steps.Replace(i, step)
		return
	}
	f.steps.Add(step)
}

// begin sets the begin of the range. An end that is not after it goes.
func (f *Flame) begin(timed bool, at int64) {
	_, to := f.ends()
	if to <= at {
		to = math.MaxInt64
	}
	f.limit(timed, at, to)
}

// end sets the end of the range. A begin that is not before it goes.
func (f *Flame) end(timed bool, at int64) {
	from, _ := f.ends()
	if from >= at {
		from = 0
	}
	f.limit(timed, from, at)
}

// Here sets the begin or the end of the range at the cursor's row.
func (f *Flame) Here(begin bool) tea.Cmd {
	n := f.tree.Out.Cursor.Node
	if n == nil {
		return f.env.Say("the row is not loaded: it has no place in the recording")
	}
	r, raw := f.env.Trace.Reader, !f.tree.Out.Tree.Folded()
	return new(env.Task).Run(f.env, func(ctx context.Context) func() tea.Cmd {
		timed, from, to, err := lazy.AxisOf(ctx, r, n, raw)
		return env.Done(func() {
			switch {
			case errors.Is(err, lazy.ErrNoTimes):
				f.env.Say("nothing is known about when this happened")
			case err != nil:
				f.env.Fail("the range is not set", err)
			case begin:
				f.begin(timed, from)
			default:
				f.end(timed, to)
			}
		})
	})
}

// Back ends the filter of the tree; without one, a range, and without that the last step.
func (f *Flame) Back() tea.Cmd {
	if f.filter.Cur != nil || len(f.steps.List) == 0 {
		return f.filter.Back()
	}
	if i := f.ranged(); i >= 0 {
		f.steps.Remove(i)
		return nil
	}
	return f.steps.Undo()
}
