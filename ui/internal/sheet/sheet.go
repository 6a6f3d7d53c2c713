package sheet

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/list"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// Sheet is a table on the screen. Settle asks for its rows, so View asks for nothing. Its methods
// run on one goroutine; the work that Settle returns may run on another. It has more than 15
// fields as it holds what one screen shows.
type Sheet struct {
	list.List
	src     Source
	actions []Action
	g       *screen.Glyphs

	t      *table.Table // the table shown
	layout *table.Layout
	width  int
	rows   map[int]table.Line // the rows on the screen, by number
	spread table.Line
	filter *list.Scan   // nil if none
	group  int          // of the source's groups, the one that is shown
	work   *work        // under way; nil if none
	next   *work        // to do after it; nil if nothing
	failed string       // why the last work failed; "" if it did not
	tried  map[int]bool // rows that have been requested since the last key
	asked  *Action      // the key pressed: see Do
	halted bool         // the source has been told to stop, and may not have yet
	moved  bool         // a key has been pressed
}

// New returns a sheet of a source, with the owner's keys.
func New(src Source, actions []Action, g *screen.Glyphs) *Sheet {
	s := &Sheet{src: src, actions: actions, g: g, t: src.Table(), rows: map[int]table.Line{}, tried: map[int]bool{}}
	s.layout = table.NewLayout(s.t, 0, margin, g)
	s.List = list.List{
		Choosable: true, Len: s.len, Item: s.item, Filter: s.filterBy, None: s.nothing,
		Above: s.above, Below: s.below, Besides: besides,
	}
	return s
}

// margin is the width of the cursor's mark and the blank after it; besides is how many lines are
// above and below the rows: title, head, and a line about the cursor's row.
// The heads of the columns are the line heads of the screen.
const (
	margin  = 2
	besides = 3
	heads   = 1
)

// len returns how many rows pass the filter, as far as known.
func (s *Sheet) len() int {
	if s.filter != nil {
		return len(s.filter.Passed)
	}
	return s.t.Rows.Len()
}

// number returns the number of the i-th row shown.
func (s *Sheet) number(i int) int {
	if s.filter != nil {
		return s.filter.Passed[i]
	}
	return i
}

// Row returns the table and the number of the cursor's row; -1 if there is none.
func (s *Sheet) Row() (t *table.Table, row int) {
	if i := s.Selected(); i < s.len() {
		return s.t, s.number(i)
	}
	return s.t, -1
}

// Content returns what is in the sheet, for readers other than the screen.
func (s *Sheet) Content() Content { return Content{s} }

// Settle brings the sheet up to date on a screen of this size. It returns work for the
// background, or nil: its message is for Take.
func (s *Sheet) Settle(life context.Context, width, height int) (work func() tea.Msg) {
	s.width = width
	s.halted = s.halted && s.running()
	if t := s.src.Table(); t != s.t {
		s.show(t)
		s.place(height)
	}
	s.layout.Resize(width)
	from, to := s.Visible(height)
	s.draw(from, to)
	return s.start(life, from, to)
}

// show changes the table. The filter looks at all its rows.
func (s *Sheet) show(t *table.Table) {
	if sameColumns(s.t, t) {
		s.layout.Show(t)
	} else {
		s.layout = table.NewLayout(t, s.width, margin, s.g)
	}
	s.t = t
	clear(s.tried)
	if s.filter != nil {
		s.filter = list.NewScan(s.filter.P, nil)
	}
}

// placedRows is how many rows of a table with a place for the cursor the columns are made for.
const placedRows = 4096

// place puts the cursor where the source wants it, in the middle of the screen.
func (s *Sheet) place(height int) {
	if s.filter != nil {
		return
	}
	row, ok := -1, false
	switch p := s.src.(type) {
	case Placer:
		if row, ok = p.Place(s.t); ok {
			s.layout.Fit(0, min(s.t.Rows.Len(), placedRows)) // columns stay where they are
		}
	case Beginner:
		if !s.moved {
			row, ok = p.Begins(s.t)
		}
	}
	if !ok {
		return
	}
	for _, i := range []int{row + height/2 - besides, row} {
		s.Select(min(i, s.t.Rows.Len()-1))
		s.Visible(height)
	}
}

func sameColumns(a, b *table.Table) bool {
	if len(a.Columns) != len(b.Columns) {
		return false
	}
	for i := range a.Columns {
		if a.Columns[i].Key != b.Columns[i].Key {
			return false
		}
	}
	return true
}

// draw draws the rows from from, and before to, among those that pass the filter.
func (s *Sheet) draw(from, to int) {
	values := make([][]table.Value, to-from)
	for i := range values {
		values[i] = s.t.Rows.Row(s.number(from + i))
	}
	s.layout.FitRows(values)
	clear(s.rows)
	for i, row := range values {
		s.rows[s.number(from+i)] = s.layout.Values(row)
	}
	_, row := s.Row()
	s.spread = s.layout.Spread(row)
	if s.spread.Text == "" {
		s.spread = s.layout.Spread(-1)
	}
}

// filterBy filters the rows; a nil pattern shows all.
func (s *Sheet) filterBy(p *pattern.Pattern) {
	before := s.filter
	s.filter = nil
	if p != nil {
		s.filter = list.NewScan(p, before)
	}
}

// nothing explains why no row is shown.
func (s *Sheet) nothing() string {
	switch f := s.filter; {
	case f != nil && !f.Ended, f == nil && s.running():
		return "none yet"
	case f != nil:
		return f.P.None("no row", f.Others)
	case s.t.Empty != "":
		return s.t.Empty
	}
	return "no rows"
}

// running reports whether the source works by itself.
func (s *Sheet) running() bool {
	r, ok := s.src.(Runner)
	return ok && r.Running()
}

// SiftedIn reports whether the rows of a sheet are only of what the filter of the tree matches, and whether the
// sheet has the key that ends that filter.
func SiftedIn(s *Sheet) (sifted, ends bool) {
	src, ok := s.src.(Sifted)
	return ok && src.Sifted(), s.action("backspace") != nil
}

// halt tells the source to stop, once.
func (s *Sheet) halt() {
	s.halted = true
	s.src.(Runner).Stop()
}

// Busy reports whether work runs in the background.
func (s *Sheet) Busy() bool { return s.work != nil || s.next != nil || s.running() }

// Close ends all work.
func (s *Sheet) Close() {
	s.giveUp()
	if r, ok := s.src.(Runner); ok {
		r.Stop()
	}
}
