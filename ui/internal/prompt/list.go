package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// List is a set of lines to look at or to choose from, with a filter. The exported fields define the lines.
type List struct {
	Title     string
	Called    string     // if choosing a line leads to the tree: see Name
	After     string     // the rest of the title, after the filter
	Keys      string     // what the list's own keys do, for the bottom line: the last ones stay longest in a narrow window
	Len       func() int // how many lines there are
	Item      func(i int) Item
	Choosable bool                   // lines can be chosen
	Returns   bool                   // choosing one closes only this list: the one below it is in front again
	Full      bool                   // it replaces the tree and does not float over it
	Long      bool                   // its owner looks in turns which lines pass the filter, and Len and Item are about those that do
	NoLine    string                 // what does not pass the filter if none does; "" for "no line"
	None      func() string          // why there is nothing without a filter; nil means the list explains it itself
	Above     func() string          // draws the line above the list; nil means the title
	Head      func(width int) string // draws the heads of columns below that; nil means none
	Below     func() []string        // draws the lines below the list
	Lower     int                    // how many these are
	Wide      func() int             // how many cells its lines need if it floats; nil to measure them

	Scan *Scan // the lines that pass the filter; nil for all

	filter   filter
	count    int // typed before a move; 0 if none
	sel, top int // index among the lines shown
	height   int // lines, as last drawn
	measured int // the lines that widest is of
	widest   int
}

// Count returns how many lines pass the filter.
func (l *List) Count() int {
	if l.Scan != nil && !l.Long {
		return len(l.Scan.Passed)
	}
	return l.Len()
}

// Name returns what the bottom line of the tree calls the list; "" if Esc there does not lead back to it.
func (l *List) Name() string { return l.Called }

// Lines returns how many lines the list needs if it floats over the tree; 0 if it does not float.
func (l *List) Lines() int {
	if l.Full {
		return 0
	}
	return max(1, l.Len()) + l.above() + l.Lower
}

// mostMeasured is how many lines are measured.
const mostMeasured = 512

// AllRoom is for lists that take all the room there is.
func AllRoom() int { return screen.MostFloat }

// Width returns how many cells the list needs if it floats over the tree.
func (l *List) Width(g *screen.Glyphs) int {
	if l.Wide != nil {
		return l.Wide()
	}
	for ; l.measured < min(l.Len(), mostMeasured); l.measured++ {
		end := 2
		for _, c := range l.Item(l.measured).Cells {
			end = max(end, c.At) + g.TextWidth(c.Text)
		}
		l.widest = max(l.widest, end)
	}
	if l.Len() == 0 {
		return g.TextWidth(l.Nothing()) + 4
	}
	return max(l.widest, g.TextWidth(l.Title)+22) // with which lines are shown
}

// above returns how many lines are above those of the list.
func (l *List) above() int {
	if l.Head != nil {
		return 2
	}
	return 1
}

// Cursor returns the index of the cursor's line; ok is false if there is none.
func (l *List) Cursor() (i int, ok bool) {
	if l.sel >= l.Count() {
		return 0, false
	}
	return l.Index(l.sel), true
}

// Index returns the i-th of the lines that pass the filter.
func (l *List) Index(i int) int {
	if l.Scan != nil && !l.Long {
		return l.Scan.Passed[i]
	}
	return i
}

// Filtered returns the filter as typed, with the sign before it; "" if there is none.
func (l *List) Filtered() string {
	switch text := pattern.Sign(l.filter.expr) + l.filter.text; {
	case l.filter.typing:
		return text + "_"
	case l.filter.text != "":
		return text
	}
	return ""
}

// Digit returns the digit that a key types; ok is false if it types none. A number does not begin with 0.
func Digit(key string, first bool) (d int, ok bool) {
	if len(key) != 1 || key[0] < '0' || key[0] > '9' || key == "0" && first {
		return 0, false
	}
	return int(key[0] - '0'), true
}

// ListAction is what a key asks for.
type ListAction struct {
	Kind  Kind
	Index int    // index of the line chosen
	Say   string // tells the user something; "" if nothing
	Do    func() tea.Cmd
	Leave bool // all lists are closed before it is done
}

// Kind tells which action it is.
type Kind int

const (
	NoAction Kind = iota // only the list may be another
	Closed               // close the list
	Chosen               // a line was chosen; close the list and those below it
	Returned             // a line was chosen; close the list
	Did                  // what the key is for has been done
	Asked                // do what a key of the list's owner is for
	Unbound              // the key does nothing in the list
)

// HandleKey moves in the list, or edits its filter. After a number, 5j moves five lines and 100G goes to line 100.
func (l *List) HandleKey(k tea.KeyPressMsg) ListAction {
	name := k.String()
	if l.filter.typing {
		return l.typed(k, name)
	}
	if d, ok := Digit(name, l.count == 0); ok {
		l.count = min(10*l.count+d, 1<<30)
		return ListAction{}
	}
	n, times := l.count, max(1, l.count)
	l.count = 0
	switch name {
	case "down", "j", "ctrl+n":
		l.Scroll(times)
	case "up", "k":
		l.Scroll(-times)
	case "pgdown", "ctrl+f":
		l.Scroll(times * (l.height - 1))
	case "pgup", "ctrl+b":
		l.Scroll(-times * (l.height - 1))
	case "ctrl+d":
		l.Scroll(times * (l.height / 2))
	case "ctrl+u":
		l.Scroll(-times * (l.height / 2))
	case "home", "g", "end", "G":
		if n == 0 && (name == "end" || name == "G") {
			n = l.Count()
		}
		if l.Choosable {
			n -= l.sel
		} else {
			n -= l.top
		}
		l.Scroll(n - 1)
	case "/":
		l.filter.typing = true
	case "enter", "space", "right", "l":
		if name == "space" && !l.Choosable {
			l.Scroll(times * (l.height - 1))
		}
		return l.take()
	case "q", "left", "h":
		return ListAction{Kind: Closed}
	case "esc":
		switch {
		case n > 0: // it cancels the number
		case l.filter.text == "":
			return ListAction{Kind: Closed}
		default:
			l.filter.clear()
			l.refilter()
		}
	default:
		return ListAction{Kind: Unbound}
	}
	return ListAction{}
}

// Click puts the cursor on a line of the screen, counted from the title on. A double click chooses it.
func (l *List) Click(x, y int, double bool) ListAction {
	y -= l.above()
	i := l.top + y
	if l.filter.typing || !l.Choosable || y < 0 || y >= l.height || i >= l.Count() {
		return ListAction{}
	}
	l.sel = i
	if double {
		return l.take()
	}
	return ListAction{}
}

// take chooses the cursor's line.
func (l *List) take() ListAction {
	if !l.Choosable || l.sel >= l.Count() {
		return ListAction{}
	}
	a := ListAction{Kind: Chosen, Index: l.Index(l.sel)}
	switch {
	case l.Item(a.Index).Head:
		return ListAction{}
	case l.Returns:
		a.Kind = Returned
	}
	return a
}

func (l *List) Typing() bool { return l.filter.typing }

// Scroll moves the cursor by n lines, or the lines shown if they cannot be chosen.
func (l *List) Scroll(n int) {
	if !l.Choosable {
		l.top = max(0, min(l.top+n, l.Count()-l.height))
		return
	}
	l.sel = max(0, min(l.sel+n, l.Count()-1))
}

func (l *List) Select(i int) { l.sel = i }

func (l *List) Selected() int { return l.sel }

// Moved keeps the cursor on its line after by lines were inserted at index first.
func (l *List) Moved(first, by int) {
	if by > 0 && l.sel >= first {
		l.sel, l.top = l.sel+by, l.top+by
	}
}

// Visible returns the range of lines, among those that pass the filter, that a screen of height
// lines shows. The title, or what is drawn in its place, is part of height.
func (l *List) Visible(height int) (from, to int) {
	l.settle(height)
	return l.top, min(l.Count(), l.top+l.height)
}

// Extent returns which of the lines that pass the filter are shown.
func (l *List) Extent() screen.Scroll { return screen.ScrollOf(l.top, l.height, l.Count()) }

// settle brings the cursor onto a screen of height lines, the title included, that is full if there are enough lines.
func (l *List) settle(height int) {
	l.height = max(1, height-l.above()-l.Lower)
	if l.Choosable {
		l.sel = max(0, min(l.sel, l.Count()-1))
		l.top = max(0, l.sel-l.height+1, min(l.top, l.sel, l.Count()-l.height))
	} else {
		l.top = max(0, min(l.top, l.Count()-l.height))
	}
}

// NewLines returns a list of lines to look at.
func NewLines(title string, items []Item) *List {
	return &List{Title: title, Keys: "PgDn PgUp", Len: func() int { return len(items) }, Item: func(i int) Item { return items[i] }}
}

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
	// Width is how many cells the text takes at most, with a sign if its left is cut; 0 means the rest of the line.
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
		lines = []string{l.Above()}
	} else {
		lines = []string{l.title(width, g)}
	}
	if l.Head != nil {
		lines = append(lines, l.Head(width))
	}
	if l.Lower > 0 {
		below = l.Below()
	}
	height -= len(below)
	top := len(lines)
	for i := l.top; i < l.Count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.Item(l.Index(i)), l.Choosable && i == l.sel, width, g))
	}
	if l.Count() == 0 && len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).Put("  "+l.Nothing(), theme.Faint).End())
	}
	if lines = screen.Fill(lines, width, height, g); l.Full && screen.Inside(width) < width {
		l.Extent().Over(lines[min(top, len(lines)):], width, g)
	}
	return append(lines, below...)
}

func (l *List) title(width int, g *screen.Glyphs) string {
	title, after := " "+l.Title+" ", l.After
	if s := l.Scan; s != nil && l.Long {
		title, after = " "+display.Grouped(int64(len(s.Passed)))+" of "+l.Title+" ", s.Progress()
	}
	if text := l.Filtered(); text != "" {
		title += text + " "
		if after != "" {
			title += after + " "
		}
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
	if l.Scan != nil && !c.Aside {
		lit = merged(lit, l.Scan.P.Ranges([]byte(c.Text)))
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
	// In a narrow window, how to leave is dropped last.
	for len(parts) > 1 && g.TextWidth(strings.Join(parts, "   ")) > width {
		parts = parts[1:]
	}
	return strings.Join(parts, "   ")
}
