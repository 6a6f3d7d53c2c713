package flame

import "tracex/lazy/query"

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

// selected returns the part of the axis that the cursor's cell takes; of narrow calls, the column.
func (s *Screen) selected() (from, to int64, ok bool) {
	pic, c := s.picture(), s.cell()
	if s.index() < 0 {
		return 0, 0, false
	}
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
	from, to, ok := s.selected()
	pic, c := s.picture(), s.cell()
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
