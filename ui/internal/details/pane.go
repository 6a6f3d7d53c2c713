package details

import (
	"slices"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Pane is the pane of details and how far it is scrolled. The zero value is hidden.
type Pane struct {
	on  bool
	top int      // first line shown
	of  lazy.Row // the row that top belongs to
}

// On reports whether the details are shown.
func (p *Pane) On() bool { return p.on }

// Toggle shows the details from their beginning, or hides them.
func (p *Pane) Toggle() { p.on, p.top = !p.on, 0 }

// Hide hides the details, and reports whether they were shown.
func (p *Pane) Hide() bool {
	was := p.on
	p.on = false
	return was
}

// Scroll scrolls the details by n lines. It shows them if they are hidden.
func (p *Pane) Scroll(n int) {
	if !p.on {
		p.on = true
		return
	}
	p.top = max(0, p.top+n)
}

// View draws the details of a row: height lines of width cells. It scrolls back to the top when
// the row changes.
func (p *Pane) View(r Reader, of *Subject, width, height int, g *screen.Glyphs) []string {
	all := Describe(r, of, width, height, g)
	if p.of != of.Row {
		p.of, p.top = of.Row, 0
	}
	p.top = max(0, min(p.top, len(all)-height))
	lines := all[p.top:]
	if len(lines) > height {
		more := screen.Plural(int64(len(lines)-height+1), "more line") + ": " + screen.ActionKey("details-down", g) + " scrolls"
		lines = append(slices.Clip(lines[:height-1]), screen.NewLine(width, g).Put(more, screen.Faint).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).End())
	}
	return lines
}
