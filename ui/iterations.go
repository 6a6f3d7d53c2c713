package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/sheet"
)

// iterationsAnswer shows the iterations of a loop.
type iterationsAnswer struct{ *asking }

func (a iterationsAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "iterations", Group: groupAnswer, Help: "the iterations of the loop at the cursor, or around it",
		Run: func(string) tea.Cmd { return a.show() },
	}}
}

// onLoop reports whether the cursor is on a loop or an iteration.
func (a iterationsAnswer) onLoop() bool {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		return false
	}
	class := n.Point().Class
	return class == format.ClassLoop || class == format.ClassIteration
}

// show opens the table.
func (a iterationsAnswer) show() tea.Cmd {
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
	loop, ok := query.LoopOf(a.trace.Reader, n)
	if !ok {
		a.env.Say("no loop around this row")
		return nil
	}
	x, run := answer.NewIterations(a.env.Life, a.about(nil), loop, on)
	enter := sheet.Action{Key: "enter", Brief: "go to it", Help: "go to the iteration; n and N there: to the others", Leaves: true, Do: func(t *table.Table, row int) tea.Cmd {
		return a.goTo(x, t, row)
	}}
	return tea.Batch(a.tables.show(x, append([]sheet.Action{enter}, a.steps.undoing(x)...)...), run)
}

// goTo goes to the iteration of a row. From there n and N go to the others.
func (a iterationsAnswer) goTo(x *answer.Iterations, t *table.Table, row int) tea.Cmd {
	found := x.Found()
	at, ok := found.Place(t, row)
	if !ok {
		return nil
	}
	a.results.use(&result{
		one: "iteration", several: "iterations", raw: !a.tree.Out.Tree.Folded(),
		set: func() *places.Set { return found.Set }, running: x.Running,
	})
	a.tree.Visit()
	return a.jobs.Show(at)
}
