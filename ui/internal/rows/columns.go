package rows

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// countWidth is the minimum width of the number of children, with the blanks around it, if
// there are no other columns.
const countWidth = 9

// countFrom is the width of a tree from which on it has a column of children, if there are
// no other columns.
const countFrom = 50

// column is a column of numbers at the right end of the rows.
type column struct {
	title string
	width int // cells, with the blanks on the left
	gauge int // cells of a bar after the text, with the blank before it
	from  int // the width of a tree from which on it has the column
	cell  func(v *View, l *lazy.Line, room int) (text string, s screen.Style)
}

// timeColumns are the columns of a trace with times, in their order on the screen. As the tree gets
// narrower, they are dropped one by one, first those that tell least about where the time went.
var timeColumns = []column{
	{"duration", 9, 0, 50, durationCell},
	{"self", 9, 0, 76, selfCell},
	{"share", 7, 0, 60, shareCell},
	{"children", 10, 0, 90, childrenCell},
}

// gaugeWidth is how many cells the bar of the column share takes, with the
// blank before it, in a tree from gaugeFrom cells on.
const (
	gaugeWidth = 9
	gaugeFrom  = 110
)

// columns returns the columns of a tree of a given width in a trace with times.
func columns(width int) []column {
	var shown []column
	for _, c := range timeColumns {
		if width < c.from {
			continue
		}
		if c.title == "share" && width >= gaugeFrom {
			c.gauge = gaugeWidth
		}
		shown = append(shown, c)
	}
	return shown
}

// tail is the right end of a row: a text for each column.
type tail struct {
	cells []tailCell
	width int // of all, with the blanks at the end; 0 if there is none
}

type tailCell struct {
	column
	text string
	s    screen.Style
	bar  string
}

// tailOf returns the tail of a node's row in a tree of a given width. If the columns have
// nothing to show for a node, its text gets the whole row.
func (v *View) tailOf(of *lazy.Line, width int) tail {
	if !v.Timed {
		text, s := countCell(v, of)
		if text == "" || width < countFrom {
			return tail{}
		}
		w := max(countWidth, screen.TextWidth(text, v.Glyphs.ASCII)+2)
		return tail{[]tailCell{{column: column{width: w - 1}, text: text, s: s}}, w}
	}
	var t tail
	some := false
	for _, c := range columns(width) {
		text, s := c.cell(v, of, c.width-1)
		cell := tailCell{column: c, text: text, s: s}
		if c.gauge > 0 {
			cell.bar = screen.Gauge(of.Time.Duration, of.Whole, c.gauge-1, v.Glyphs)
		}
		some = some || text != ""
		t.cells = append(t.cells, cell)
		t.width += c.width + c.gauge
	}
	if !some {
		return tail{}
	}
	t.width += 2 // like the rule, which has two cells after the titles
	return t
}

// draw draws the tail at the end of a line that has just its width left.
func (t *tail) draw(l *screen.Line) {
	for _, c := range t.cells {
		end := l.Left - c.width
		l.Space(c.width - screen.TextWidth(c.text, l.Glyphs.ASCII))
		l.Put(c.text, c.s)
		l.Space(l.Left - end)
		if c.gauge > 0 {
			end -= c.gauge
			l.Space(1)
			l.Put(c.bar, screen.Faint)
			l.Space(l.Left - end)
		}
	}
}

// Head draws the titles over the columns of a tree.
func (v *View) Head(width int) string {
	if !v.Timed {
		return screen.Titled("", " children ", width, v.Glyphs)
	}
	shown := columns(width)
	if len(shown) == 0 {
		return screen.Titled("", "", width, v.Glyphs)
	}
	var titles strings.Builder
	blank := "" // separates a title from the rule after it
	for i, c := range shown {
		title := " " + c.title
		if i == 0 && v.ByDuration {
			title = " " + v.Glyphs.Sorted + title
		}
		rest := max(0, c.width-screen.TextWidth(title, v.Glyphs.ASCII))
		if rest < len(blank) {
			blank = ""
		}
		titles.WriteString(blank + strings.Repeat(v.Glyphs.Rule, rest-len(blank)) + title)
		if blank = " "; c.gauge > 0 {
			titles.WriteString(blank + strings.Repeat(v.Glyphs.Rule, c.gauge-1))
			blank = ""
		}
	}
	return screen.Titled("", titles.String()+" ", width, v.Glyphs)
}

// weight is the style of a duration. It is faint if the node hardly contributed to the time of
// its parent, so that the others catch the eye.
func weight(l *lazy.Line) screen.Style {
	if l.Time.Duration < l.Whole/1000 {
		return screen.Faint
	}
	return screen.Plain
}

func durationCell(v *View, l *lazy.Line, _ int) (string, screen.Style) {
	switch {
	case l.Timed && l.State == lazy.StatePending: // a thread that has not ended
		return strings.TrimSpace(v.Glyphs.AtLeast) + screen.Duration(l.Time.Duration, v.Glyphs), screen.Faint
	case l.Timed:
		return screen.Duration(l.Time.Duration, v.Glyphs), weight(l)
	case l.State == lazy.StateUnfinished, l.State == lazy.StatePending:
		return v.Glyphs.More, screen.Faint
	}
	return "", screen.Plain
}

// selfCell is the self time of a node. While not all of its children are known, it is the time
// left over so far. A thread has none: it would be time in which nothing was recorded.
func selfCell(v *View, l *lazy.Line, room int) (string, screen.Style) {
	switch {
	case !l.Timed || l.IsThread() || !l.SelfKnown:
		return "", screen.Plain
	case l.SelfExact:
		return screen.Duration(l.Self, v.Glyphs), weight(l)
	}
	return screen.CutEnd(v.Glyphs.AtMost+screen.Duration(l.Self, v.Glyphs), room, v.Glyphs), screen.Faint
}

func shareCell(_ *View, l *lazy.Line, _ int) (string, screen.Style) {
	if !l.Timed {
		return "", screen.Plain
	}
	return screen.Share(l.Time.Duration, l.Whole), weight(l)
}

// childrenCell is the number of children, in fewer digits if the full number does not fit.
func childrenCell(v *View, l *lazy.Line, room int) (string, screen.Style) {
	text, s := countCell(v, l)
	if screen.TextWidth(text, v.Glyphs.ASCII) > room {
		text = screen.Short(l.Count)
		if !l.CountExact {
			text = v.Glyphs.AtLeast + text
		}
	}
	return text, s
}

func countCell(v *View, l *lazy.Line) (string, screen.Style) {
	s := screen.Plain
	if !l.CountExact {
		s = screen.Faint
	}
	return nodetext.Count(l.Count, l.CountExact, l.CountKnown, v.Glyphs), s
}
