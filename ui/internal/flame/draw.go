package flame

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// View draws the flame: its title, the strip, the levels, and what is under the cursor.
func (s *Screen) View(width, height int, g *screen.Glyphs) []string {
	pic := s.picture()
	if pic == nil || pic.Columns != width { // nothing is known, or it is of another window
		text := ""
		switch {
		case pic != nil:
		case s.find.err != nil && !s.find.task.Running():
			text = s.find.why
		default:
			text = s.flame.env.Spinner() + " looking for the calls; Esc stops"
		}
		return screen.Fill([]string{screen.NewLine(width, g).Put(" "+text, theme.Plain).End()}, width, height, g)
	}
	right := ""
	switch {
	case s.find.task.Running():
		right = s.flame.env.Spinner() + " " + display.Percent(int64(pic.Done), int64(pic.Columns)) + "  Esc stops "
	case pic.Done < pic.Columns:
		right = "stopped at " + display.Percent(int64(pic.Done), int64(pic.Columns)) + " "
	}
	l := screen.NewLine(width, g)
	s.flame.drawStrip(l, pic, pic.ColumnAt(s.at))
	lines := []string{screen.Ends(" "+pic.Title(), right, theme.Accent, theme.Faint, width, g), l.End()}
	most := int64(1)
	for i := range pic.Narrow {
		most = max(most, perColumn(&pic.Narrow[i]))
	}
	for i := s.top; i < min(len(s.cells), s.top+s.rows); i++ {
		lines = append(lines, s.level(pic, i, width, most, g))
	}
	return append(screen.Fill(lines, width, height-2, g), s.legend(pic, width, g), s.about(pic, width, g))
}

// level draws a line of calls. most is the largest number of narrow ones in a column.
func (s *Screen) level(pic *query.FlamePicture, row, width int, most int64, g *screen.Glyphs) string {
	l := screen.NewLine(width, g)
	at := pic.ColumnAt(s.at)
	for k, c := range s.cells[row] {
		here := row == s.row && c.Left <= at && at < c.Right
		if c.Span >= 0 {
			s.box(l, pic, c, (row+k)%2, here)
			continue
		}
		style := theme.Faint
		if c.Narrow >= 0 {
			if heat := table.Heat(float64(perColumn(&pic.Narrow[c.Narrow])) / float64(most)); heat != table.Cool {
				style = screen.OfTable(heat)
			}
		}
		text, from := []rune(c.Text), len(c.Text) // of signs that are a cell wide
		if here {
			from = at - c.Left
		}
		for i, r := range text {
			s.mark(l, i == from)
			l.Put(string(r), style)
		}
		s.mark(l, false)
	}
	return l.End()
}

// box draws a call in the hue of its package: filled, if the terminal has the colors, and otherwise with a border. A wait
// is faint and not filled: the goroutine does nothing there.
func (s *Screen) box(l *screen.Line, pic *query.FlamePicture, c query.FlameCell, tone int, here bool) {
	hue := s.flame.hue(pic.Groups[c.Span])
	fill := l.Glyphs.Pens.Box(hue, tone)
	if pic.Spans[c.Span].Wait {
		hue, fill = theme.Faint, ""
	}
	if fill == "" {
		s.mark(l, here)
		l.Put(c.Text, hue)
		s.mark(l, false)
		return
	}
	text := strings.TrimRight(c.Text, "─┤│-|")
	text += strings.Repeat(" ", c.Right-c.Left-l.Glyphs.TextWidth(text))
	if l.Box = fill; here {
		s.mark(l, here)
	}
	l.Put(text, hue)
	l.Box = ""
}

// mark has what follows drawn as what is under the cursor, or not.
func (s *Screen) mark(l *screen.Line, here bool) {
	switch l.Box = ""; {
	case l.Glyphs.Pens.Box(theme.Hue1, 0) == "":
		l.Cursor = here
	case here:
		l.Box = l.Glyphs.Pens.Of(theme.CurrentMatch, false, false)
	}
}

// legend draws the names of packages in their hues, those that take most of the picture first.
func (s *Screen) legend(pic *query.FlamePicture, width int, g *screen.Glyphs) string {
	columns := make(map[string]int)
	for _, i := range pic.Inner {
		if i >= 0 {
			columns[pic.Groups[i]]++
		}
	}
	l := screen.NewLine(width, g)
	for _, pkg := range slices.SortedFunc(maps.Keys(columns), func(a, b string) int { return cmp.Or(columns[b]-columns[a], strings.Compare(a, b)) }) {
		text := " " + g.CutMiddle(cmp.Or(pkg, "no package"), 32) + " "
		if g.TextWidth(text) >= l.Left {
			break
		}
		l.Space(1)
		l.Box = g.Pens.Box(s.flame.hue(pkg), 0)
		l.Put(text, s.flame.hue(pkg))
		l.Box = ""
	}
	return l.End()
}

// perColumn is how many narrow calls end in a column.
func perColumn(n *lazy.FlameNarrow) int64 { return n.Count / int64(max(1, n.Right-n.Left)) }

// about describes what is under the cursor.
func (s *Screen) about(pic *query.FlamePicture, width int, g *screen.Glyphs) string {
	switch c := s.cell(); {
	case c.Span >= 0:
		name, rest := pic.About(c.Span)
		room := width - g.TextWidth(rest) - 4
		if room < 12 {
			return screen.NewLine(width, g).Put(" "+rest, theme.Bold).End()
		}
		return screen.Ends(" "+g.CutMiddle(name, room), rest+" ", theme.Bold, theme.Plain, width, g)
	case c.Narrow >= 0:
		return screen.NewLine(width, g).Put(" "+pic.AboutNarrow(c.Narrow), theme.Plain).End()
	case c.Unknown:
		return screen.NewLine(width, g).Put(" not known yet", theme.Faint).End()
	}
	return screen.NewLine(width, g).Put(" nothing is called here", theme.Faint).End()
}
