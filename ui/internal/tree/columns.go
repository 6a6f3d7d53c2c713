package tree

import (
	"cmp"
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// column is a column of numbers at the right end of the rows.
type column struct {
	title string // also its name, for users
	key   string // shows or hides it, see [Columns.Ask]
	head  string // in place of the title; "" for that
	width int    // cells, with the blanks on the left
	gauge int    // cells of a bar after the text, with the blank before it
	from  int    // the width of a tree from which on it has the column
	cell  func(v *View, l *lazy.Line, room int) (text string, s theme.Role)
	unit  string // after the title; "" if it is with each number
	times bool   // only in a trace with times
	plain bool   // in any, but the explorer chooses it only for a trace without times
}

// allColumns are all columns, in their order on the screen. As the tree gets narrower, they are
// dropped one by one, first those that tell least about where the time went.
var allColumns = []column{
	{title: "start", key: "t", unit: " s", width: 14, from: 140, times: true, cell: startCell},
	{title: "duration", key: "d", width: 9, from: 50, times: true, cell: durationCell},
	{title: "self", key: "s", width: 9, from: 76, times: true, cell: selfCell},
	{title: "share", key: "p", width: 7, from: 60, times: true, cell: shareCell},
	{title: "nested", key: "n", width: 10, from: 64, plain: true, cell: nestedCell},
	{title: "children", key: "c", width: 10, from: 90, cell: childrenCell},
}

// partWidth is the width of the column of children in a tree that shows only some of them.
const partWidth = 14

// childrenFrom is the width of a tree without times from which on it has the column of children.
const childrenFrom = 50

// gaugeWidth is the cells of a bar, with the blank before it, in a tree from gaugeFrom cells on.
const (
	gaugeWidth = 9
	gaugeFrom  = 110
)

func (v *View) columns(width int) []column {
	if v.cols != nil && v.colsFor == width {
		return v.cols
	}
	var shown []column
	all := pairColumns
	if v.Pairs == nil {
		all = v.Choice.from(v.Timed)
	}
	for _, c := range all {
		if width < c.from {
			continue
		}
		if v.Part && c.title == "children" {
			c.head, c.width = "shown/all", max(c.width, partWidth)
		}
		if v.Edited && c.title == "nested" {
			c.head, c.width = "recorded", c.width+1
		}
		if (c.title == "share" || c.title == "nested") && width >= gaugeFrom {
			c.gauge = gaugeWidth
		}
		shown = append(shown, c)
	}
	v.cols, v.colsFor = shown, width
	return shown
}

// tail is the right end of a row: a text for each column.
type tail struct {
	cells []tailCell
	width int // of all, with the blanks at the end; 0 if there is none
}

type tailCell struct {
	*column
	text        string
	s           theme.Role
	part, whole int64 // what the bar shows
}

// tailOf returns the tail of a node's row. If the columns have nothing to show for it, its text gets the whole row.
func (v *View) tailOf(of *lazy.Line, width int) tail {
	shown := v.columns(width)
	t, some := tail{cells: make([]tailCell, 0, len(shown))}, false
	for i := range shown {
		c := &shown[i]
		text, s := c.cell(v, of, c.width-1)
		cell := tailCell{column: c, text: text, s: s}
		switch {
		case text == "":
		case c.title == "share":
			cell.part, cell.whole = of.Time.Duration, of.Whole
		case c.gauge > 0:
			cell.part, cell.whole = of.Nested, of.NestedIn
		}
		some = some || text != ""
		t.cells = append(t.cells, cell)
		t.width += c.width + c.gauge
	}
	if !some {
		return v.bare(width)
	}
	t.width += 2 // like the rule, which has two cells after the titles
	return t
}

// bare returns the tail of a row without numbers. In a tree that has columns, its last cell is for the scroll bar.
func (v *View) bare(width int) tail { return tail{width: min(1, len(v.columns(width)))} }

// Columned reports whether rows of a tree end in columns, with a blank after them.
func (v *View) Columned(width int) bool { return v.bare(width).width > 0 }

// draw draws the tail at the end of a line that has just its width left.
func (t *tail) draw(l *screen.Line, faint bool) {
	for _, c := range t.cells {
		if faint {
			c.s = theme.Faint
		}
		end := l.Left - c.width
		l.Space(c.width - l.Glyphs.TextWidth(c.text))
		l.Put(c.text, c.s)
		l.Space(l.Left - end)
		if c.gauge > 0 {
			end -= c.gauge
			l.Space(1)
			if !faint {
				l.Gauge(c.part, c.whole, c.gauge-1)
			}
			l.Space(l.Left - end)
		}
	}
}

// Head draws the titles over the columns of a tree.
func (v *View) Head(width int) string {
	shown := v.columns(width)
	if len(shown) == 0 {
		return screen.Titled("", "", width, v.Glyphs)
	}
	var titles strings.Builder
	blank := "" // separates a title from the rule after it
	for _, c := range shown {
		title := " " + cmp.Or(c.head, c.title) + c.unit
		if v.ByWeight && c.title == v.weighs() {
			title = " " + v.Glyphs.Sorted + title
		}
		rest := max(0, c.width-v.Glyphs.TextWidth(title))
		if rest < len(blank) {
			blank = ""
		}
		titles.WriteString(blank + strings.Repeat(v.Glyphs.Rule, rest-len(blank)) + title)
		if blank = " "; c.gauge > 0 {
			of := "" // a share has its title already
			if c.title != "share" {
				of = "share "
			}
			titles.WriteString(blank + of + strings.Repeat(v.Glyphs.Rule, c.gauge-1-len(of)))
			blank = ""
		}
	}
	return screen.Titled("", titles.String()+" ", width, v.Glyphs)
}

// headAt returns the title of the column at a cell of the head of a tree; "" if there is none.
func (v *View) headAt(x, width int) string {
	shown, end := v.columns(width), width-2
	for i := len(shown) - 1; i >= 0 && x < end; i-- {
		if end -= shown[i].width + shown[i].gauge; x >= end {
			return shown[i].title
		}
	}
	return ""
}

// weighs returns the title of the column that children are sorted by.
func (v *View) weighs() string {
	if v.Timed {
		return "duration"
	}
	return "nested"
}

// weight is the style of a duration: faint if the node hardly contributed to the time of its parent.
func weight(l *lazy.Line) theme.Role {
	if l.Time.Duration < l.Whole/1000 {
		return theme.Faint
	}
	return theme.Plain
}

// startCell is when a node began, in seconds since the recording did, to the microsecond.
func startCell(_ *View, l *lazy.Line, _ int) (string, theme.Role) {
	if !l.Timed {
		return "", theme.Plain
	}
	return fmt.Sprintf("%d.%06d", l.Time.Start/1e9, l.Time.Start%1e9/1e3), theme.Faint
}

func durationCell(v *View, l *lazy.Line, room int) (string, theme.Role) {
	switch {
	case l.Timed && (l.State == lazy.StatePending || l.Least): // of a thread, it has not ended
		return strings.TrimSpace(v.Glyphs.AtLeast) + v.duration(l.Time.Duration, room-2), theme.Faint
	case l.Timed:
		return v.duration(l.Time.Duration, room), weight(l)
	case l.State == lazy.StateUnfinished, l.State == lazy.StatePending:
		return v.Glyphs.More, theme.Faint
	}
	return "", theme.Plain
}

// selfCell is the self time of a node: while not all children are known, the time left over so far. A thread has none:
// it would be time in which nothing was recorded.
func selfCell(v *View, l *lazy.Line, room int) (string, theme.Role) {
	switch {
	case !l.Timed || l.IsThread() || !l.SelfKnown:
		return "", theme.Plain
	case l.SelfExact:
		return v.duration(l.Self, room), weight(l)
	}
	return v.Glyphs.CutEnd(v.Glyphs.AtMost+v.duration(l.Self, room-2), room), theme.Faint
}

func shareCell(_ *View, l *lazy.Line, _ int) (string, theme.Role) {
	if !l.Timed {
		return "", theme.Plain
	}
	return display.Share(l.Time.Duration, l.Whole), weight(l)
}

// childrenCell is the number of children, in fewer digits if the full number does not fit.
func childrenCell(v *View, l *lazy.Line, room int) (string, theme.Role) {
	if l.Around {
		return v.partCell(l, room)
	}
	text, s := screen.Count(l.Count, l.CountExact, l.CountKnown, v.Glyphs), theme.Plain
	if !l.CountExact {
		s = theme.Faint
	}
	if v.Glyphs.TextWidth(text) > room {
		text = display.Short(l.Count)
		if !l.CountExact {
			text = v.Glyphs.AtLeast + text
		}
	}
	return text, s
}

// partCell is how many of the children are shown, of all of them.
func (v *View) partCell(l *lazy.Line, room int) (string, theme.Role) {
	write := func(number func(int64) string) string {
		shown, all := number(l.Shown), ""
		if !l.ShownExact {
			shown = v.Glyphs.AtLeast + shown
		}
		if l.CountKnown {
			all = "/" + number(l.Count)
			if !l.CountExact {
				all = "/" + v.Glyphs.AtLeast + number(l.Count)
			}
		}
		return shown + all
	}
	if l.Shown == 0 && !l.ShownExact {
		return "", theme.Plain
	}
	text, s := write(display.Grouped), theme.Plain
	if v.Glyphs.TextWidth(text) > room {
		text = write(display.Short)
	}
	if !l.ShownExact || !l.CountExact {
		s = theme.Faint
	}
	return text, s
}

// nestedCell is how much the tree shows below a node: until what folding hides is known, at most what was recorded.
func nestedCell(v *View, l *lazy.Line, room int) (string, theme.Role) {
	if l.Nested == 0 {
		return "", theme.Plain
	}
	text, least := display.Grouped(l.Nested), ""
	switch {
	case l.NestedMost && !l.NestedExact:
		least = v.Glyphs.About
	case l.NestedMost:
		least = v.Glyphs.AtMost
	case !l.NestedExact:
		least = v.Glyphs.AtLeast
	}
	if v.Glyphs.TextWidth(least+text) > room {
		text = display.Short(l.Nested)
	}
	switch {
	case least != "":
		return least + text, theme.Faint
	case l.Nested < l.NestedIn/1000:
		return text, theme.Faint
	}
	return text, theme.Plain
}
