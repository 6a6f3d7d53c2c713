package ui

import (
	"errors"
	"math"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/command"
	"tracex/ui/internal/env"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// flaming is the strip over the tree and the flame of a thread, and the range that they set for the
// other answers.
type flaming struct {
	*flame.Part
	env     *env.Env
	trace   *tracestate.State
	tree    *tree.Part
	jobs    *job.Part
	front   *front.Front
	steps   *stepping
	results *results
	filter  *filtering
	search  *searching
	marks   *marking
	top     func() tea.Cmd // the answer top
}

func (f *flaming) commands() []command.Command {
	return []command.Command{{
		Name: "flame", Group: groupAnswer, Help: "a strip of the thread's time over the tree; again: its flame; again: neither",
		Run: func(string) tea.Cmd { return f.next() },
	}, {
		Name: "range", Group: groupAnswer, Args: "FROM..TO", Help: "only a part of the recording: 1.2s..1.3s; without times #100..#2000",
		Check: func(args string) error {
			step, err := query.ParseStep(query.Range, args)
			if err == nil {
				err = step.Check(f.trace.Reader)
			}
			return err
		},
		Run: func(args string) tea.Cmd {
			if step, err := query.ParseStep(query.Range, args); err == nil {
				f.limit(step.Span())
			}
			return nil
		},
	}, {
		Name: "range-begin", Group: groupAnswer, Help: "the range of all answers begins at the row", Run: func(string) tea.Cmd { return f.here(true) },
	}, {
		Name: "range-end", Group: groupAnswer, Help: "the range of all answers ends with the row", Run: func(string) tea.Cmd { return f.here(false) },
	}}
}

// next shows the strip, then the flame, then neither.
func (f *flaming) next() tea.Cmd {
	switch {
	case !f.On:
		f.On = true
	default:
		facts := f.facts()
		for n := f.tree.Out.Cursor.Node; n != nil && !n.IsThread(); n = n.Parent() {
			facts.Path = append(facts.Path, n.Point().Event)
		}
		f.front.Show(f.Open(facts, f), nil)
	}
	return nil
}

// opened reports whether the flame is in front.
func (f *flaming) opened() bool {
	_, ok := f.front.List().(*flame.Screen)
	return ok
}

// settle looks for what is shown.
func (f *flaming) settle(height int) tea.Cmd {
	if !f.On && !f.opened() {
		return nil
	}
	return f.Settle(f.facts(), f.opened(), height)
}

// facts returns what the strip and the flame need to know.
func (f *flaming) facts() flame.Facts {
	o := f.tree.Out
	facts := flame.Facts{Raw: !o.Tree.Folded(), Generation: f.trace.Known.Generation, Match: f.match(), Note: f.note()}
	if at, ok := o.Here(); ok {
		facts.Thread, facts.At = at.Thread, max(at.At, 0)
	} else if n := o.Cursor.Parent; n != nil {
		facts.Thread, facts.At = n.Thread(), max(n.Position().At, 0)
	}
	if i := f.ranged(); i >= 0 {
		_, facts.From, facts.To, _ = f.steps.list[i].Span()
	}
	facts.Edited = len(f.steps.list) > 1 || len(f.steps.list) == 1 && facts.To == 0
	return facts
}

// match returns what tells where the current result has places.
func (f *flaming) match() func(thread int32, from, to int64) bool {
	of := f.results.now()
	if of == nil {
		hits := f.search.Hits()
		if hits == nil {
			return nil
		}
		return func(thread int32, from, to int64) bool {
			i, _ := hits.Find(lazy.Position{Thread: thread, At: from})
			if i >= hits.Len() {
				return false
			}
			at := hits.At(i)
			return at.Thread == thread && at.At < to
		}
	}
	set := of.set()
	return func(thread int32, from, to int64) bool {
		_, ok := set.First(thread, from, to)
		return ok
	}
}

// note returns what tells where marks and notes are.
func (f *flaming) note() func(thread int32, from, to int64) bool {
	list := f.marks.Places()
	if len(list) == 0 {
		return nil
	}
	return func(thread int32, from, to int64) bool {
		for _, at := range list {
			if at.Thread == thread && at.At >= from && at.At < to {
				return true
			}
		}
		return false
	}
}

// ranged returns the index of the range among the steps; -1 if there is none.
func (f *flaming) ranged() int {
	for i, s := range f.steps.list {
		if _, _, _, ok := s.Span(); ok {
			return i
		}
	}
	return -1
}

// limit sets the range.
func (f *flaming) limit(timed bool, from, to int64, ok bool) {
	if !ok {
		return
	}
	step := query.RangeStep(timed, from, to)
	if i := f.ranged(); i >= 0 {
		f.steps.replace(i, step)
		return
	}
	f.steps.add(step)
}

// Begin sets the begin of the range.
func (f *flaming) Begin(timed bool, at int64) tea.Cmd {
	to := int64(math.MaxInt64)
	if i := f.ranged(); i >= 0 {
		_, _, to, _ = f.steps.list[i].Span()
	}
	if to <= at {
		to = math.MaxInt64
	}
	f.limit(timed, at, to, true)
	return nil
}

// End sets the end of the range.
func (f *flaming) End(timed bool, at int64) tea.Cmd {
	from := int64(0)
	if i := f.ranged(); i >= 0 {
		_, from, _, _ = f.steps.list[i].Span()
	}
	if from >= at {
		from = 0
	}
	f.limit(timed, from, at, true)
	return nil
}

// Top shows where the time of a range goes.
func (f *flaming) Top(timed bool, from, to int64) tea.Cmd {
	f.limit(timed, from, to, true)
	return f.top()
}

// back ends the filter of the tree; without one, a range, and without that the last step.
func (f *flaming) back(n int) tea.Cmd {
	if f.filter.Cur() != nil || len(f.steps.list) == 0 {
		return f.filter.back(n)
	}
	if i := f.ranged(); i >= 0 {
		f.steps.remove(i)
		return nil
	}
	return f.steps.undo()
}

// Show goes to a point in the tree.
func (f *flaming) Show(at lazy.Position, event int32) tea.Cmd {
	if event < 0 {
		f.tree.Visit()
		return f.jobs.Show(at)
	}
	return f.jobs.ToPoint(at, event)
}

// Keys lists the keys of the flame.
func (f *flaming) Keys() tea.Cmd {
	f.front.Push(keyList("keys of the flame", flame.Keys), nil)
	return nil
}

// Hide closes the strip.
func (f *flaming) Hide() { f.On = false }

// here sets an end of the range at the cursor's row.
func (f *flaming) here(begin bool) tea.Cmd {
	n := f.tree.Out.Cursor.Node
	if n == nil {
		f.env.Say("the row is not loaded: it has no place in the recording")
		return nil
	}
	r, raw := f.trace.Reader, !f.tree.Out.Tree.Folded()
	msg, cmd := f.env.Soon(func() tea.Msg {
		timed, from, to, err := lazy.AxisOf(f.env.Life, r, n, raw)
		return placedMsg{begin, timed, from, to, err}
	})
	if msg != nil {
		return f.placed(msg.(placedMsg))
	}
	return cmd
}

// placedMsg tells where a row is in the recording.
type placedMsg struct {
	begin, timed bool
	from, to     int64
	err          error
}

// placed sets an end of the range.
func (f *flaming) placed(m placedMsg) tea.Cmd {
	switch {
	case errors.Is(m.err, lazy.ErrNoTimes):
		f.env.Say("nothing is known about when this happened")
		return nil
	case m.err != nil:
		f.env.Fail("the range is not set", m.err)
		return nil
	case m.begin:
		return f.Begin(m.timed, m.from)
	}
	return f.End(m.timed, m.to)
}
