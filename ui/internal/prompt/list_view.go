package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Item is a line of a list, with the text that a filter matches.
type Item struct {
	Cells []Cell
	Head  bool   // a heading, which cannot be chosen
	Whole string // the full text if cells cut it; a filter matches it too
}

// Cell is a part of a line.
type Cell struct {
	Text  string
	Style theme.Role
	At    int // column; 0 means right after the one before
	// Aside excludes the cell from the filter.
	Aside bool
	// Spans are the styles of the parts of the text, if it has several; Of tells how each is drawn.
	Spans []format.Span
	Of    func(format.Style) theme.Role
	Skip  int      // cells of the text to leave out on the left
	Lit   [][2]int // parts of the text to highlight besides those that match the filter, in order
	// Width is how many cells the text takes at most; 0 means the rest of the line. If it is set,
	// a sign tells that something is left out on the left.
	Width int
}

// Text returns the text that a filter matches.
func (it *Item) Text() string {
	var b strings.Builder
	b.WriteString(it.Whole)
	b.WriteByte(' ')
	for _, c := range it.Cells {
		if !c.Aside {
			b.WriteString(c.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (l *List) View(width, height int, g *screen.Glyphs) []string {
	l.settle(height)
	var lines, below []string
	if l.Above != nil {
		lines = l.Above()
	} else {
		lines = []string{l.title(width, g)}
	}
	if l.Head != nil {
		lines = append(lines, l.Head(width))
	}
	if l.Below != nil {
		below = l.Below()
	}
	height -= len(below)
	top := len(lines)
	for i := l.top; i < l.Count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.Item(l.Index(i)), l.Choosable && i == l.sel, width, g))
	}
	if l.Count() == 0 && len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).Put("  "+l.nothing(), theme.Faint).End())
	}
	if lines = screen.Fill(lines, width, height, g); l.Full && screen.Inside(width) < width {
		l.Extent().Over(lines[min(top, len(lines)):], width, g)
	}
	return append(lines, below...)
}

func (l *List) title(width int, g *screen.Glyphs) string {
	title := " " + l.Title + " "
	if text := l.Filtered(); text != "" {
		title += text + " " + l.After
	}
	part := ""
	if n := l.Count(); n > l.height { // the others are above and below
		part = fmt.Sprintf(" %d-%d of %s ", l.top+1, l.top+l.height, display.Grouped(int64(n)))
	}
	return screen.Titled(g.CutEnd(title, width-4-len(part)), part, width, g)
}

func (l *List) line(it Item, chosen bool, width int, g *screen.Glyphs) string {
	out := screen.NewRow(width, chosen, g)
	out.Space(1)
	for i := range it.Cells {
		out.Space(it.Cells[i].At - (width - out.Left))
		l.cell(out, &it.Cells[i])
	}
	return out.End()
}

// cell draws a cell at the end of a line.
func (l *List) cell(out *screen.Line, c *Cell) {
	lit := c.Lit
	if l.filter.p != nil && !c.Aside {
		lit = merged(lit, l.filter.p.Ranges([]byte(c.Text)))
	}
	spans, of := c.Spans, c.Of
	if spans == nil {
		spans, of = screen.Whole(c.Text), screen.Always(c.Style)
	}
	if c.Width == 0 {
		out.Spans(c.Text, spans, of, lit, c.Skip)
		return
	}
	rest := max(0, out.Left-c.Width)
	out.Left -= rest
	skip, before := c.Skip, out.Left
	if skip > 0 {
		out.Put(out.Glyphs.More, theme.Faint)
		skip += before - out.Left
	}
	out.Spans(c.Text, spans, of, lit, skip)
	out.Left += rest
}

// merged returns ranges that cover all ranges of both lists, in order.
func merged(a, b [][2]int) [][2]int {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	out := all[:1]
	for _, r := range all[1:] {
		if last := &out[len(out)-1]; r[0] <= last[1] {
			last[1] = max(last[1], r[1])
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Hint tells what the keys do, if possible in width cells.
func (l *List) Hint(width int, g *screen.Glyphs) string {
	parts := slices.Concat([]string{"↑ ↓ move"}, strings.Split(l.Keys, "   "), []string{"/ filter", "Esc closes"})
	switch {
	case l.filter.typing:
		parts = []string{"type to filter", strings.TrimSpace(switchHint(l.filter.expr)), "Enter keeps it", "Esc clears it"}
	case g.ASCII:
		parts[0] = "Up Down move"
	}
	if l.Also != "" && !l.filter.typing {
		parts = slices.Insert(parts, 1, l.Also)
	}
	// In a narrow window, how to leave is dropped last.
	for len(parts) > 1 && g.TextWidth(strings.Join(parts, "   ")) > width {
		parts = parts[1:]
	}
	return strings.Join(parts, "   ")
}
