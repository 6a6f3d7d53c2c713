package list

import (
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

	filter   filter
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

// index returns the i-th of the lines that pass the filter.
func (l *List) index(i int) int {
	if l.filter.shown != nil {
		return l.filter.shown[i]
	}
	return i
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
	Index int // index of the line chosen
}

// Kind tells which action it is.
type Kind int

const (
	None   Kind = iota
	Closed      // close the list
	Chosen      // a line was chosen; close the list
)

// HandleKey moves in the list, or edits its filter.
func (l *List) HandleKey(k tea.KeyPressMsg) Action {
	name := k.String()
	if l.filter.typing {
		return l.typed(k, name)
	}
	if move, ok := listKeys[name]; ok {
		l.move(move(l))
		return Action{}
	}
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
	return Action{Chosen, i}
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
// lines shows. The title counts as one of height.
func (l *List) Visible(height int) (from, to int) {
	l.settle(height)
	return l.top, min(l.Count(), l.top+l.height)
}

// settle brings the cursor onto a screen of height lines, including the title. No line of the
// screen stays empty while there are lines above.
func (l *List) settle(height int) {
	l.height = max(1, height-1)
	if l.Choosable {
		l.sel = max(0, min(l.sel, l.Count()-1))
		l.top = max(0, l.sel-l.height+1, min(l.top, l.sel, l.Count()-l.height))
	}
}

// View draws the list: height lines of width cells.
func (l *List) View(width, height int, g *screen.Glyphs) []string {
	l.settle(height)
	title := " " + l.Title + " "
	if l.filter.shown != nil && l.Text != nil { // no line is a heading
		title = " " + screen.Grouped(int64(len(l.filter.shown))) + " of " + l.Title + " "
	}
	if l.filter.typing || l.filter.text != "" {
		title += pattern.Sign(l.filter.expr) + l.filter.text
		if l.filter.typing {
			title += "_"
		}
		title += " " + l.After
	}
	lines := []string{screen.Titled(screen.CutEnd(title, width-4, g), "", width, g)}
	for i := l.top; i < l.Count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.Item(l.index(i)), l.Choosable && i == l.sel, width, g))
	}
	if l.Count() == 0 && len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).Put("  "+l.nothing(), screen.Faint).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).End())
	}
	return lines
}

func (l *List) line(it Item, chosen bool, width int, g *screen.Glyphs) string {
	out := screen.NewLine(width, g)
	out.Heavy = chosen
	if chosen {
		out.Put(g.Cursor, screen.Accent)
	} else {
		out.Put(" ", screen.Plain)
	}
	out.Space(1)
	for _, c := range it.Cells {
		out.Space(c.At - (width - out.Left))
		var lit [][2]int
		if l.filter.p != nil && !c.Aside {
			lit = l.filter.p.Ranges([]byte(c.Text))
		}
		s := c.Style
		out.Spans(c.Text, screen.Whole(c.Text), screen.Always(s), lit, 0)
	}
	return out.End()
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
