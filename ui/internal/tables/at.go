package tables

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/tree"
)

// At is what all threads were in at a moment.
type At struct{ Answer }

// At shows what all threads were in at the moment of an address: a time, or when an event began; if it is nothing, when
// the cursor's row began.
func (a *Answers) At(at tree.Address) tea.Cmd {
	r := a.env.Trace.Reader
	if _, timed := r.Times(); !timed {
		return a.env.Warn(cmp.Or(query.WithoutTimes(r), "this trace has no times: what threads were in at a moment is not known"))
	}
	of := a.about(nil, nil).unfiltered()
	of.Steps = nil
	o := query.AtOptions{Raw: of.Raw}
	switch at.Kind {
	case tree.Time:
		o.Time = at.Number
	case tree.Event:
		if at.Number < 0 {
			return a.env.Say("there is no such event")
		}
		h := lazy.EventHandle(int32(at.Number))
		o.Place = &h
	case tree.Place:
		h := lazy.PositionHandle(at.Place)
		o.Place = &h
	default:
		n := a.tree.Out.Cursor.Node
		if n == nil {
			return a.env.Say("the cursor is on no event: it has no moment")
		}
		h := n.Handle() // two events may have one number
		if !n.IsThread() {
			h = lazy.PositionHandle(n.Position())
		}
		o.Place = &h
	}
	x := &At{newAnswer(a, of)}
	if n := a.tree.Out.Cursor.Node; n != nil {
		p := n.Position()
		x.on = &p
	}
	x.keys = []Key{
		{Name: "enter", Brief: "shows it", Help: "go to the call in the tree", Leaves: true, Do: x.toEvent},
		{Name: "O", Brief: "waits for", Help: "of a thread that waits: to the row of the goroutine that it waits for", Do: x.toHolder},
	}
	return x.open(x, func(query.Scope) (finder, error) { return query.NewAt(of.R, o), nil })
}

// toHolder puts the cursor on the row of the goroutine that a thread waits for.
func (x *At) toHolder(t *table.Table, row int) tea.Cmd {
	found, ok := x.finder().(*query.At)
	if !ok {
		return nil
	}
	to, ok := found.WaitsFor(t, row)
	if !ok {
		return x.env.Say("the thread waits for none that has a row here")
	}
	x.tables.Select(to)
	return nil
}
