package flame

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/help"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// Owner does what a flame asks for besides moves in it.
type Owner interface {
	// Show goes to a point in the tree.
	Show(at lazy.Position, event int32) tea.Cmd
	// Begin and End set an end of the range, and Top shows where the time of a range goes.
	Begin(timed bool, at int64) tea.Cmd
	End(timed bool, at int64) tea.Cmd
	Top(timed bool, from, to int64) tea.Cmd
	// Hide closes the strip as well.
	Hide()
	// Keys lists the keys of the flame.
	Keys() tea.Cmd
}

// Screen is the flame of a thread, in place of the tree.
type Screen struct {
	p      *Part
	owner  Owner
	facts  Facts
	thread int32
	views  []view // what was shown before zooming in, and what is shown
	find   finder

	path []int32 // the events that the cursor is to be put on, the first that is drawn; nil once it has been
	row  int     // of the cursor: a level
	at   int64   // of the cursor: a place on the axis
	top  int     // first level on the screen
	rows int     // levels on the screen

	drawn *query.FlamePicture // that cells are of
	cells [][]query.FlameCell

	leave bool
	do    func() tea.Cmd // what the last key asked for
}

// view is a part of the axis; all of it if to is 0.
type view struct{ from, to int64 }

// Open returns the flame of the thread of the cursor.
func (p *Part) Open(f Facts, owner Owner) *Screen {
	p.shown = &Screen{p: p, owner: owner, facts: f, thread: f.Thread, views: []view{{}}, path: f.Path}
	if pic := p.strip.picture; pic != nil && pic.Thread == f.Thread {
		if k := pic.Column(f.At); k >= 0 {
			p.shown.at = (pic.Edge(k) + pic.Edge(k+1)) / 2
		}
	}
	return p.shown
}

// settle looks for what is shown.
func (s *Screen) settle(width, height int) tea.Cmd {
	s.rows = max(1, height-3)
	v := s.views[len(s.views)-1]
	w := want{
		thread: s.thread, raw: s.facts.Raw, from: v.from, to: v.to, columns: width, depth: s.top + s.rows + 1, generation: s.facts.Generation,
	}
	if has := s.find.of.depth; s.find.known && has > w.depth { // it has what is needed
		w.depth = has
	}
	cmd := s.find.settle(s.p, w)
	s.place()
	return cmd
}

// place puts the cursor on something.
func (s *Screen) place() {
	pic := s.picture()
	if pic == nil || s.find.cancel != nil {
		return
	}
	s.begin(pic)
	s.at = min(max(s.at, pic.From), pic.To-1)
	if n := len(s.cells); s.row >= n {
		s.row = max(0, n-1)
	}
	for s.row > 0 && !solid(s.cell()) {
		s.row--
	}
	s.scroll()
}

// begin puts the cursor where that of the tree is.
func (s *Screen) begin(pic *query.FlamePicture) {
	for _, event := range s.path {
		for i := range pic.Spans {
			if c := &pic.Spans[i]; c.Event == event && c.Right > c.Left {
				s.row = c.Depth
				if k := pic.ColumnAt(s.at); k < c.Left || k >= c.Right {
					s.at = (pic.Edge(c.Left) + pic.Edge(c.Right)) / 2
				}
				if event != s.path[0] && s.row+1 < len(s.cells) { // it is in what is narrow there
					if s.row++; s.cell().Narrow < 0 {
						s.row--
					}
				}
				s.path = nil
				return
			}
		}
	}
	s.path = nil
}

// picture returns what is known of the flame; nil if nothing is.
func (s *Screen) picture() *query.FlamePicture {
	pic := s.find.picture
	if pic == nil || pic.Thread != s.thread {
		return nil
	}
	if pic != s.drawn {
		s.drawn, s.cells = pic, pic.Rows()
	}
	return pic
}

// solid reports whether a cell shows calls.
func solid(c query.FlameCell) bool { return c.Span >= 0 || c.Narrow >= 0 }

// index returns the index of the cursor's cell in its line; -1 if there is none.
func (s *Screen) index() int {
	pic := s.picture()
	if pic == nil || s.row >= len(s.cells) {
		return -1
	}
	k := pic.ColumnAt(s.at)
	for i, c := range s.cells[s.row] {
		if c.Left <= k && k < c.Right {
			return i
		}
	}
	return -1
}

// cell returns the cursor's cell.
func (s *Screen) cell() query.FlameCell {
	if i := s.index(); i >= 0 {
		return s.cells[s.row][i]
	}
	return query.FlameCell{Span: -1, Narrow: -1}
}

// Typing tells that no text is typed.
func (s *Screen) Typing() bool { return false }

// Scroll moves the levels shown.
func (s *Screen) Scroll(n int) {
	s.top = min(max(0, s.top+n), max(0, len(s.cells)-1))
	s.row = min(max(s.row, s.top), s.top+max(0, s.rows-1))
}

// scroll brings the cursor's level on the screen.
func (s *Screen) scroll() {
	s.top = min(max(s.top, s.row-s.rows+1), s.row)
}

// keys are the moves.
var keys = map[string]func(s *Screen){
	"left": func(s *Screen) { s.side(-1) }, "h": func(s *Screen) { s.side(-1) },
	"right": func(s *Screen) { s.side(1) }, "l": func(s *Screen) { s.side(1) },
	"down": (*Screen).down, "j": (*Screen).down,
	"up": (*Screen).up, "k": (*Screen).up,
	"enter": (*Screen).into,
	"+":     func(s *Screen) { s.zoom(1, 2) }, "=": func(s *Screen) { s.zoom(1, 2) },
	"-": func(s *Screen) { s.zoom(2, 1) }, "_": func(s *Screen) { s.zoom(2, 1) },
	"0": func(s *Screen) { s.views = s.views[:1] },
	">": func(s *Screen) { s.pan(1) }, "<": func(s *Screen) { s.pan(-1) },
	"pgdown": func(s *Screen) { s.Scroll(s.rows - 1) }, "pgup": func(s *Screen) { s.Scroll(1 - s.rows) },
	"tab": func(s *Screen) { s.other(1) }, "shift+tab": func(s *Screen) { s.other(-1) },
}

// HandleKey moves in the flame, or tells what the key asks for.
func (s *Screen) HandleKey(k tea.KeyPressMsg) list.Action {
	name := k.String()
	if move, ok := keys[name]; ok {
		move(s)
		s.place()
		return list.Action{}
	}
	switch name {
	case "?":
		s.leave, s.do = false, s.owner.Keys
		return list.Action{Kind: list.Asked}
	case "esc":
		if s.find.stop() {
			return list.Action{}
		}
		if len(s.views) > 1 {
			s.views = s.views[:len(s.views)-1]
			return list.Action{}
		}
		return list.Action{Kind: list.Closed}
	case "q":
		return list.Action{Kind: list.Closed}
	case "V":
		s.owner.Hide()
		return list.Action{Kind: list.Closed}
	}
	return s.asks(name)
}

// asks handles the keys that the owner does something for.
func (s *Screen) asks(name string) list.Action {
	pic := s.picture()
	from, to, ok := s.selected()
	if pic == nil || !ok {
		return list.Action{}
	}
	asked := func(leave bool, do func() tea.Cmd) list.Action {
		s.leave, s.do = leave, do
		return list.Action{Kind: list.Asked}
	}
	switch c := s.cell(); name {
	case "space", "o":
		if c.Span >= 0 {
			span := pic.Spans[c.Span]
			return asked(true, func() tea.Cmd { return s.owner.Show(span.Position, span.Event) })
		}
		if k := pic.ColumnAt(from); k+1 < len(pic.Edges) {
			at := lazy.Position{Thread: s.thread, At: pic.Edges[k]}
			return asked(true, func() tea.Cmd { return s.owner.Show(at, -1) })
		}
	case "(":
		return asked(false, func() tea.Cmd { return s.owner.Begin(pic.Timed, from) })
	case ")":
		return asked(false, func() tea.Cmd { return s.owner.End(pic.Timed, to) })
	case "T":
		return asked(false, func() tea.Cmd { return s.owner.Top(pic.Timed, from, to) })
	}
	return list.Action{Kind: list.Unbound}
}

// Click puts the cursor on a cell of a level, or in a column of the strip; a double click zooms.
func (s *Screen) Click(x, y int, double bool) list.Action {
	const strip = 1 // under the title
	pic := s.picture()
	row := s.top + y - strip - 1
	if pic == nil || x >= pic.Columns || y < strip || y > strip && row >= min(len(s.cells), s.top+s.rows) {
		return list.Action{}
	}
	s.at = (pic.Edge(x) + pic.Edge(x+1)) / 2
	if y > strip {
		s.row = row
	}
	s.place()
	if double {
		s.into()
	}
	return list.Action{}
}

// Do returns what the last key asked for.
func (s *Screen) Do() (leave bool, do func() tea.Cmd) { return s.leave, s.do }

// selected returns the part of the axis that the cursor's cell takes; of narrow calls, the column.
func (s *Screen) selected() (from, to int64, ok bool) {
	pic, i := s.picture(), s.index()
	if pic == nil || i < 0 {
		return 0, 0, false
	}
	c := s.cells[s.row][i]
	switch {
	case c.Span >= 0:
		return pic.Spans[c.Span].From, pic.Spans[c.Span].To, true
	case c.Narrow >= 0:
		c.Left = pic.ColumnAt(s.at)
		c.Right = c.Left + 1
	}
	return pic.Edge(c.Left), max(pic.Edge(c.Right), pic.Edge(c.Left)+1), true
}

// side goes to the next cell of the line with calls, or, where they are narrow, to the next column.
func (s *Screen) side(dir int) {
	pic, i := s.picture(), s.index()
	if pic == nil || i < 0 {
		return
	}
	line := s.cells[s.row]
	if k := pic.ColumnAt(s.at) + dir; line[i].Narrow >= 0 && k >= line[i].Left && k < line[i].Right {
		s.at = (pic.Edge(k) + pic.Edge(k+1)) / 2
		return
	}
	for i += dir; i >= 0 && i < len(line); i += dir {
		if solid(line[i]) {
			s.at = s.middle(line[i])
			if c := line[i]; c.Narrow >= 0 && dir > 0 {
				s.at = (pic.Edge(c.Left) + pic.Edge(c.Left+1)) / 2
			} else if c.Narrow >= 0 {
				s.at = (pic.Edge(c.Right-1) + pic.Edge(c.Right)) / 2
			}
			return
		}
	}
	s.pan(dir)
}

// middle returns the place on the axis in the middle of a cell.
func (s *Screen) middle(c query.FlameCell) int64 { return s.drawn.Edge((c.Left + c.Right) / 2) }

// down goes to what is in the cursor's cell: at the cursor's place, or else nearest to it.
func (s *Screen) down() {
	pic := s.picture()
	if pic == nil || s.row+1 >= len(s.cells) {
		return
	}
	in, k := s.cell(), pic.ColumnAt(s.at)
	best, far := -1, 0
	for i, c := range s.cells[s.row+1] {
		if !solid(c) || c.Right <= in.Left || c.Left >= in.Right {
			continue
		}
		away := max(c.Left-k, k-c.Right+1, 0)
		if best < 0 || away < far {
			best, far = i, away
		}
	}
	if best < 0 {
		return
	}
	if s.row++; far > 0 {
		s.at = s.middle(s.cells[s.row][best])
	}
}

func (s *Screen) up() { s.row = max(0, s.row-1) }

// into shows the cursor's cell alone.
func (s *Screen) into() {
	from, to, ok := s.selected()
	pic := s.picture()
	c := s.cell()
	if !ok || !solid(c) {
		return
	}
	if c.Narrow >= 0 { // with what is around it
		k := pic.ColumnAt(s.at)
		from, to = pic.Edge(max(k-nearColumns, 0)), pic.Edge(min(k+nearColumns+1, pic.Columns))
	}
	from, to = max(from, pic.Begin), min(to, pic.End)
	if from == pic.From && to == pic.To || to-from < 2 {
		return
	}
	s.show(view{from, to})
}

// nearColumns is how many columns on both sides of a narrow one are shown with it.
const nearColumns = 2

// show shows a part of the axis.
func (s *Screen) show(v view) {
	if last := len(s.views) - 1; last > 0 && s.views[last] == v {
		return
	}
	if len(s.views) < mostViews {
		s.views = append(s.views, v)
		return
	}
	s.views[len(s.views)-1] = v
}

// mostViews bounds how many views Esc goes back through.
const mostViews = 200

// zoom shows a part of another length, by and of, around the cursor.
func (s *Screen) zoom(by, of int64) {
	pic := s.picture()
	if pic == nil {
		return
	}
	length := (pic.To - pic.From) / of * by
	if whole := pic.End - pic.Begin; length >= whole {
		s.views = s.views[:1]
		return
	}
	length = max(length, 2)
	from := s.at - length/2
	from = min(max(from, pic.Begin), pic.End-length)
	s.show(view{from, from + length})
}

// pan moves what is shown by half of its length.
func (s *Screen) pan(dir int) {
	pic := s.picture()
	if pic == nil || len(s.views) == 1 {
		return
	}
	length := pic.To - pic.From
	from := min(max(pic.From+int64(dir)*max(length/2, 1), pic.Begin), pic.End-length)
	s.at += from - pic.From
	s.views[len(s.views)-1] = view{from, from + length}
}

// other shows another thread.
func (s *Screen) other(dir int) {
	threads := s.p.r.ThreadList()
	for i := range threads.Len() {
		if threads.ID(i) == s.thread && i+dir >= 0 && i+dir < threads.Len() {
			s.thread, s.row, s.top = threads.ID(i+dir), 0, 0
			if _, timed := s.p.r.Times(); !timed {
				s.views = s.views[:1] // its events are others
			}
			return
		}
	}
}

// Hint returns the bottom line.
func (s *Screen) Hint(width int, g *screen.Glyphs) string {
	out := "Esc back"
	if len(s.views) > 1 {
		out = "Esc out"
	}
	arrows := screen.KeyName("left", g) + " " + screen.KeyName("right", g) + " " + screen.KeyName("up", g) + " " + screen.KeyName("down", g)
	return help.Hints([]help.Hint{
		{Text: arrows + " move", Rank: 8}, {Text: "Enter zoom", Rank: 1}, {Text: "+ - < > zoom, pan", Rank: 9}, {Text: "Space in the tree", Rank: 2},
		{Text: "T top", Rank: 3}, {Text: "( ) range", Rank: 5}, {Text: "Tab thread", Rank: 7}, {Text: "V close", Rank: 6}, {Text: "? keys", Rank: 4}, {Text: out},
	}, width, g)
}

// Keys are the keys of the flame.
var Keys = []help.Key{
	{Group: "This flame", Names: "h l", Does: "the call before, the call after"},
	{Group: "This flame", Names: "j k", Does: "down into what is called there; up"},
	{Group: "This flame", Names: "Enter", Does: "show only what is under the cursor"},
	{Group: "This flame", Names: "Esc", Does: "stop work, show again what was shown before, or go back"},
	{Group: "This flame", Names: "+ -", Does: "shorter, longer part of the recording"},
	{Group: "This flame", Names: "< >", Does: "earlier, later"},
	{Group: "This flame", Names: "0", Does: "all of the thread"},
	{Group: "This flame", Names: "PgDn PgUp", Does: "scroll the levels"},
	{Group: "This flame", Names: "Tab", Does: "the next thread; Shift-Tab: the one before"},
	{Group: "This flame", Names: "Space o", Does: "go there in the tree"},
	{Group: "This flame", Names: "T", Does: "the methods of what is under the cursor: its range becomes that of all answers"},
	{Group: "This flame", Names: "( )", Does: "all answers: only from there on; only up to there"},
	{Group: "This flame", Names: ":", Does: "go to a place, or a command: :export writes what is shown to a file"},
	{Group: "This flame", Names: "V", Does: "close the flame and the strip"},
	{Group: "This flame", Names: "q", Does: "close the flame"},
}

// Shown returns the thread of the flame, and the part of the axis on the screen; whole tells that it is all of the
// thread. ok is false as long as nothing is known.
func (s *Screen) Shown() (thread int32, timed bool, from, to int64, whole, ok bool) {
	pic := s.picture()
	if pic == nil {
		return s.thread, false, 0, 0, false, false
	}
	v := s.views[len(s.views)-1]
	return s.thread, pic.Timed, v.from, v.to, v.to == 0, true
}

// Selected returns the event under the cursor, and the part of the axis that it takes; -1 if the cursor is
// on no single call, loop or iteration.
func (s *Screen) Selected() (event int32, from, to int64) {
	from, to, ok := s.selected()
	if c := s.cell(); ok && c.Span >= 0 {
		return s.drawn.Spans[c.Span].Event, from, to
	}
	return -1, from, to
}
