package answer

import (
	"context"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Around is what all threads did around a point.
type Around struct {
	working
	of    Of
	life  context.Context
	width func() int // of the screen, on Bubble Tea's goroutine

	at lazy.Position
	o  query.AroundOptions

	found atomic.Pointer[foundAround]
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

// NewAround returns what is around a point, and the command that finds it.
func NewAround(life context.Context, of Of, at lazy.Position, o query.AroundOptions, width func() int) (*Around, tea.Cmd) {
	a := &Around{of: of, life: life, width: width, at: at, o: o}
	a.o.Raw, a.o.N = of.Raw, aroundPoints
	return a, a.start()
}

func (a *Around) start() tea.Cmd {
	at, o := a.at, a.o
	before := &table.Table{Row: "moment", Title: "around", Partial: true, Rows: table.List{}, Columns: []table.Column{{Key: "key", Title: "event"}}}
	if t := a.shown.Load(); t != nil {
		same := *t
		same.Partial = true
		before = &same
	}
	return a.begin(a.life, a.of.R, before, func(ctx context.Context) (func(), error) {
		found, err := query.FindAround(ctx, a.of.R, at, o)
		if err != nil {
			return nil, err
		}
		_, err = found.Table(ctx, query.AroundView{G: a.of.G}) // it reads the texts
		about := undamaged(a.of.R) + soFar(a.of.R)
		return func() { a.found.Store(&foundAround{found, about}) }, err
	})
}

// Table returns the table for the width of the screen.
func (a *Around) Table() *table.Table {
	found, wide := a.found.Load(), a.width()-cursorMark
	if found != nil && (found != a.drawn || wide != a.wide) {
		if t, err := found.Table(a.life, query.AroundView{Width: wide, G: a.of.G}); err == nil {
			t.Title = found.about + t.Title
			if len(a.of.Steps) > 0 {
				t.Notes = append([]string{"steps do not change this table"}, t.Notes...)
			}
			a.drawn, a.wide = found, wide
			a.shown.Store(t)
		}
	}
	return a.shown.Load()
}

// Place returns the row of the point asked for.
func (a *Around) Place(t *table.Table) (row int, ok bool) {
	c := t.Column("asked")
	for i := range t.Rows.Len() {
		if c >= 0 && t.Rows.Row(i)[c].Known() {
			return i, true
		}
	}
	return 0, false
}

// More shows twice as many points. It must be called on one goroutine, as the methods below.
func (a *Around) More() tea.Cmd {
	a.o.N = min(2*a.o.N, mostAround)
	return a.start()
}

// Recenter shows what is around another point.
func (a *Around) Recenter(at lazy.Position) tea.Cmd {
	a.at = at
	return a.start()
}

// Without leaves out a thread, as people count, or shows all again if it is 0. ok is false if it would leave
// none.
func (a *Around) Without(thread int64) (cmd tea.Cmd, ok bool) {
	found := a.found.Load()
	if thread == 0 || found == nil {
		a.o.Threads = nil
		return a.start(), true
	}
	list := a.o.Threads
	if list == nil {
		h := a.of.R.ThreadList()
		for i := range min(h.Len(), 1<<16) {
			list = append(list, h.ID(i))
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(id int32) bool { return int64(id)+1 == thread })
	if len(list) == 0 {
		return nil, false
	}
	a.o.Threads = list
	return a.start(), true
}

// At returns the position of a row.
func (a *Around) At(row int) (lazy.Position, bool) {
	if a.drawn == nil {
		return lazy.Position{}, false
	}
	rows := a.drawn.Rows()
	if row < 0 || row >= len(rows) {
		return lazy.Position{}, false
	}
	return rows[row].Position, true
}

// Locations returns the locations at the point of a row.
func (a *Around) Locations(row int) ([]query.Spot, *query.HistoryPoint) {
	if a.drawn == nil {
		return nil, nil
	}
	return a.drawn.Locations(row)
}

// Next returns the next row of the same thread as a row, in a direction: 1 or -1; -1 if there is none.
func (a *Around) Next(t *table.Table, row, step int) int {
	c := t.Column("thread")
	if c < 0 || row < 0 {
		return -1
	}
	thread := t.Rows.Row(row)[c].Int()
	for i := row + step; i >= 0 && i < t.Rows.Len(); i += step {
		if t.Rows.Row(i)[c].Int() == thread {
			return i
		}
	}
	return -1
}
