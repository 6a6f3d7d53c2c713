package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// list is an overlay of lines to choose from. It draws as many as fit, however
// many there are.
type list struct {
	title  string
	after  string // what the title says behind the filter
	hint   string
	n      func() int
	item   func(i int) item
	choose func(m *Model, i int) tea.Cmd // nil: nothing can be chosen
	text   func(i int) []byte            // what a filter looks at, good until the next call; nil: the text of the item
	sift   func(p *pattern.Pattern)      // filters in another way, nil: not at all; nil: the list does it itself
	none   func() string                 // why there is nothing; nil: the list says it itself

	filter    string
	expr      bool             // the filter is a regular expression
	p         *pattern.Pattern // of the filter; nil: there is none
	others    int              // lines that pass when the filter is read the other way, where none does
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
		l.filter, l.expr = "", false
		l.refilter()
	}
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
// them. No line of it stays empty while there are lines above.
func (l *list) settle(height int) {
	l.height = max(1, height-1)
	if l.choose != nil {
		l.sel = max(0, min(l.sel, l.count()-1))
		l.top = max(0, l.sel-l.height+1, min(l.top, l.sel, l.count()-l.height))
	}
}

func (l *list) View(width, height int, g *screen.Glyphs) []string {
	l.settle(height)
	title := " " + l.title + " "
	if l.shown != nil && l.text != nil { // no line is a heading
		title = " " + screen.Grouped(int64(len(l.shown))) + " of " + l.title + " "
	}
	if l.filtering || l.filter != "" {
		title += pattern.Sign(l.expr) + l.filter
		if l.filtering {
			title += "_"
		}
		title += " " + l.after
	}
	lines := []string{screen.Titled(screen.CutEnd(title, width-4, g), "", width, g)}
	for i := l.top; i < l.count() && len(lines) < height; i++ {
		lines = append(lines, l.line(l.item(l.index(i)), l.choose != nil && i == l.sel, width, g))
	}
	if l.count() == 0 && len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).Put("  "+l.nothing(), screen.Faint).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).End())
	}
	return lines
}

func (l *list) line(it item, chosen bool, width int, g *screen.Glyphs) string {
	out := screen.NewLine(width, g)
	out.Heavy = chosen
	if chosen {
		out.Put(g.Cursor, screen.Accent)
	} else {
		out.Put(" ", screen.Plain)
	}
	out.Space(1)
	for _, c := range it.cells {
		out.Space(c.at - (width - out.Left))
		var lit [][2]int
		if l.p != nil && !c.aside {
			lit = l.p.Ranges([]byte(c.text))
		}
		s := c.s
		out.Spans(c.text, screen.Whole(c.text), screen.Always(s), lit, 0)
	}
	return out.End()
}

func (l *list) Hint(width int, g *screen.Glyphs) string {
	parts := []string{"↑ ↓ move", l.hint, "/ filter", "Esc closes"}
	switch {
	case l.filtering:
		parts = []string{"type to filter", strings.TrimSpace(pattern.SwitchHint(l.expr, g)), "Enter keeps it", "Esc clears it"}
	case g.ASCII:
		parts[0] = "Up Down move"
	}
	// In a narrow window what goes last is how to get out.
	for len(parts) > 1 && screen.TextWidth(strings.Join(parts, "   "), g.ASCII) > width {
		parts = parts[1:]
	}
	return strings.Join(parts, "   ")
}
