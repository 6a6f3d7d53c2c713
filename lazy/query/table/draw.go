package table

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
)

// Title draws the title of the table, and at the right end how much of the data has been read.
func (l *Layout) Title() Line {
	w := line{g: l.g}
	w.space(min(1, l.margin))
	right := l.Progress()
	if l.width == 0 {
		w.put(l.t.Title, Plain)
		if right != "" {
			w.put("  "+l.g.Dot+" "+right, Faint)
		}
		return w.end()
	}
	room := l.width - w.width
	if right != "" {
		room -= l.g.TextWidth(right) + 3
	}
	w.cut(l.t.Title, styled(Plain), max(0, room), false)
	if right != "" && room > 0 {
		w.until(l.width - l.g.TextWidth(right) - 1)
		w.put(right, Strong)
	}
	return w.end()
}

// Progress tells that the table is partial, and how much has been read; "" if it is complete.
func (l *Layout) Progress() string {
	switch {
	case !l.t.Partial:
		return ""
	case l.t.Done > 0:
		return fmt.Sprintf("partial, %d %%", min(99, int(100*l.t.Done)))
	}
	return "partial"
}

// Head draws a rule with the titles of the columns.
func (l *Layout) Head() Line {
	w := line{g: l.g}
	rule := func(to int) {
		if n := to - w.width; n > 0 {
			w.cell(strings.Repeat(l.g.Rule, n), n, Faint)
		}
	}
	for _, s := range l.shown {
		c := &l.t.Columns[s.column]
		title := l.head(c)
		if title == "" { // the rule goes on
			continue
		}
		at := s.at
		if c.right() {
			at = max(s.at, s.at+s.wide-l.g.TextWidth(title))
		}
		rule(at - 1)
		w.until(at)
		style := Plain
		if title != c.Title {
			style = Strong
		}
		w.cut(title, styled(style), s.at+s.wide-at, false)
		w.space(min(1, l.total()-w.width))
	}
	rule(l.total())
	return l.clipped(&w)
}

// Row draws a row. It is as wide as its last value: nothing follows it.
func (l *Layout) Row(i int) Line { return l.Values(l.t.Rows.Row(i)) }

// Values draws the values of a row; those that are nil as one that is not known yet.
func (l *Layout) Values(values []Value) Line { return l.Shifted(values, 0) }

// Shifted draws the values of a row. Of the texts that do not fit, up to skip cells are left out at the left.
func (l *Layout) Shifted(values []Value, skip int) Line {
	w := line{g: l.g, b: make([]byte, 0, l.width+32), spans: make([]format.Span, 0, 2*len(l.shown)+4)}
	if values == nil {
		w.space(l.margin)
		w.put(l.g.More, Faint)
		return w.end()
	}
	for _, s := range l.shown {
		c := &l.t.Columns[s.column]
		text, spans := c.shown(values[s.column], l.g)
		if width := widthUpTo(text, s.wide+1, l.g); width > s.wide && c.Kind == Count {
			v := values[s.column]
			text = c.sign(v, l.g) + display.Short(v.n)
			spans = styled(Plain)
		}
		at := s.at
		if c.right() {
			at += s.wide - widthUpTo(text, s.wide, l.g)
		}
		if text != "" {
			w.until(at)
			w.shifted(text, spans, s.wide, c.CutMiddle, skip)
		}
		if v := values[s.column]; s.bar > 0 && v.Known() {
			w.until(s.at + s.wide + 1)
			w.gauge(v.f, s.bar-1)
		}
	}
	return l.clipped(&w)
}

// Hidden returns how many cells of the longest text of a row do not fit.
func (l *Layout) Hidden(values []Value) (most int) {
	for _, s := range l.shown {
		if c := &l.t.Columns[s.column]; c.Kind == Text && s.column < len(values) {
			text, _ := c.shown(values[s.column], l.g)
			most = max(most, l.g.TextWidth(text)-s.wide)
		}
	}
	return most
}

// clipped returns a line that is not wider than the layout, which is so only where it has no room
// for the columns that are always shown.
func (l *Layout) clipped(w *line) Line {
	if l.width == 0 || w.width <= l.width {
		return w.end()
	}
	c := line{g: l.g}
	text := string(w.b)
	c.cut(text, w.spans, l.width, false)
	return c.end()
}

// Spread draws the histogram of a row, or of the whole table if row is -1: its caption, the
// smallest number, bars, the largest number. It leaves some cells to what is besides. It is empty if there is none.
func (l *Layout) Spread(row, besides int) Line {
	w := line{g: l.g}
	if l.t.Spread == nil {
		return Line{}
	}
	caption, h := l.t.Spread(row)
	if h == nil || h.Count() == 0 {
		return Line{}
	}
	const bars, fewest = 40, 4
	low, high := l.g.Duration(h.Min()), l.g.Duration(h.Max())
	w.space(min(1, l.margin))
	w.put(caption+"  ", Faint)
	w.put(low+" ", Plain)
	room := bars
	if l.width > 0 {
		room = min(bars, l.width-besides-w.width-len(" ")-l.g.TextWidth(high)-1)
	}
	if room < fewest {
		return Line{}
	}
	w.put(h.Text(room, l.g.ASCII), format.StyleNumber)
	w.put(" "+high, Plain)
	return l.clipped(&w)
}

// Note draws a line after the rows.
func (l *Layout) Note(text string) Line {
	w := line{g: l.g}
	w.space(min(1, l.margin))
	if l.width == 0 {
		w.put(text, Faint)
	} else {
		w.cut(text, styled(Faint), l.width-w.width, false)
	}
	return w.end()
}

// Options tell how much of a table is written as text, and how wide.
type Options struct {
	Width  int // of a line in cells; 0 if as wide as needed, for files and pipes
	Limit  int // rows; 0 for all
	Glyphs *display.Glyphs
}

// measured is how many rows the widths of the columns are chosen by.
const measured = 10_000

// WriteText writes the table as text: title, head, rows, how many more there are, notes. It
// escapes control characters and has no colors.
func WriteText(w io.Writer, t *Table, o Options) error {
	out := bufio.NewWriter(w)
	l := NewLayout(t, o.Width, 0, o.Glyphs)
	n, more := limited(t, o.Limit)
	l.Fit(0, min(n, measured))
	print := func(line Line) { fmt.Fprintln(out, line.Text) }
	if t.Title != "" || t.Partial {
		print(l.Title())
	}
	print(l.Head())
	for i := range n {
		print(l.Row(i))
	}
	if t.Rows.Len() == 0 && t.Empty != "" {
		print(l.Note(t.Empty))
	}
	if more > 0 {
		print(l.Note(o.Glyphs.More + " " + display.Grouped(int64(more)) + " more (--limit 0)"))
	}
	if line := l.Spread(-1, 0); line.Text != "" {
		print(line)
	}
	for _, note := range t.Notes {
		print(l.Note(note))
	}
	return out.Flush()
}

// limited returns how many rows are written, and how many are left out.
func limited(t *Table, limit int) (n, more int) {
	n = t.Rows.Len()
	if limit > 0 && limit < n {
		return limit, n - limit
	}
	return n, 0
}
