package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// Iterations shows the iterations of the loop at the cursor, or around it.
func (a *Answers) Iterations() tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil {
		n = a.tree.Out.Cursor.Parent
	}
	var on *lazy.Position
	for it := n; it != nil && !it.IsThread() && it.Point().Class != format.ClassLoop; it = it.Parent() {
		if it.Point().Class == format.ClassIteration {
			at := it.Position()
			on = &at
			break
		}
	}
	loop, ok := query.LoopOf(a.env.Trace.Reader, n)
	if !ok {
		return a.env.Say("no loop around this row")
	}
	in := lazy.PositionHandle(loop.Position)
	x := newAnswer(a, a.about(&in, nil).unfiltered())
	x.on, x.rising, x.sorts = on, true, query.IterationSorts(x.timed)
	x.one, x.several, x.growing = "iteration", "iterations", &x
	x.keys = append([]Key{
		{Name: "enter", Brief: "go to it", Help: "go to the iteration; n and N there: to the others", Leaves: true, Do: x.toEvent},
	}, x.undoKeys()...)
	return x.open(&x, func(scope query.Scope) (finder, error) { return query.NewIterations(x.of.R, scope, loop), nil })
}
