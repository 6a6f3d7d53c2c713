package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// overlay replaces the tree until it is closed.
type overlay interface {
	// HandleKey returns what a key asks for.
	HandleKey(k tea.KeyPressMsg) list.Action
	// Scroll moves the lines shown by n, for the mouse wheel.
	Scroll(n int)
	// View draws height lines of width cells.
	View(width, height int, g *screen.Glyphs) []string
	// Hint returns the bottom line, if possible in width cells.
	Hint(width int, g *screen.Glyphs) string
}

// opened is the overlay that is open.
type opened struct {
	overlay
	choose func(m *Model, i int) tea.Cmd // nil if nothing can be chosen
}

// overlayKey does what a key pressed in the overlay asks for.
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
