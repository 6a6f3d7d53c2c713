package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// overlay takes the place of the tree until it is closed.
type overlay interface {
	// HandleKey says what a key leads to.
	HandleKey(k tea.KeyPressMsg) list.Action
	// Scroll moves what is shown, for the mouse's wheel.
	Scroll(n int)
	// View draws height lines of width cells.
	View(width, height int, g *screen.Glyphs) []string
	// Hint is the bottom line, if possible in width cells.
	Hint(width int, g *screen.Glyphs) string
}

// opened is the overlay that is open.
type opened struct {
	overlay
	choose func(m *Model, i int) tea.Cmd // nil: nothing can be chosen
}

// overlayKey does what a key in the overlay leads to.
func (m *Model) overlayKey(k tea.KeyPressMsg) tea.Cmd {
	o := m.overlay
	switch what := o.HandleKey(k); what.Kind {
	case list.Closed:
		m.overlay = nil
	case list.Chosen:
		m.overlay = nil
		return o.choose(m, what.Index)
	}
	return nil
}
