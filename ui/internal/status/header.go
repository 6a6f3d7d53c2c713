package status

import (
	"slices"
	"strings"

	"tracex/ui/internal/screen"
)

// Header is the content of the screen's first line.
type Header struct {
	Name   string   // of the trace
	About  []string // how large it is, the most telling part first
	Index  string   // what the user should know about the index; "" if nothing
	Memory string   // memory taken and the budget; "" while there is enough
}

// View draws the header in width cells. If not all parts fit, the least important is dropped first.
func (h Header) View(width int, g *screen.Glyphs) string {
	name, about := h.Name, h.About
	right := slices.DeleteFunc([]string{h.Memory, h.Index}, func(s string) bool { return s == "" })
	text := func() (left, end string) {
		if left = " "; len(about) > 0 {
			left = "  " + strings.Join(about, " "+g.Dot+" ") + " "
		}
		if len(right) > 0 {
			end = " " + strings.Join(right, "   ") + " "
		}
		return left, end
	}
	fits := func() bool {
		a, r := text()
		return screen.TextWidth(name+a+r, g.ASCII)+1 <= width
	}
	for len(about) > 1 && !fits() {
		about = about[:len(about)-1]
	}
	if !fits() && len(right) > 1 {
		right = right[1:]
	}
	if !fits() && screen.TextWidth(name, g.ASCII) < width/2 {
		about = nil
	}
	a, r := text()
	name = screen.CutMiddle(name, max(8, width-1-screen.TextWidth(a+r, g.ASCII)), g)
	l := screen.NewLine(width, g)
	l.Space(1)
	l.Put(name, screen.Bold).Put(a, screen.Plain)
	l.Space(l.Left - screen.TextWidth(r, g.ASCII))
	return l.Put(r, screen.Plain).End()
}
