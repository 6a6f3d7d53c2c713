package table

import (
	"bufio"
	"fmt"
	"io"

	"tracex/lazy/query/display"
)

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
