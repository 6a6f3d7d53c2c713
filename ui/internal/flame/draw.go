package flame

import (
	"hash/fnv"
	"strings"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
)

// View draws the flame: its title, the strip, the levels, and what is under the cursor.
func (s *Screen) View(width, height int, g *screen.Glyphs) []string {
	lines := make([]string, 0, height)
	pic := s.picture()
	switch {
	case pic == nil && s.find.err != nil && s.find.cancel == nil:
		lines = append(lines, screen.NewLine(width, g).Put(" "+s.find.why, screen.Plain).End())
	case pic == nil:
		lines = append(lines, screen.NewLine(width, g).Put(" "+s.p.env.Spinner()+" looking for the calls; Esc stops", screen.Plain).End())
	case pic.Columns != width: // of another window
		pic = nil
	}
	if pic != nil {
		right := ""
		switch {
		case s.find.cancel != nil:
			right = s.p.env.Spinner() + " " + display.Percent(int64(pic.Done), int64(pic.Columns)) + "  Esc stops "
		case s.facts.Edited:
			right = "steps do not change this "
		case pic.Done < pic.Columns:
			right = "stopped at " + display.Percent(int64(pic.Done), int64(pic.Columns)) + " "
		}
		lines = append(lines, screen.Ends(" "+pic.Title(), right, screen.Accent, screen.Faint, width, g))
		l := screen.NewLine(width, g)
		drawStrip(l, pic, s.facts, pic.ColumnAt(s.at))
		lines = append(lines, l.End())
		for i := s.top; i < min(len(s.cells), s.top+s.rows); i++ {
			lines = append(lines, s.level(pic, i, width, g))
		}
	}
	empty := screen.NewLine(width, g).End()
	for len(lines) < height-1 {
		lines = append(lines, empty)
	}
	lines = lines[:max(0, min(len(lines), height-1))]
	return append(lines, s.about(pic, width, g))
}

// level draws a line of calls.
func (s *Screen) level(pic *query.FlamePicture, row, width int, g *screen.Glyphs) string {
	l := screen.NewLine(width, g)
	at := pic.ColumnAt(s.at)
	for _, c := range s.cells[row] {
		style, here := styleOf(pic, c), row == s.row && c.Left <= at && at < c.Right
		if !here || c.Span >= 0 {
			l.Cursor = here
			l.Put(c.Text, style)
			l.Cursor = false
			continue
		}
		text := []rune(c.Text) // of signs that are a cell wide
		l.Put(string(text[:at-c.Left]), style)
		l.Cursor = true
		l.Put(string(text[at-c.Left:at-c.Left+1]), style)
		l.Cursor = false
		l.Put(string(text[at-c.Left+1:]), style)
	}
	return l.End()
}

// hues are the styles that tell calls of different methods apart.
var hues = [...]screen.Style{screen.Plain, screen.FieldName, screen.ArrayName, screen.StringText, screen.NumberText}

// styleOf returns the style of a cell: calls of a method always have the same.
func styleOf(pic *query.FlamePicture, c query.FlameCell) screen.Style {
	if c.Span < 0 || pic.Spans[c.Span].Class != format.ClassCall {
		return screen.Faint
	}
	name, _, _ := strings.Cut(pic.Spans[c.Span].Text, "(")
	h := fnv.New32a()
	h.Write([]byte(name))
	return hues[h.Sum32()%uint32(len(hues))]
}

// about describes what is under the cursor.
func (s *Screen) about(pic *query.FlamePicture, width int, g *screen.Glyphs) string {
	if pic == nil {
		return screen.NewLine(width, g).End()
	}
	switch c := s.cell(); {
	case c.Span >= 0:
		name, rest := pic.About(c.Span)
		room := width - display.TextWidth(rest, g.ASCII) - 4
		if room < 12 {
			return screen.NewLine(width, g).Put(" "+rest, screen.Bold).End()
		}
		return screen.Ends(" "+display.CutMiddle(name, room, g), rest+" ", screen.Bold, screen.Plain, width, g)
	case c.Narrow >= 0:
		return screen.NewLine(width, g).Put(" "+pic.AboutNarrow(c.Narrow), screen.Plain).End()
	case c.Unknown:
		return screen.NewLine(width, g).Put(" not known yet", screen.Faint).End()
	}
	return screen.NewLine(width, g).Put(" nothing is called here", screen.Faint).End()
}
