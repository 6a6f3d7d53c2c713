package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/tree"
)

// Changes shows the places where the two traces of a diff differ, by what changed there.
func (a *Answers) Changes() tea.Cmd {
	if a.env.Trace.Diff == nil {
		return a.env.Say("this trace is no diff of two: " + keys.ActionKey("next-difference", a.env.Glyphs) + " compares it with a file")
	}
	count, err := a.changes.Counting(nil)
	if err != nil {
		return a.env.Fail("the differences cannot be listed", err)
	}
	x := newAnswer(a, a.about(nil, count))
	x.sorts, x.one, x.several = query.DifferencesSorts(), "difference", "differences"
	x.keys = append([]Key{
		{Name: "enter", Brief: "go to the first", Help: "go to the first place; n and N there: from one difference to the next", Leaves: true, Do: x.toEvent},
	}, x.undoKeys()...)
	counted := a.changes.Counted()
	return x.open(&x, func(scope query.Scope) (finder, error) {
		d := query.NewDifferences(x.of.R, scope)
		if a.Compared != nil {
			d.Took = a.Compared.Took
		}
		return changes{d, counted, a.tree}, nil
	})
}

// changes are the differences that count.
type changes struct {
	*query.Differences
	counted *query.Differences // those that the header counts; nil if there are none
	tree    *tree.Tree
}

func (c changes) Table(view query.View) *table.Table {
	t := c.Differences.Table(view)
	nameEvents(t, c.tree)
	if c.counted == nil {
		return t
	}
	if n := c.counted.LeftOut(); n > 0 {
		t.Title += " " + view.G.Dot + " " + display.Grouped(n) + " ignored"
		t.Empty = "no other difference"
	}
	return t
}

// nameEvents makes a table show events as users name them.
func nameEvents(t *table.Table, by *tree.Tree) {
	for i := range t.Columns {
		if t.Columns[i].Kind == table.Event {
			t.Columns[i].Named = func(event int64) string { return by.Named(lazy.EventHandle(int32(event))) }
		}
	}
}
