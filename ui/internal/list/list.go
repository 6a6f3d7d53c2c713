package list

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// List is a set of lines to look at or to choose from, with a filter. The exported fields
// define the lines. Its methods run on one goroutine.
type List struct {
	Title     string
	After     string     // the rest of the title, after the filter
	Keys      string     // what the list's own keys do, for the bottom line
	Also      string     // what one more key does, if there is room; "" if none
	Len       func() int // how many lines there are
	Item      func(i int) Item
	Choosable bool                     // lines can be chosen
	Text      func(i int) []byte       // the text that a filter matches, valid until the next call; nil means the text of the item
	Filter    func(p *pattern.Pattern) // filters instead of the list, which does so if Filter is nil; called with nil to remove the filter
	None      func() string            // why there is nothing; nil means the list explains it itself
	Above     func() []string          // draws the lines above the list; nil means the title
	Below     func() []string          // draws the lines below the list; nil means none
	Besides   int                      // how many lines Above and Below draw; 0 without them

	filter   filter
	count    int // typed before a move; 0 if none
	sel, top int // index among the lines shown
	height   int // lines, as last drawn
}

// Count returns how many lines pass the filter.
func (l *List) Count() int {
	if l.filter.shown != nil {
		return len(l.filter.shown)
	}
	return l.Len()
}

// Cursor returns the index of the cursor's line; ok is false if there is none.
func (l *List) Cursor() (i int, ok bool) {
	if l.sel >= l.Count() {
		return 0, false
	}
	return l.index(l.sel), true
}

// Index returns the i-th of the lines that pass the filter.
func (l *List) Index(i int) int { return l.index(i) }

func (l *List) index(i int) int {
	if l.filter.shown != nil {
		return l.filter.shown[i]
	}
	return i
}

// Filtered returns the filter as typed, with the sign before it; "" if there is none.
func (l *List) Filtered() string {
	switch {
	case l.filter.typing:
		return pattern.Sign(l.filter.expr) + l.filter.text + "_"
	case l.filter.text != "":
		return pattern.Sign(l.filter.expr) + l.filter.text
	}
	return ""
}

// counted adds a digit to the number before a move, and reports whether the key is one.
func (l *List) counted(name string) bool {
	if len(name) != 1 || name[0] < '0' || name[0] > '9' || name == "0" && l.count == 0 {
		return false
	}
	l.count = min(10*l.count+int(name[0]-'0'), 1<<30)
	return true
}

// steps returns how far a move goes, with the number typed before it: 5j moves five lines, 100G
// goes to line 100.
func (l *List) steps(name string, move func(l *List) int) int {
	n := l.count
	l.count = 0
	if n > 0 && (name == "g" || name == "G" || name == "home" || name == "end") {
		if l.Choosable {
			return n - 1 - l.sel
		}
		return n - 1 - l.top
	}
	return move(l) * max(1, n)
}

// listKeys are the moves in a list, in lines; big ones are pages.
var listKeys = map[string]func(l *List) int{
	"down": func(*List) int { return 1 }, "j": func(*List) int { return 1 }, "ctrl+n": func(*List) int { return 1 },
	"up": func(*List) int { return -1 }, "k": func(*List) int { return -1 }, "ctrl+p": func(*List) int { return -1 },
	"pgdown": func(l *List) int { return l.height - 1 }, "ctrl+f": func(l *List) int { return l.height - 1 },
	"pgup": func(l *List) int { return 1 - l.height }, "ctrl+b": func(l *List) int { return 1 - l.height },
	"ctrl+d": func(l *List) int { return l.height / 2 }, "ctrl+u": func(l *List) int { return -l.height / 2 },
	"home": func(l *List) int { return -l.Count() }, "g": func(l *List) int { return -l.Count() },
	"end": func(l *List) int { return l.Count() }, "G": func(l *List) int { return l.Count() },
}

// Action is what a key asks for.
type Action struct {
	Kind  Kind
	Index int    // index of the line chosen
	Say   string // tells the user something; "" if nothing
}

// Kind tells which action it is.
type Kind int

const (
	None    Kind = iota
	Closed       // close the list
	Chosen       // a line was chosen; close the list
	Asked        // do what a key of the list's owner is for: see front.Doer
	Unbound      // the key does nothing in the list
)

// HandleKey moves in the list, or edits its filter.
func (l *List) HandleKey(k tea.KeyPressMsg) Action {
	name := k.String()
	if l.filter.typing {
		return l.typed(k, name)
	}
	if l.counted(name) {
		return Action{}
	}
	if move, ok := listKeys[name]; ok {
		l.move(l.steps(name, move))
		return Action{}
	}
	if l.count > 0 && name == "esc" {
		l.count = 0
		return Action{}
	}
	l.count = 0
	switch name {
	case "/":
		l.filter.typing = true
	case "enter", "space", "right", "l":
		return l.take()
	case "q", "?", "left", "h":
		return Action{Kind: Closed}
	case "esc":
		if l.filter.text == "" {
			return Action{Kind: Closed}
		}
		l.filter.clear()
		l.refilter()
	default:
		return Action{Kind: Unbound}
	}
	return Action{}
}

// Click puts the cursor on a line of the screen, counted from the title on. A double click chooses it.
func (l *List) Click(x, y int, double bool) Action {
	above := 1
	if l.Above != nil {
		above = len(l.Above())
	}
	i := l.top + y - above
	if l.filter.typing || !l.Choosable || y < above || y-above >= l.height || i >= l.Count() {
		return Action{}
	}
	l.sel = i
	if double {
		return l.take()
	}
	return Action{}
}

// take chooses the cursor's line.
func (l *List) take() Action {
	if !l.Choosable || l.sel >= l.Count() {
		return Action{}
	}
	i := l.index(l.sel)
	if l.Item(i).Head {
		return Action{}
	}
	return Action{Kind: Chosen, Index: i}
}

// Typing reports whether a filter is being typed.
func (l *List) Typing() bool { return l.filter.typing }

// Scroll moves the lines shown by n, for the mouse wheel.
func (l *List) Scroll(n int) { l.move(n) }

// move moves the cursor, or, if lines cannot be chosen, scrolls the list.
func (l *List) move(n int) {
	last := max(0, l.Count()-1)
	if !l.Choosable {
		l.top = max(0, min(l.top+n, l.Count()-l.height))
		return
	}
	l.sel = max(0, min(l.sel+n, last))
}

// Select sets the cursor to a line, counted among those shown.
func (l *List) Select(i int) { l.sel = i }

// Selected returns the cursor's line, counted among those shown.
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

// settle brings the cursor onto a screen of height lines, including the title. No line of the
// screen stays empty while there are lines above.
func (l *List) settle(height int) {
	l.height = max(1, height-max(1, l.Besides))
	if l.Choosable {
		l.sel = max(0, min(l.sel, l.Count()-1))
		l.top = max(0, l.sel-l.height+1, min(l.top, l.sel, l.Count()-l.height))
	} else {
		l.top = max(0, min(l.top, l.Count()-l.height))
	}
}

// View draws the list: height lines of width cells.
func (l *List) View(width, height int, g *screen.Glyphs) []string {
	l.settle(height)
	var lines, below []string
	if l.Above != nil {
		lines = l.Above()
	} else {
		lines = []string{l.title(width, g)}
	}
	if l.Below != nil {
		below = l.Below()
	}
	height -= len(below)
	for i := l.top; i < l.Count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.Item(l.index(i)), l.Choosable && i == l.sel, width, g))
	}
	if l.Count() == 0 && len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).Put("  "+l.nothing(), screen.Faint).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).End())
	}
	return append(lines, below...)
}

// title draws the title, with the filter.
func (l *List) title(width int, g *screen.Glyphs) string {
	title := " " + l.Title + " "
	if l.filter.shown != nil && l.Text != nil { // no line is a heading
		title = " " + screen.Grouped(int64(len(l.filter.shown))) + " of " + l.Title + " "
	}
	if text := l.Filtered(); text != "" {
		title += text + " " + l.After
	}
	return screen.Titled(screen.CutEnd(title, width-4, g), "", width, g)
}

func (l *List) line(it Item, chosen bool, width int, g *screen.Glyphs) string {
	out := screen.NewLine(width, g)
	out.Cursor = chosen
	if chosen {
		out.Put(g.Cursor, screen.Accent)
	} else {
		out.Put(" ", screen.Plain)
	}
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
		out.Put(out.Glyphs.More, screen.Faint)
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
	parts := []string{"↑ ↓ move", l.Keys, "/ filter", "Esc closes"}
	switch {
	case l.filter.typing:
		parts = []string{"type to filter", strings.TrimSpace(pattern.SwitchHint(l.filter.expr, g)), "Enter keeps it", "Esc clears it"}
	case g.ASCII:
		parts[0] = "Up Down move"
	}
	if l.Also != "" && !l.filter.typing {
		parts = slices.Insert(parts, 1, l.Also)
	}
	// In a narrow window, how to leave is dropped last.
	for len(parts) > 1 && screen.TextWidth(strings.Join(parts, "   "), g.ASCII) > width {
		parts = parts[1:]
	}
	return strings.Join(parts, "   ")
}
