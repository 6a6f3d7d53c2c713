package tables

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Sheet is a table on the screen. Settle asks for its rows, so View asks for nothing. Its methods
// run on one goroutine. It has more than 15 fields as it holds what one screen shows.
type Sheet struct {
	prompt.List
	src  Source
	keys []Key // of the source, and those of all tables
	env  *env.Env

	t      *table.Table // the table shown
	layout *table.Layout
	rows   map[int]table.Line // the rows on the screen, by number
	spread table.Line
	slide  slide        // of the cursor's row
	group  int          // of the source's groups, the one that is shown
	task   env.Task     // the work under way
	what   string       // what that is, for the title; "" if it is not told
	next   *work        // what a key has asked for; nil if nothing
	failed string       // why the last work failed; "" if it did not
	tried  map[int]bool // rows that have been requested since the last key
	halted bool         // the source has been told to stop, and may not have yet
	moved  bool         // a key has been pressed
}

func newSheet(src Source, e *env.Env) *Sheet {
	s := &Sheet{src: src, keys: src.Keys(), env: e, t: src.Table(), rows: map[int]table.Line{}, tried: map[int]bool{}}
	s.layout = layoutOf(s.t, e)
	s.List = prompt.List{
		Called: called(s.t, e.Glyphs), Full: true,
		Choosable: true, Len: s.len, Item: s.item, Long: true, NoLine: "no row", None: s.none,
		Above: s.title, Head: s.head, Below: s.below, Lower: 1,
	}
	return s
}

// margin is the width of the cursor's mark and the blank after it; besides is how many lines are around the rows:
// title, heads, and one about the cursor's row. The heads of the columns are the line heads.
const (
	margin  = 2
	besides = 3
	heads   = 1

	mostName   = 28   // cells of a name
	slideStep  = 16   // cells by which a key scrolls the texts of a row
	fittedRows = 512  // the columns are made for so many rows before they are shown, so that they stay where they are
	placedRows = 4096 // the same of a table with a place for the cursor
	gap        = 3    // cells between the cursor's row and the histogram, at least
	leastNote  = 24   // cells of notes, at least
)

// called returns what the title of a table says first: "callers of Account.pay".
func called(t *table.Table, g *screen.Glyphs) string {
	name, _, _ := strings.Cut(t.Title, " "+g.Dot+" ")
	return g.CutEnd(strings.TrimSpace(name[strings.LastIndex(name, ": ")+1:]), mostName)
}

// len returns how many rows pass the filter, as far as known.
func (s *Sheet) len() int {
	if s.Scan != nil {
		return len(s.Scan.Passed)
	}
	return s.t.Rows.Len()
}

// number returns the number of the i-th row shown.
func (s *Sheet) number(i int) int {
	if s.Scan != nil {
		return s.Scan.Passed[i]
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

// complete returns the table, and the numbers of its rows that pass the filter, in their order; nil if there is no
// filter. The error tells what they are still waiting for.
func (s *Sheet) complete() (t *table.Table, rows []int, err error) {
	switch f := s.Scan; {
	case s.src.Running() || s.doing() != "":
		return nil, nil, errors.New("the table is not complete yet: wait, or Esc stops it")
	case f == nil:
		return s.t, nil, nil
	case !f.Ended:
		return nil, nil, errors.New("not all rows have been looked at for the filter yet: wait")
	default:
		return s.t, append([]int{}, f.Passed...), nil
	}
}

// Settle brings the sheet up to date, again while work ends within the patience of an Update.
func (s *Sheet) Settle(height int) tea.Cmd {
	for {
		s.halted = s.halted && s.src.Running()
		if t := s.src.Table(); t != s.t {
			s.show(t)
			s.place(height)
		}
		s.layout.Resize(screen.Inside(s.env.Width))
		from, to := s.Visible(height)
		s.draw(from, to)
		w := s.toDo(from, to)
		if w == nil {
			return nil
		}
		s.what = w.what
		cmd := s.task.Run(s.env, func(ctx context.Context) func() tea.Cmd {
			err := w.do(ctx)
			return env.Done(func() { w.done(err) })
		})
		if s.task.Running() {
			return cmd
		}
	}
}

// show changes the table. The filter looks at all its rows.
func (s *Sheet) show(t *table.Table) {
	if slices.EqualFunc(s.t.Columns, t.Columns, func(a, b table.Column) bool { return a.Key == b.Key }) {
		s.layout.Show(t)
	} else {
		s.layout = layoutOf(t, s.env)
	}
	s.t, s.Called = t, called(t, s.env.Glyphs)
	clear(s.tried)
	s.Rescan()
}

func layoutOf(t *table.Table, e *env.Env) *table.Layout {
	l := table.NewLayout(t, screen.Inside(e.Width), margin, e.Glyphs.Glyphs).Bars(table.BarsFrom)
	l.Fit(0, fittedRows)
	return l
}

// slide is how far the texts of a row that are cut are scrolled.
type slide struct {
	row    int
	by     int // cells
	hidden int // cells of the longest of them that do not fit
}

// key scrolls on, or back.
func (s *slide) key(on bool) (did prompt.ListAction) {
	switch {
	case s.hidden <= 0:
		did.Say = "nothing of this row is cut"
	case on:
		s.by = min(s.by+slideStep, s.hidden)
	default:
		s.by = max(0, s.by-slideStep)
	}
	return did
}

// place puts the cursor where the source wants it, in the middle of the screen.
func (s *Sheet) place(height int) {
	row, ok := s.src.Place(s.t, s.moved)
	if !ok || s.Scan != nil {
		return
	}
	s.layout.Fit(0, min(s.t.Rows.Len(), placedRows)) // columns stay where they are
	for _, i := range []int{row + height/2 - besides, row} {
		s.Select(min(i, s.t.Rows.Len()-1))
		s.Visible(height)
	}
}

// draw draws the rows from from, and before to, among those that pass the filter.
func (s *Sheet) draw(from, to int) {
	values := make([][]table.Value, to-from)
	for i := range values {
		values[i] = s.t.Rows.Row(s.number(from + i))
	}
	s.layout.FitRows(values)
	clear(s.rows)
	_, row := s.Row()
	if row != s.slide.row {
		s.slide = slide{row: row}
	}
	for i, values := range values {
		n, by := s.number(from+i), 0
		if n == row {
			s.slide.hidden, by = s.layout.Hidden(values), s.slide.by
		}
		s.rows[n] = s.layout.Shifted(values, by)
	}
	besides := s.env.Glyphs.TextWidth(ordinal(s.Selected(), s.len())) + gap
	if s.spread = s.layout.Spread(row, besides); s.spread.Text == "" {
		s.spread = s.layout.Spread(-1, besides)
	}
}

func (s *Sheet) none() string {
	if s.src.Running() {
		return "none yet"
	}
	return cmp.Or(s.t.Empty, "no rows")
}

// Sifted reports whether the filter of the tree applies to the rows, and whether the sheet has the key that ends it.
func (s *Sheet) Sifted() (sifted, ends bool) {
	return s.src.Sifted(), s.key("backspace") != nil
}

func (s *Sheet) Busy() bool { return s.task.Running() || s.next != nil || s.src.Running() }

func (s *Sheet) Close() {
	s.giveUp()
	s.src.Stop()
}

// item returns the i-th row shown.
func (s *Sheet) item(i int) prompt.Item {
	line, ok := s.rows[s.number(i)]
	if !ok {
		return prompt.Item{} // arrives with the next Settle
	}
	return prompt.Item{Cells: []prompt.Cell{{Text: line.Text, Spans: line.Spans, Of: screen.OfTable, Skip: margin}}}
}

func (s *Sheet) head(width int) string {
	head, out := s.layout.Head(), screen.NewLine(width, s.env.Glyphs)
	out.Spans(head.Text, head.Spans, screen.OfHead, nil, 0)
	return out.Put(out.Glyphs.Rule, theme.Faint).End()
}

// title draws the title: with a filter how many rows pass, at the right end what is under way.
func (s *Sheet) title() string {
	right := s.activity()
	out := screen.NewLine(s.env.Width, s.env.Glyphs)
	if right != "" {
		out.Left -= min(out.Left, s.env.Glyphs.TextWidth(right)+2)
	}
	room := out.Left
	if f := s.Scan; f != nil {
		out.Put(" "+display.Grouped(int64(len(f.Passed)))+" of "+display.Grouped(int64(s.t.Rows.Len()))+" ", theme.Bold)
	} else {
		out.Put(" ", theme.Plain)
	}
	if text := s.Filtered(); text != "" {
		out.Put(s.env.Glyphs.CutEnd(text, room/2)+" ", theme.Accent).Put(s.env.Glyphs.Dot+" ", theme.Faint)
	}
	out.Put(s.t.Title, theme.Plain)
	if right != "" {
		out.Space(out.Left)
		out.Left = s.env.Width - room
		out.Put("  "+right, theme.Bold)
	}
	return out.End()
}

// activity tells what is under way.
func (s *Sheet) activity() string {
	switch f := s.Scan; {
	case s.doing() != "":
		return s.doing() + s.env.Glyphs.More
	case s.failed != "":
		return s.failed
	case f != nil && f.Err != nil:
		return screen.ErrorLine(f.Err)
	case f != nil && !f.Ended:
		return f.Progress()
	}
	return s.layout.Progress()
}

// ordinal tells which of the rows the i-th is; "" if there are none.
func ordinal(i, rows int) string {
	if rows == 0 {
		return ""
	}
	return " row " + display.Grouped(int64(i+1)) + " of " + display.Grouped(int64(rows))
}

// below draws the line under the rows: the cursor's row, the notes as far as there is room, and its histogram.
func (s *Sheet) below() []string {
	out := screen.NewLine(s.env.Width, s.env.Glyphs)
	out.Put(ordinal(s.Selected(), s.len()), theme.Faint)
	right, notes := s.spread, strings.Join(s.t.Notes, "; ")
	if right.Text == "" && notes != "" {
		right = s.layout.Note(notes)
	} else if free := out.Left - s.env.Glyphs.TextWidth(right.Text) - 6; notes != "" && free >= leastNote {
		out.Space(3)
		out.Put(s.env.Glyphs.CutEnd(notes, free), theme.Faint)
	}
	room := out.Left - 2
	if w := s.env.Glyphs.TextWidth(right.Text); w <= room {
		out.Space(out.Left - w - 1)
		out.Spans(right.Text, right.Spans, screen.OfTable, nil, 0)
	} else if room > 0 {
		out.Space(2)
		out.Spans(right.Text, right.Spans, screen.OfTable, nil, 0)
	}
	return []string{out.End()}
}
