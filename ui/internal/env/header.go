package env

import (
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Header is the content of the screen's first line.
type Header struct {
	Tabs   []string // the names of all traces that are open; nil if there is one
	Tab    int      // the trace that is shown
	Name   string   // of the trace
	About  []string // how large it is, the most telling part first
	Index  string   // what the user should know about the index; "" if nothing
	Memory Memory
}

// Memory is how much memory is taken of the budget, in bytes, and how many events it has had and no longer has.
type Memory struct{ Taken, Budget, Unloaded int64 }

// Full reports whether little of the budget is left.
func (m Memory) Full() bool { return m.Taken > m.Budget/5*4 }

// The header has the gauge of the memory, of gaugeCells, in windows from gaugeFrom cells on, and once some of it is used.
const (
	gaugeCells = 10
	gaugeFrom  = 100
)

// text returns what the header says of the memory, after the gauge if there is one.
func (m Memory) text(gauge bool, g *screen.Glyphs) string {
	budget := display.Size(m.Budget)
	switch {
	case !gauge && m.Full():
		return "memory " + display.Size(m.Taken) + " of " + budget
	case !gauge || m.Taken < m.Budget/100 && m.Unloaded == 0:
		return ""
	}
	text := strings.TrimSuffix(display.Size(m.Taken), budget[strings.IndexByte(budget, ' '):]) + " of " + budget
	if m.Unloaded > 0 {
		text += " " + g.Dot + " " + display.Grouped(m.Unloaded) + " unloaded"
	}
	return strings.Repeat(" ", gaugeCells+1) + text
}

// View draws the header in width cells. If not all parts fit, the least important is dropped first.
func (h Header) View(width int, g *screen.Glyphs) string {
	if len(h.Tabs) > 0 {
		return h.viewTabs(width, g)
	}
	about, gauge := h.About, width >= gaugeFrom
	memory := h.Memory.text(gauge, g)
	left, right := "", ""
	for drops := true; drops; {
		left, right = " ", memory+h.Index
		if len(about) > 0 {
			left = "  " + strings.Join(about, " "+g.Dot+" ") + " "
		}
		if memory != "" && h.Index != "" {
			right = memory + "   " + h.Index
		}
		if right != "" {
			right = " " + right + " "
		}
		switch {
		case g.TextWidth(h.Name+left+right) < width:
			drops = false
		case gauge:
			gauge, memory = false, h.Memory.text(false, g)
		case len(about) > 1:
			about = about[:len(about)-1]
		case memory != "" && h.Index != "":
			memory = ""
		case len(about) > 0 && g.TextWidth(h.Name) < width/2:
			about = nil
		default:
			drops = false
		}
	}
	name := g.CutMiddle(h.Name, max(8, width-1-g.TextWidth(left+right)))
	l := screen.NewLine(width, g)
	l.Space(1)
	l.Put(name, theme.Bold).Put(left, theme.Plain)
	l.Space(l.Left - g.TextWidth(right))
	if bar := " " + strings.Repeat(" ", gaugeCells); gauge && strings.HasPrefix(right, bar) {
		l.Space(1)
		l.Gauge(min(h.Memory.Taken, h.Memory.Budget), h.Memory.Budget, gaugeCells)
		right = right[len(bar):]
	}
	return l.Put(right, theme.Plain).End()
}

// A tab has so many cells for its name, and for those of two that are compared.
const (
	tabCells  = 24
	diffCells = 40
)

// label returns the text of a tab. Brackets are around the one that is shown.
func (h *Header) label(i int, g *screen.Glyphs) string {
	most := tabCells
	if strings.Contains(h.Tabs[i], g.Versus) {
		most = diffCells
	}
	text := fmt.Sprintf("%d %s", i+1, g.CutMiddle(h.Tabs[i], most))
	if i == h.Tab {
		return "[" + text + "]"
	}
	return " " + text + " "
}

// tabs returns which tabs fit in width cells: from one on, as late as the one that is shown needs.
func (h *Header) tabs(width int, g *screen.Glyphs) (from int) {
	width -= g.TextWidth(h.label(h.Tab, g))
	for from = h.Tab; from > 0; from-- {
		if width -= g.TextWidth(h.label(from-1, g)); width < 0 {
			break
		}
	}
	return from
}

func (h Header) TabAt(x, width int, g *screen.Glyphs) (i int, ok bool) {
	for i = h.tabs(width, g); i < len(h.Tabs) && x >= 0; i++ {
		if x -= g.TextWidth(h.label(i, g)); x < 0 {
			return i, true
		}
	}
	return 0, false
}

// viewTabs is View with the names of all traces. The facts about the one that is shown come after them, as many as fit.
func (h *Header) viewTabs(width int, g *screen.Glyphs) string {
	l := screen.NewLine(width, g)
	for i := h.tabs(width, g); i < len(h.Tabs); i++ {
		style := theme.Plain
		if i == h.Tab {
			style = theme.Accent
		}
		l.Put(h.label(i, g), style)
	}
	right := " "
	for _, part := range []string{h.Memory.text(false, g), h.Index} {
		if part != "" {
			right = "  " + part + right
		}
	}
	about := h.About
	text := func() string { return "  " + strings.Join(about, " "+g.Dot+" ") }
	for len(about) > 0 && g.TextWidth(text()+right) > l.Left {
		about = about[:len(about)-1]
	}
	if len(about) > 0 {
		l.Put(text(), theme.Plain)
	}
	l.Space(l.Left - g.TextWidth(right))
	return l.Put(right, theme.Plain).End()
}

// Position tells where the cursor is: at n, unless that is nil, which has a handle. count is the number being typed, or "".
func Position(n *lazy.Node, handle, count string, g *screen.Glyphs) string {
	var parts []string
	if count != "" {
		parts = append(parts, count)
	}
	if n != nil {
		if n.Point() != nil && handle != "" {
			parts = append(parts, handle)
		}
		if share := n.Fraction(); share >= 0 {
			parts = append(parts, fmt.Sprintf("%.1f %%", 100*share))
		}
	}
	return strings.Join(parts, " "+g.Dot+" ")
}
