package tables

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/keys"
)

// Around is what all threads did around a point. Its methods run on Bubble Tea's goroutine.
type Around struct {
	working
	at lazy.Position
	o  query.AroundOptions

	found *foundAround // nil as long as it is looked for
	drawn *foundAround // what the table was made of, and for which width
	wide  int
}

// foundAround is what was found, with what the title tells first.
type foundAround struct {
	*query.Around
	about string
}

// aroundPoints is how many points are shown at first each way, and mostAround at most.
const (
	aroundPoints = 100
	mostAround   = 3200
)

// cursorMark is how many cells of a table's line its cursor takes.
const cursorMark = 2

// Around shows what is around the cursor's row: the events that match a filter, "" for all.
func (a *Answers) Around(text string) tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		return a.env.Say("the cursor is on no event: nothing is around it")
	}
	where, _ := filter.Parse(text)
	of := a.about(nil, nil)
	x := &Around{working: working{Answers: a, of: of}, at: n.Position(), o: query.AroundOptions{Where: where, Raw: of.Raw, N: aroundPoints}}
	run := x.start()
	return tea.Batch(a.tables.Show(x), run)
}

// start looks for the points again.
func (x *Around) start() tea.Cmd {
	at, o := x.at, x.o
	before := &table.Table{Row: "moment", Title: "around", Partial: true, Rows: table.List{}, Columns: []table.Column{{Key: "key", Title: "event"}}}
	if t := x.shown.Load(); t != nil {
		same := *t
		same.Partial = true
		before = &same
	}
	return x.begin(before, func(ctx context.Context) (func(), error) {
		found, err := query.FindAround(ctx, x.of.R, at, o)
		if err != nil {
			return nil, err
		}
		_, err = found.Table(ctx, query.AroundView{G: x.of.G}) // it reads the texts
		about := undamaged(x.of.R) + soFar(x.of.R)
		return func() { x.found = &foundAround{found, about} }, err
	})
}

func (x *Around) Table() *table.Table {
	found, wide := x.found, x.env.Width-cursorMark
	if found != nil && (found != x.drawn || wide != x.wide) {
		if t, err := found.Table(x.env.Life, query.AroundView{Width: wide, G: x.of.G}); err == nil {
			t.Title = found.about + t.Title
			x.drawn, x.wide = found, wide
			x.shown.Store(t)
		}
	}
	return x.shown.Load()
}

func (x *Around) Place(t *table.Table) (row int, ok bool) {
	c := t.Column("asked")
	for i := range t.Rows.Len() {
		if c >= 0 && t.Rows.Row(i)[c].Known() {
			return i, true
		}
	}
	return 0, false
}

func (x *Around) Keys() []Key {
	return []Key{
		{Name: "enter", Brief: "shows it", Help: "go to the event in the tree", Leaves: true},
		{Name: "H", Brief: "history", Help: "all values of what the row reads or writes, or of an object in it"},
		{Name: "J", Brief: "same thread", Help: "next row of the same thread"},
		{Name: "K", Help: "row before of the same thread"},
		{Name: "&", Brief: "narrow", Help: "show only events that match a filter", Always: true},
		{Name: "+", Brief: "more", Help: "twice as many events", Always: true},
		{Name: "t", Brief: "hide thread", Help: "leave out the thread of the row"},
		{Name: "T", Help: "show all threads again", Always: true},
		{Name: ".", Help: "show what is around the row"},
	}
}

func (x *Around) Do(key string, t *table.Table, row int) tea.Cmd {
	switch key {
	case "enter":
		if to, ok := x.position(row); ok {
			event, _ := RowOf(t, row).Event()
			return x.tree.Jobs.ToPoint(to, event)
		}
	case "H":
		return x.history(row)
	case "J":
		x.toSameThread(t, row, 1)
	case "K":
		x.toSameThread(t, row, -1)
	case "&":
		return x.narrow()
	case "+":
		x.o.N = min(2*x.o.N, mostAround)
		return x.start()
	case "t":
		return x.without(RowOf(t, row))
	case "T":
		x.o.Threads = nil
		return x.start()
	case ".":
		if at, ok := x.position(row); ok {
			x.at = at
			return x.start()
		}
	}
	return nil
}

// position returns the position of a row.
func (x *Around) position(row int) (lazy.Position, bool) {
	if x.drawn == nil {
		return lazy.Position{}, false
	}
	rows := x.drawn.Rows()
	if row < 0 || row >= len(rows) {
		return lazy.Position{}, false
	}
	return rows[row].Position, true
}

// history shows the values of a location at the point of a row.
func (x *Around) history(row int) tea.Cmd {
	if x.drawn == nil {
		return nil
	}
	spots, here := x.drawn.Locations(row)
	if here == nil {
		return nil
	}
	return x.offer(&spotChoice{x.Answers, spots, here, keys.History})
}

// toSameThread puts the cursor on the next row of the same thread as a row, in a direction: 1 or -1.
func (x *Around) toSameThread(t *table.Table, row, step int) {
	thread, ok := RowOf(t, row).Thread()
	for i := row + step; ok && i >= 0 && i < t.Rows.Len(); i += step {
		if of, _ := RowOf(t, i).Thread(); of == thread {
			x.tables.Select(i)
			return
		}
	}
	x.env.Say("no more rows of this thread: + shows more")
}

// narrow opens the command line for a filter: that of the tree, or one that the cursor's row matches.
func (x *Around) narrow() tea.Cmd {
	text := "around "
	if e := x.filter.Expr(); e != nil {
		text += e.String()
	} else if n := x.tree.Out.Cursor.Node; n != nil {
		if list := query.Suggest(x.of.R, n); len(list) > 0 {
			text += list[0].Text
		}
	}
	return x.tables.Line.OpenLine(text)
}

// without leaves out the thread of a row.
func (x *Around) without(r Row) tea.Cmd {
	thread, ok := r.Thread()
	if !ok || x.found == nil {
		x.o.Threads = nil
		return x.start()
	}
	list := x.o.Threads
	if list == nil {
		h := x.of.R.ThreadList()
		for i := range min(h.Len(), 1<<16) {
			list = append(list, h.ID(i))
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(id int32) bool { return int64(id)+1 == thread })
	if len(list) == 0 {
		return x.env.Say("this is the only thread")
	}
	x.o.Threads = list
	return x.start()
}
