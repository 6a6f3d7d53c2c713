package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Iterations is the table of a loop's iterations.
type Iterations struct {
	Answer
	on int64 // offset of the iteration where the cursor begins; -1 for the first one
}

func onLoop(n *lazy.Node) bool {
	if n == nil || n.Point() == nil {
		return false
	}
	class := n.Point().Class
	return class == format.ClassLoop || class == format.ClassIteration
}

// Iterations shows the iterations of the loop at the cursor, or around it.
func (a *Answers) Iterations() tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil {
		n = a.tree.Out.Cursor.Parent
	}
	on := int64(-1)
	for it := n; it != nil && !it.IsThread() && it.Point().Class != format.ClassLoop; it = it.Parent() {
		if it.Point().Class == format.ClassIteration {
			on = it.Position().At
			break
		}
	}
	loop, ok := query.LoopOf(a.env.Trace.Reader, n)
	if !ok {
		return a.env.Say("no loop around this row")
	}
	in := lazy.PositionHandle(loop.Position)
	of := a.about(&in, nil).unfiltered()
	x := &Iterations{Answer: newAnswer(a, of), on: on}
	x.rising = true
	return x.open(x, func(scope query.Scope) (finder, error) { return query.NewIterations(of.R, scope, loop), nil })
}

func (x *Iterations) Place(t *table.Table, moved bool) (row int, ok bool) {
	if moved || x.on < 0 {
		return 0, false
	}
	return x.finder().(*query.Iterations).RowOf(t, x.on)
}

func (x *Iterations) Orders() []string { return query.IterationSorts(x.timed) }

func (x *Iterations) Keys() []Key {
	return append([]Key{
		{Name: "enter", Brief: "go to it", Help: "go to the iteration; n and N there: to the others", Leaves: true, Do: x.toIteration},
	}, x.undoKeys()...)
}

func (x *Iterations) toIteration(t *table.Table, row int) tea.Cmd {
	return x.goTo(t, row, "iteration", "iterations", x.finder().(*query.Iterations).Set, x)
}
