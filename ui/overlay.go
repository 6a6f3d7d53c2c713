package ui

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// overlay takes the place of the tree until it is closed.
type overlay interface {
	// HandleKey returns what a key is to do.
	HandleKey(k tea.KeyPressMsg) action
	// Scroll moves what is shown, for the mouse's wheel.
	Scroll(n int) action
	// View draws height lines of width cells.
	View(width, height int, g *glyphs) []string
	// Hint is the bottom line, if possible in width cells.
	Hint(width int, g *glyphs) string
}

// item is a line of a list, with the text that a filter looks at.
type item struct {
	cells []cell
	head  bool   // a heading, which cannot be chosen
	whole string // what is cut in the cells; a filter looks at that too
}

type cell struct {
	text string
	s    style
	at   int // column; 0: right behind the one before
	// aside is what a filter does not look at.
	aside bool
}

func (it *item) text() string {
	var b strings.Builder
	b.WriteString(it.whole)
	b.WriteByte(' ')
	for _, c := range it.cells {
		if !c.aside {
			b.WriteString(c.text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// list is an overlay of lines to choose from. It draws as many as fit, however
// many there are.
type list struct {
	title  string
	hint   string
	n      func() int
	item   func(i int) item
	choose func(m *Model, i int) tea.Cmd // nil: nothing can be chosen
	among  func() []int                  // indexes that a filter looks at; nil: all lines
	none   string                        // what is said when no line passes the filter; "": nothing here contains

	filter    string
	filtering bool
	shown     []int // indexes that pass the filter; nil: all do
	sel, top  int   // in what is shown
	height    int   // lines, as last drawn
}

func (l *list) count() int {
	if l.shown != nil {
		return len(l.shown)
	}
	return l.n()
}

func (l *list) index(i int) int {
	if l.shown != nil {
		return l.shown[i]
	}
	return i
}

// refilter finds the lines that contain the filter, each with its heading.
func (l *list) refilter() {
	l.sel, l.top, l.shown = 0, 0, nil
	if l.filter == "" {
		return
	}
	p := newPattern(l.filter)
	l.shown = []int{}
	head := -1
	for i := range l.candidates() {
		it := l.item(i)
		if it.head {
			head = i
			continue
		}
		if !p.match([]byte(it.text())) {
			continue
		}
		if head >= 0 {
			l.shown = append(l.shown, head)
			head = -1
		}
		l.shown = append(l.shown, i)
	}
}

// candidates are the indexes that a filter looks at.
func (l *list) candidates() iter.Seq[int] {
	if l.among != nil {
		return slices.Values(l.among())
	}
	return func(yield func(int) bool) {
		for i := range l.n() {
			if !yield(i) {
				return
			}
		}
	}
}

// listKeys are the moves in a list, in lines; big ones are pages.
var listKeys = map[string]func(l *list) int{
	"down": func(*list) int { return 1 }, "j": func(*list) int { return 1 }, "ctrl+n": func(*list) int { return 1 },
	"up": func(*list) int { return -1 }, "k": func(*list) int { return -1 }, "ctrl+p": func(*list) int { return -1 },
	"pgdown": func(l *list) int { return l.height - 1 }, "ctrl+f": func(l *list) int { return l.height - 1 },
	"pgup": func(l *list) int { return 1 - l.height }, "ctrl+b": func(l *list) int { return 1 - l.height },
	"ctrl+d": func(l *list) int { return l.height / 2 }, "ctrl+u": func(l *list) int { return -l.height / 2 },
	"home": func(l *list) int { return -l.count() }, "g": func(l *list) int { return -l.count() },
	"end": func(l *list) int { return l.count() }, "G": func(l *list) int { return l.count() },
}

func (l *list) HandleKey(k tea.KeyPressMsg) action {
	name := k.String()
	if l.filtering {
		return l.typed(k, name)
	}
	if move, ok := listKeys[name]; ok {
		l.move(move(l))
		return nil
	}
	switch name {
	case "/":
		l.filtering = true
	case "enter", "space", "right", "l":
		return l.chosen()
	case "q", "?", "left", "h":
		return closeOverlay
	case "esc":
		if l.filter == "" {
			return closeOverlay
		}
		l.filter = ""
		l.refilter()
	}
	return nil
}

// typed edits the filter.
func (l *list) typed(k tea.KeyPressMsg, name string) action {
	switch name {
	case "enter":
		l.filtering = false
		return nil
	case "esc":
		l.filtering, l.filter = false, ""
	case "down", "up":
		l.filtering = false
		return l.HandleKey(k)
	case "backspace":
		if r := []rune(l.filter); len(r) > 0 {
			l.filter = string(r[:len(r)-1])
		}
	case "ctrl+u":
		l.filter = ""
	default:
		if len(l.filter) < maxTyped {
			l.filter += k.Text
		}
	}
	l.refilter()
	return nil
}

func (l *list) chosen() action {
	if l.choose == nil || l.sel >= l.count() {
		return nil
	}
	i := l.index(l.sel)
	if l.item(i).head {
		return nil
	}
	return func(m *Model) tea.Cmd {
		m.overlay = nil
		return l.choose(m, i)
	}
}

func closeOverlay(m *Model) tea.Cmd {
	m.overlay = nil
	return nil
}

func (l *list) Scroll(n int) action {
	l.move(n)
	return nil
}

// move moves the choice; where nothing can be chosen, what is shown.
func (l *list) move(n int) {
	last := max(0, l.count()-1)
	if l.choose == nil {
		l.top = max(0, min(l.top+n, l.count()-l.height))
		return
	}
	l.sel = max(0, min(l.sel+n, last))
}

// settle brings the choice onto a screen of height lines, the title's among
// them.
func (l *list) settle(height int) {
	l.height = max(1, height-1)
	if l.choose != nil {
		l.sel = max(0, min(l.sel, l.count()-1))
		l.top = max(0, l.sel-l.height+1, min(l.top, l.sel))
	}
}

func (l *list) View(width, height int, g *glyphs) []string {
	l.settle(height)
	title := " " + l.title + " "
	if l.filtering || l.filter != "" {
		title += "/" + l.filter
		if l.filtering {
			title += "_"
		}
		title += " "
	}
	lines := []string{titled(cutEnd(title, width-4, g), "", width, g)}
	for i := l.top; i < l.count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.item(l.index(i)), l.choose != nil && i == l.sel, width, g))
	}
	if l.count() == 0 && len(lines) < height {
		lines = append(lines, newLine(width, g).put("  "+l.nothing(), faint).end())
	}
	for len(lines) < height {
		lines = append(lines, newLine(width, g).end())
	}
	return lines
}

// nothing says that there is no line to show.
func (l *list) nothing() string {
	if l.filter == "" {
		return "nothing here"
	}
	return cmp.Or(l.none, "nothing here contains") + " " + l.filter
}

func (l *list) line(it item, chosen bool, width int, g *glyphs) string {
	out := newLine(width, g)
	out.heavy = chosen
	if chosen {
		out.put(g.cursor, accent)
	} else {
		out.put(" ", plain)
	}
	out.space(1)
	var p *pattern
	if l.filter != "" {
		p = newPattern(l.filter)
	}
	for _, c := range it.cells {
		out.space(c.at - (width - out.left))
		var lit [][2]int
		if p != nil && !c.aside {
			lit = p.ranges(c.text)
		}
		s := c.s
		out.spans(c.text, whole(c.text), always(s), lit, 0)
	}
	return out.end()
}

func (l *list) Hint(width int, g *glyphs) string {
	parts := []string{"↑ ↓ move", l.hint, "/ filter", "Esc closes"}
	switch {
	case l.filtering:
		parts = []string{"type to filter", "Enter keeps it", "Esc clears it"}
	case g.ascii:
		parts[0] = "Up Down move"
	}
	// In a narrow window what goes last is how to get out.
	for len(parts) > 1 && textWidth(strings.Join(parts, "   "), g.ascii) > width {
		parts = parts[1:]
	}
	return strings.Join(parts, "   ")
}
