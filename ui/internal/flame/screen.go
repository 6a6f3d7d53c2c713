package flame

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// Screen is the flame of a thread, in place of the tree.
type Screen struct {
	prompt.List // that replaces the tree; all else of it is not used
	flame       *Flame
	thread      int32
	views       []view // what was shown before zooming in, and what is shown
	find        finder

	path []int32 // the events that the cursor is to be put on, the first that is drawn; nil once it has been
	row  int     // of the cursor: a level
	at   int64   // of the cursor: a place on the axis
	top  int     // first level on the screen
	rows int     // levels on the screen

	drawn *query.FlamePicture // that cells are of
	cells [][]query.FlameCell
}

// view is a part of the axis; all of it if to is 0.
type view struct{ from, to int64 }

// newScreen returns the flame of the thread of the tree's cursor.
func (f *Flame) newScreen() *Screen {
	thread, at := f.here()
	s := &Screen{List: prompt.List{Called: "flame", Full: true, Wide: prompt.AllRoom}, flame: f, thread: thread, views: []view{{}}}
	for n := f.tree.Out.Cursor.Node; n != nil && !n.IsThread(); n = n.Parent() {
		s.path = append(s.path, n.Point().Event)
	}
	if pic := f.strip.picture; pic != nil && pic.Thread == thread {
		if k := pic.Column(at); k >= 0 {
			s.at = (pic.Edge(k) + pic.Edge(k+1)) / 2
		}
	}
	return s
}

// settle looks for what is shown.
func (s *Screen) settle(width, height int) tea.Cmd {
	s.rows = max(1, height-4)
	v := s.views[len(s.views)-1]
	w := want{thread: s.thread, from: v.from, to: v.to, columns: width, depth: s.top + s.rows + 1}
	if has := s.find.of.depth; s.find.known && has > w.depth { // it has what is needed
		w.depth = has
	}
	cmd := s.find.settle(s.flame, w)
	s.place()
	return cmd
}

// place puts the cursor on something.
func (s *Screen) place() {
	pic := s.picture()
	if pic == nil || s.find.task.Running() {
		return
	}
	s.begin(pic)
	s.at = min(max(s.at, pic.From), pic.To-1)
	s.row = max(0, min(s.row, len(s.cells)-1))
	for s.row > 0 && !solid(s.cell()) {
		s.row--
	}
	s.top = min(max(s.top, s.row-s.rows+1), s.row)
}

// begin puts the cursor where that of the tree is, once.
func (s *Screen) begin(pic *query.FlamePicture) {
	path := s.path
	s.path = nil
	for _, event := range path {
		i := slices.IndexFunc(pic.Spans, func(c lazy.FlameSpan) bool { return c.Event == event && c.Right > c.Left })
		if i < 0 {
			continue
		}
		c := &pic.Spans[i]
		s.row = c.Depth
		if k := pic.ColumnAt(s.at); k < c.Left || k >= c.Right {
			s.at = (pic.Edge(c.Left) + pic.Edge(c.Right)) / 2
		}
		if event != path[0] && s.row+1 < len(s.cells) { // it is in what is narrow there
			if s.row++; s.cell().Narrow < 0 {
				s.row--
			}
		}
		return
	}
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

// Scroll moves the levels shown.
func (s *Screen) Scroll(n int) {
	s.top = min(max(0, s.top+n), max(0, len(s.cells)-1))
	s.row = min(max(s.row, s.top), s.top+max(0, s.rows-1))
}

// HandleKey moves in the flame, or does what the key asks for.
func (s *Screen) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	name := k.String()
	if s.move(name) {
		s.place()
		return prompt.ListAction{}
	}
	closed := prompt.ListAction{Kind: prompt.Closed}
	switch name {
	case "?":
		s.flame.env.Front.Push(keys.NewHelpList("keys of the flame", screenKeys, s.flame.env.Width, s.flame.env.Glyphs), nil)
	case "esc":
		if s.find.stop(s.flame) {
			break
		}
		last := len(s.views) - 1
		if last == 0 {
			return closed
		}
		s.views = s.views[:last]
	case "q":
		return closed
	case "V":
		s.flame.On = false
		return closed
	default:
		return s.asks(name)
	}
	return prompt.ListAction{}
}

// asks handles the keys about what is under the cursor.
func (s *Screen) asks(name string) prompt.ListAction {
	f, pic := s.flame, s.picture()
	event, from, to := s.Selected()
	if s.index() < 0 {
		return prompt.ListAction{Kind: prompt.Unbound}
	}
	switch c := s.cell(); name {
	case "space", "o":
		at := lazy.Position{Thread: s.thread}
		if c.Span >= 0 {
			at = pic.Spans[c.Span].Position
		} else if k := pic.ColumnAt(from); k+1 < len(pic.Edges) {
			at.At = pic.Edges[k]
		} else {
			return prompt.ListAction{Kind: prompt.Unbound}
		}
		return prompt.ListAction{Kind: prompt.Asked, Leave: true, Do: func() tea.Cmd { return f.tree.Jobs.ToPoint(at, event) }}
	case "(":
		f.begin(pic.Timed, from)
	case ")":
		f.end(pic.Timed, to)
	case "T":
		f.limit(pic.Timed, from, to)
		return prompt.ListAction{Kind: prompt.Asked, Do: func() tea.Cmd { return f.answers.Top("") }}
	default:
		return prompt.ListAction{Kind: prompt.Unbound}
	}
	return prompt.ListAction{}
}

// Click puts the cursor on a cell of a level, or in a column of the strip; a double click zooms.
func (s *Screen) Click(x, y int, double bool) prompt.ListAction {
	const strip = 1 // under the title
	pic := s.picture()
	row := s.top + y - strip - 1
	if pic == nil || x >= pic.Columns || y < strip || y > strip && row >= min(len(s.cells), s.top+s.rows) {
		return prompt.ListAction{}
	}
	s.at = (pic.Edge(x) + pic.Edge(x+1)) / 2
	if y > strip {
		s.row = row
	}
	s.place()
	if double {
		s.into()
	}
	return prompt.ListAction{}
}

// Hint returns the bottom line.
func (s *Screen) Hint(width int, g *screen.Glyphs) string {
	out := "Esc back"
	if len(s.views) > 1 {
		out = "Esc out"
	}
	arrows := keys.KeyName("left", g) + " " + keys.KeyName("right", g) + " " + keys.KeyName("up", g) + " " + keys.KeyName("down", g)
	return keys.HintsText(keys.Hints([]keys.Hint{
		{Text: arrows + " move", Rank: 8}, {Text: "Enter zoom", Rank: 1}, {Text: "+ - < > zoom, pan", Rank: 9}, {Text: "Space in the tree", Rank: 2},
		{Text: "T top", Rank: 3}, {Text: "( ) range", Rank: 5}, {Text: "Tab thread", Rank: 7}, {Text: "V close", Rank: 6}, {Text: "? keys", Rank: 4}, {Text: out},
	}, width, g))
}

// screenKeys are the keys of the flame.
var screenKeys = []keys.Line{
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

// Shown returns the thread, and the part of the axis on the screen; whole: it is all. ok is false if nothing is known.
func (s *Screen) Shown() (thread int32, timed bool, from, to int64, whole, ok bool) {
	pic := s.picture()
	if pic == nil {
		return s.thread, false, 0, 0, false, false
	}
	v := s.views[len(s.views)-1]
	return s.thread, pic.Timed, v.from, v.to, v.to == 0, true
}

// Selected returns the event under the cursor, or -1, and its part of the axis: for narrow calls that is the column.
func (s *Screen) Selected() (event int32, from, to int64) {
	pic, c := s.picture(), s.cell()
	switch {
	case s.index() < 0:
		return -1, 0, 0
	case c.Span >= 0:
		return pic.Spans[c.Span].Event, pic.Spans[c.Span].From, pic.Spans[c.Span].To
	case c.Narrow >= 0:
		c.Left = pic.ColumnAt(s.at)
		c.Right = c.Left + 1
	}
	return -1, pic.Edge(c.Left), max(pic.Edge(c.Right), pic.Edge(c.Left)+1)
}

// move does a move; ok is false if the key is none.
func (s *Screen) move(key string) (ok bool) {
	switch key {
	case "left", "h":
		s.side(-1)
	case "right", "l":
		s.side(1)
	case "down", "j":
		s.down()
	case "up", "k":
		s.row = max(0, s.row-1)
	case "enter":
		s.into()
	case "+", "=":
		s.zoom(1, 2)
	case "-", "_":
		s.zoom(2, 1)
	case "0":
		s.views = s.views[:1]
	case ">":
		s.pan(1)
	case "<":
		s.pan(-1)
	case "pgdown":
		s.Scroll(s.rows - 1)
	case "pgup":
		s.Scroll(1 - s.rows)
	case "tab":
		s.other(1)
	case "shift+tab":
		s.other(-1)
	default:
		return false
	}
	return true
}

// side goes to the next cell of the line with calls, or, where they are narrow, to the next column.
func (s *Screen) side(dir int) {
	pic, i := s.picture(), s.index()
	if i < 0 {
		return
	}
	line := s.cells[s.row]
	if k := pic.ColumnAt(s.at) + dir; line[i].Narrow >= 0 && k >= line[i].Left && k < line[i].Right {
		s.at = (pic.Edge(k) + pic.Edge(k+1)) / 2
		return
	}
	for i += dir; i >= 0 && i < len(line); i += dir {
		switch c := line[i]; {
		case !solid(c):
			continue
		case c.Narrow < 0:
			s.at = s.middle(c)
		case dir > 0:
			s.at = (pic.Edge(c.Left) + pic.Edge(c.Left+1)) / 2
		default:
			s.at = (pic.Edge(c.Right-1) + pic.Edge(c.Right)) / 2
		}
		return
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

// into shows the cursor's cell alone.
func (s *Screen) into() {
	_, from, to := s.Selected()
	pic, c := s.picture(), s.cell()
	if !solid(c) {
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
	last := len(s.views) - 1
	switch {
	case last > 0 && s.views[last] == v:
	case len(s.views) < mostViews:
		s.views = append(s.views, v)
	default:
		s.views[last] = v
	}
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
	r := s.flame.env.Trace.Reader
	threads := r.ThreadList()
	i := threads.Index(s.thread) + dir
	if i < 0 || i >= threads.Len() {
		return
	}
	s.thread, s.row, s.top = threads.ID(i), 0, 0
	if _, timed := r.Times(); !timed {
		s.views = s.views[:1] // its events are others
	}
}
