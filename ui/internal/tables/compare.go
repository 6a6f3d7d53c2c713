package tables

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Compare is the table of where two parts of a trace differ: A, which the explorer remembers, and B.
type Compare struct {
	Answer
	a, b comparedRow
}

type comparedRow struct {
	name lazy.Handle // of its event
	at   lazy.Handle // exact, also where several threads have an event of this number
}

// Compare compares two rows. Without them it remembers the cursor's row as A, compares it with A, or, on A, forgets A.
func (a *Answers) Compare(args string) tea.Cmd {
	list, _ := ComparedHandles(args)
	switch {
	case len(list) == 2:
		return a.showCompared(list[0], list[1])
	case len(list) == 1:
		a.compared = &list[0]
	}
	n := a.tree.Out.Cursor.Node
	switch {
	case n == nil:
		return a.env.Say("the row is not loaded: it cannot be compared")
	case !n.IsThread() && !n.Point().Class.Container():
		return a.env.Say("compare takes a call, a loop, an iteration or a thread: nothing is below this row")
	}
	row := comparedRow{n.Handle(), lazy.PositionHandle(n.Position())}
	if n.IsThread() {
		row.at = row.name
	}
	switch {
	case a.compared == nil:
		a.compared = &row
		return a.env.Say("A is " + row.name.String() + ": " + keys.ActionKey("compare", a.env.Glyphs) + " on another row compares them, here again forgets it")
	case a.compared.name == row.name:
		a.compared = nil
		return a.env.Say("A is forgotten: nothing to compare")
	}
	return a.showCompared(*a.compared, row)
}

// ComparedHandles reads the arguments of the command: none, A, or both.
func ComparedHandles(args string) (list []comparedRow, err error) {
	for _, word := range strings.Fields(args) {
		h, ok := lazy.ParseHandle(word)
		if !ok {
			h, ok = lazy.ParseHandle("#" + word)
		}
		if !ok {
			return nil, errors.New(word + " names no event: compare takes two, such as #106 #1204")
		}
		list = append(list, comparedRow{h, h})
	}
	if len(list) > 2 {
		return nil, errors.New("compare takes two events at most")
	}
	return list, nil
}

// Compared tells at the bottom which row is A; "" if none is.
func (a *Answers) Compared() string {
	if a.compared == nil {
		return ""
	}
	return "A is " + a.compared.name.String()
}

// showCompared opens the table. A is then forgotten.
func (a *Answers) showCompared(from, to comparedRow) tea.Cmd {
	of := a.about(nil, nil).unfiltered()
	if slices.ContainsFunc(of.Steps, func(s query.Step) bool { return s.Kind == query.Range }) {
		return a.env.Warn(screen.ErrorLine(query.ErrPart) + ": " + keys.ActionKey("unfilter", a.env.Glyphs) + " ends the range")
	}
	x := &Compare{Answer: newAnswer(a, of), a: from, b: to}
	x.sorts = query.CompareSorts(x.timed)
	x.keys = append([]Key{
		{Name: "enter", Brief: "go there, or its calls", Help: "go to the place, or show the calls of the method in A or B, whichever has more", Do: x.enter},
		{Name: "a", Brief: "in A", Help: "the calls of the method in A", Do: x.callsInA},
		{Name: "b", Brief: "in B", Help: "the calls of the method in B", Do: x.callsInB},
		{Name: "x", Help: "compare B with A", Always: true, Do: x.turned},
	}, x.undoKeys()...)
	run := x.open(x, func(scope query.Scope) (finder, error) { return query.NewCompare(of.R, scope, from.at, to.at) })
	if run != nil {
		a.compared = nil
	}
	return run
}

func (x *Compare) callsInA(t *table.Table, row int) tea.Cmd { return x.callsOf(t, row, &x.a.name) }
func (x *Compare) callsInB(t *table.Table, row int) tea.Cmd { return x.callsOf(t, row, &x.b.name) }
func (x *Compare) turned(*table.Table, int) tea.Cmd         { return x.showCompared(x.b, x.a) }

// enter goes to the place of a row, or shows the calls of its method.
func (x *Compare) enter(t *table.Table, row int) tea.Cmd {
	switch _, ok := query.PointAt(t, row); {
	case ok:
		x.env.Front.Leave()
		return x.toEvent(t, row)
	case query.RowOf(t, row).More("calls_a", "calls_b"):
		return x.callsInA(t, row)
	}
	return x.callsInB(t, row)
}
