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
	"tracex/ui/internal/screen"
)

// Around is what all threads did around a point. Its methods run on Bubble Tea's goroutine.
type Around struct {
	Answer
	at   lazy.Position
	o    query.AroundOptions
	wide int // what the table is made for; guarded by mu
}

// aroundFinder finds it. Until then what was found before is shown.
type aroundFinder struct {
	x     *Around
	at    lazy.Position
	o     query.AroundOptions
	found *query.Around // nil if nothing was; guarded by Answer.mu
}

func (f *aroundFinder) Run(ctx context.Context, _ lazy.Progress) error {
	found, err := query.FindAround(ctx, f.x.of.R, f.at, f.o)
	if err == nil {
		_, err = found.Table(ctx, query.AroundView{G: f.x.of.G}) // it reads the texts
	}
	if err == nil {
		f.x.mu.Lock()
		f.found = found
		f.x.mu.Unlock()
	}
	return err
}

func (f *aroundFinder) Table(v query.View) *table.Table {
	t := &table.Table{Row: "moment", Title: "around", Empty: "stopped", Rows: table.List{}, Columns: []table.Column{{Key: "key", Title: "event"}}}
	if f.found != nil {
		if now, err := f.found.Table(f.x.env.Life, query.AroundView{Width: f.x.wide, G: v.G}); err == nil {
			t = now
		}
	}
	t.Partial = v.Done < 1
	return t
}

const (
	aroundPoints = 100  // shown at first, each way
	mostAround   = 3200 // of them
)

// Around shows what is around the cursor's row: the events that match a filter, "" for all.
func (a *Answers) Around(text string) tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		return a.env.Say("the cursor is on no event: nothing is around it")
	}
	where, _ := filter.Parse(text)
	of := a.about(nil, nil).unfiltered()
	of.Steps = nil
	x := &Around{Answer: newAnswer(a, of), at: n.Position(), o: query.AroundOptions{Where: where, Raw: of.Raw, N: aroundPoints}, wide: screen.Inside(a.env.Width) - margin}
	x.keys = []Key{
		{Name: "enter", Brief: "shows it", Help: "go to the event in the tree", Leaves: true, Do: x.toEvent},
		{Name: "H", Brief: "history", Help: "all values of what the row reads or writes, or of an object in it", Do: x.history},
		{Name: "J", Brief: "same thread", Help: "next row of the same thread", Do: x.toSameThread(1)},
		{Name: "K", Help: "row before of the same thread", Do: x.toSameThread(-1)},
		{Name: "&", Brief: "narrow", Help: "show only events that match a filter", Always: true, Do: x.narrow},
		{Name: "+", Brief: "more", Help: "twice as many events", Always: true, Do: x.more},
		{Name: "t", Brief: "hide thread", Help: "leave out the thread of the row", Do: x.without},
		{Name: "T", Help: "show all threads again", Always: true, Do: x.allThreads},
		{Name: ".", Help: "show what is around the row", Do: x.moveTo},
	}
	return x.open(x, x.find())
}

// find returns how the points are found, as the options are now.
func (x *Around) find() maker {
	at, o := x.at, x.o
	return func(query.Scope) (finder, error) { return &aroundFinder{x: x, at: at, o: o, found: x.drawn()}, nil }
}

func (x *Around) Table() *table.Table {
	if wide := screen.Inside(x.env.Width) - margin; wide != x.wide {
		x.mu.Lock()
		x.wide = wide
		x.show(x.run)
		x.mu.Unlock()
	}
	return x.Answer.Table()
}

// drawn returns what the table is made of; nil if there is nothing.
func (x *Around) drawn() *query.Around {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f, ok := x.found.(*aroundFinder); ok {
		return f.found
	}
	return nil
}

func (x *Around) Place(t *table.Table, _ bool) (row int, ok bool) {
	c := t.Column("asked")
	for i := range t.Rows.Len() {
		if c >= 0 && t.Rows.Row(i)[c].Known() {
			return i, true
		}
	}
	return 0, false
}

func (x *Around) moveTo(t *table.Table, row int) tea.Cmd {
	if p, ok := query.PointAt(t, row); ok {
		x.at = p.Position
	}
	return x.start(x.find())
}

func (x *Around) more(*table.Table, int) tea.Cmd {
	x.o.N = min(2*x.o.N, mostAround)
	return x.start(x.find())
}

func (x *Around) allThreads(*table.Table, int) tea.Cmd {
	x.o.Threads = nil
	return x.start(x.find())
}

// history shows the values of a location at the point of a row.
func (x *Around) history(_ *table.Table, row int) tea.Cmd {
	drawn := x.drawn()
	if drawn == nil {
		return nil
	}
	spots, here := drawn.Locations(row)
	if here == nil {
		return nil
	}
	return x.offer(&spotChoice{x.Answers, spots, here, keys.History})
}

// toSameThread puts the cursor on the next row of the same thread as a row, in a direction: 1 or -1.
func (x *Around) toSameThread(step int) func(t *table.Table, row int) tea.Cmd {
	return func(t *table.Table, row int) tea.Cmd {
		thread, ok := query.RowOf(t, row).Thread()
		for i := row + step; ok && i >= 0 && i < t.Rows.Len(); i += step {
			if of, _ := query.RowOf(t, i).Thread(); of == thread {
				x.tables.Select(i)
				return nil
			}
		}
		return x.env.Say("no more rows of this thread: + shows more")
	}
}

// narrow opens the command line for a filter: that of the tree, or one that the cursor's row matches.
func (x *Around) narrow(*table.Table, int) tea.Cmd {
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
func (x *Around) without(t *table.Table, row int) tea.Cmd {
	thread, ok := query.RowOf(t, row).Thread()
	if !ok || x.drawn() == nil {
		return x.allThreads(t, row)
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
	return x.start(x.find())
}
