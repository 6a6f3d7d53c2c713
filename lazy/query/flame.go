package query

import (
	"slices"
	"sort"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// FlamePicture is a flame as lines of cells: of the screen and of the command.
type FlamePicture struct {
	lazy.Flame
	Name string // of the thread
	G    *display.Glyphs
	// Groups are the packages of the spans, or their classes if all methods of the trace are of one package: of calls,
	// and of loops and iterations that of the call around them.
	Groups []string
	// Inner are, for each column, the innermost span there; -1 if there is none.
	Inner []int
}

// NewFlamePicture returns the picture of a flame.
func NewFlamePicture(r *lazy.LazyTraceReader, f lazy.Flame, g *display.Glyphs) *FlamePicture {
	p := &FlamePicture{Flame: f, G: g}
	if info, ok := r.ThreadInfo(f.Thread); ok {
		p.Name = info.Name
	}
	p.Groups, p.Inner = make([]string, len(f.Spans)), slices.Repeat([]int{-1}, f.Columns)
	one := false
	r.WithContext(func(c *format.Context) { one = onePackage(c) })
	for i := range f.Spans {
		s := &f.Spans[i]
		switch {
		case s.Class == format.ClassCall:
			pkg := filter.PackageOf(s.Owner)
			if p.Groups[i] = pkg; one && len(pkg) < len(s.Owner) {
				p.Groups[i] = strings.TrimPrefix(s.Owner[len(pkg):], ".")
			}
		case s.Parent >= 0:
			p.Groups[i] = p.Groups[s.Parent]
		}
		for k := s.Left; k < s.Right; k++ {
			p.Inner[k] = i
		}
	}
	return p
}

// onePackage reports whether all methods that are known of a trace are of one package.
func onePackage(c *format.Context) bool {
	pkg, seen := "", int32(-1)
	for m := range c.Methods() {
		of := c.Class(m.ClassID)
		if of == nil || m.ClassID == seen {
			continue
		}
		before := pkg
		if pkg = filter.PackageOf(of.Name); seen >= 0 && pkg != before {
			return false
		}
		seen = m.ClassID
	}
	return true
}

// FlameCell is a part of a line: the columns from Left, before Right.
type FlameCell struct {
	Left, Right int
	Text        string // as wide as the columns
	Span        int    // index; -1 if the cell is none
	Narrow      int    // index; -1 if the cell is none
	Unknown     bool   // it is not known yet what is there
}

// Rows returns the lines of the calls, the outermost first. Each has cells for all columns, in their order.
func (p *FlamePicture) Rows() [][]FlameCell {
	rows := make([][]FlameCell, p.deepest())
	for i := range p.Spans {
		s := &p.Spans[i]
		p.put(rows, s.Depth, FlameCell{Left: s.Left, Right: s.Right, Span: i, Narrow: -1, Text: p.bar(s)})
	}
	for i := range p.Narrow {
		n := &p.Narrow[i]
		p.put(rows, n.Depth, FlameCell{Left: n.Left, Right: n.Right, Span: -1, Narrow: i, Text: p.narrow(n)})
	}
	for i := range rows {
		rows[i] = p.filled(rows[i])
	}
	return rows
}

// deepest returns how many levels there are.
func (p *FlamePicture) deepest() (levels int) {
	for i := range p.Spans {
		levels = max(levels, p.Spans[i].Depth+1)
	}
	for i := range p.Narrow {
		levels = max(levels, p.Narrow[i].Depth+1)
	}
	return levels
}

// put adds a cell to a line, in the order of columns. What begins where something is already takes what is
// left.
func (p *FlamePicture) put(rows [][]FlameCell, depth int, c FlameCell) {
	row := rows[depth]
	at := len(row)
	for at > 0 && row[at-1].Left >= c.Left {
		at--
	}
	if at > 0 && row[at-1].Right > c.Left {
		c.Left = row[at-1].Right
	}
	if at < len(row) && c.Right > row[at].Left {
		c.Right = row[at].Left
	}
	if c.Left >= c.Right {
		return
	}
	if w := c.Right - c.Left; w != p.G.TextWidth(c.Text) {
		c.Text, _ = p.G.TakeCells(c.Text, w)
	}
	rows[depth] = slices.Insert(row, at, c)
}

// filled returns a line with blank cells between the others.
func (p *FlamePicture) filled(row []FlameCell) []FlameCell {
	var out []FlameCell
	at := 0
	blank := func(to int, unknown bool) {
		if to <= at {
			return
		}
		text := strings.Repeat(" ", to-at)
		if unknown {
			text = strings.Repeat(p.sign("·", "?"), to-at)
		}
		out = append(out, FlameCell{Left: at, Right: to, Text: text, Span: -1, Narrow: -1, Unknown: unknown})
		at = to
	}
	for _, c := range row {
		blank(min(c.Left, p.Done), false)
		blank(c.Left, true)
		out = append(out, c)
		at = c.Right
	}
	blank(p.Done, false)
	blank(p.Columns, true)
	return out
}

func (p *FlamePicture) sign(unicode, ascii string) string {
	if p.G.ASCII {
		return ascii
	}
	return unicode
}

// bar is what is drawn for a container.
func (p *FlamePicture) bar(s *lazy.FlameSpan) string {
	width := s.Right - s.Left
	end := p.sign("┤", "|")
	if s.To > p.To {
		end = p.sign("→", ">")
	}
	if width == 1 {
		return p.sign("│", "|")
	}
	text := shortest(Line(s.Text), width-1, p.G)
	if width > 8 {
		text = p.G.CutEnd(text, width-1)
	} else {
		text, _ = p.G.TakeCells(text, width-1)
	}
	out, w := drawn(text, p.G)
	if w < width-2 {
		out += " "
		w++
	}
	line := p.sign("─", "-")
	if s.Wait {
		line = p.waiting()
	}
	return out + strings.Repeat(line, width-1-w) + end
}

// waiting is what fills the boxes of waits.
func (p *FlamePicture) waiting() string { return p.sign("┄", ".") }

// Line returns a text as one line.
func Line(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// shortest leaves the class of a called method out if its name does not fit into width cells.
func shortest(text string, width int, g *display.Glyphs) string {
	name, _, call := strings.Cut(text, "(")
	dot := strings.LastIndexByte(name, '.')
	if !call || dot < 0 || strings.ContainsRune(name, ' ') || g.TextWidth(name) <= width {
		return text
	}
	return text[dot+1:]
}

// drawn returns the output for a text, and its width.
func drawn(text string, g *display.Glyphs) (out string, width int) {
	var b strings.Builder
	for len(text) > 0 {
		part, w, n := g.NextCell(text)
		b.WriteString(part)
		width += w
		text = text[n:]
	}
	return b.String(), width
}

// narrow is what is drawn for narrow containers.
func (p *FlamePicture) narrow(n *lazy.FlameNarrow) string {
	width, shade := n.Right-n.Left, p.sign("▒", "#")
	text := " " + display.Short(n.Count) + " "
	if n.Count == 0 || len(text)+2 > width {
		return strings.Repeat(shade, width)
	}
	left := (width - len(text)) / 2
	return strings.Repeat(shade, left) + text + strings.Repeat(shade, width-left-len(text))
}

// Strip returns how deep the calls are in the middle of each column, as a line of bars.
func (p *FlamePicture) Strip() string {
	most := int32(1)
	for _, d := range p.Depth {
		most = max(most, d)
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	if p.G.ASCII {
		bars = []rune(".:-=+*#@")
	}
	var b strings.Builder
	for _, d := range p.Depth {
		if d == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(bars[(int(d)*len(bars)-1)/int(most)])
	}
	b.WriteString(strings.Repeat(p.sign("·", "?"), p.Columns-len(p.Depth)))
	return b.String()
}

// Subject tells which thread the picture is about.
func (p *FlamePicture) Subject() string {
	name := "thread " + display.Grouped(int64(p.Thread)+1)
	if p.Name != "" {
		name += " (" + p.Name + ")"
	}
	return "flame " + p.G.Dot + " " + name
}

// Title tells what the picture shows.
func (p *FlamePicture) Title() string {
	text := p.Subject() + " " + p.G.Dot + " " + p.Place(p.From) + " " + p.G.More + " " + p.Place(p.To)
	switch {
	case p.From == p.Begin && p.To == p.End:
		return text
	case p.Timed:
		return text + " of " + p.G.Duration(p.End-p.Begin)
	}
	return text + " of " + p.Place(p.Begin) + " " + p.G.More + " " + p.Place(p.End)
}

// Place writes a place on the axis.
func (p *FlamePicture) Place(at int64) string {
	if p.Timed {
		return p.G.Exactly(at)
	}
	return "#" + display.Grouped(at)
}

// Length writes a length on the axis.
func (p *FlamePicture) Length(n int64) string {
	if p.Timed {
		return p.G.Duration(n)
	}
	return display.Plural(n, "event")
}

// About describes a container in a line: how long it took, what part of the picture it takes, and its place.
func (p *FlamePicture) About(i int) (name, rest string) {
	s := &p.Spans[i]
	dot := " " + p.G.Dot + " "
	length := p.Length(s.To - s.From)
	if s.State != lazy.StateWhole {
		length = p.G.AtLeast + length + dot + "never ended"
	}
	part := min(s.To, p.To) - max(s.From, p.From)
	rest = length + dot + display.Share(part, p.To-p.From)
	if s.Nested > 0 {
		rest += dot + display.Short(s.Nested) + " in it"
	}
	return Line(s.Text), rest + dot + lazy.EventHandle(s.Event).String()
}

// AboutNarrow describes narrow containers in a line.
func (p *FlamePicture) AboutNarrow(i int) string {
	n := &p.Narrow[i]
	width := (p.To - p.From) / int64(p.Columns)
	text := "calls, loops and iterations, each"
	switch {
	case n.Count == 1:
		text = "a call, loop or iteration"
	case n.Count > 1:
		text = display.Grouped(n.Count) + " " + text
	}
	return text + " shorter than " + p.Length(max(width, 1)) + ": zoom in to see more"
}

// Notes tell what the picture does not show.
func (p *FlamePicture) Notes() (list []string) {
	count := func(n int, text string) {
		if n > 0 {
			list = append(list, strings.Replace(text, "{}", display.Plural(int64(n), "column"), 1))
		}
	}
	if len(p.Narrow) > 0 {
		width := (p.To - p.From) / int64(p.Columns)
		list = append(list, p.sign("▒", "#")+" calls, loops and iterations that are shorter than a column, "+p.Length(max(width, 1))+"; the number tells how many end there")
	}
	if slices.ContainsFunc(p.Spans, func(s lazy.FlameSpan) bool { return s.Wait }) {
		list = append(list, p.waiting()+" the goroutine waits")
	}
	count(p.Deeper, "below what is drawn, {} have calls as wide as that: a larger depth shows them")
	if p.Unknown > 0 {
		list = append(list, "the times of "+display.Plural(int64(p.Unknown), "call")+" are not known")
	}
	if p.Done < p.Columns {
		list = append(list, display.Percent(int64(p.Done), int64(p.Columns))+" is known so far")
	}
	return list
}

// classWord is the word for a class of containers.
func classWord(c format.Class) string {
	switch c {
	case format.ClassLoop:
		return "loop"
	case format.ClassIteration:
		return "loop iteration"
	}
	return "call"
}

// Column returns the column of a logical offset; -1 if no known one has it.
func (p *FlamePicture) Column(at int64) int {
	if len(p.Edges) == 0 || at < p.Edges[0] || p.Done == 0 {
		return -1
	}
	k := sort.Search(len(p.Edges), func(i int) bool { return p.Edges[i] > at }) - 1
	if k >= p.Done && p.Done < p.Columns {
		return -1
	}
	if k >= p.Done && p.To < p.End {
		return -1
	}
	return min(k, p.Done-1)
}

// Shows reports whether a column shows something of a part of the axis.
func (p *FlamePicture) Shows(column int, from, to int64) bool {
	left, right := p.Edge(column), p.Edge(column+1)
	return from < max(right, left+1) && to > left
}

// Edge returns where a column begins on the axis, rounded down.
func (p *FlamePicture) Edge(column int) int64 {
	length := p.To - p.From
	whole, rest := length/int64(p.Columns), length%int64(p.Columns)
	return p.From + whole*int64(column) + rest*int64(column)/int64(p.Columns)
}

// ColumnAt returns the column of a place on the axis.
func (p *FlamePicture) ColumnAt(at int64) int {
	k := sort.Search(p.Columns, func(k int) bool { return p.Edge(k+1) > at })
	return min(k, p.Columns-1)
}
