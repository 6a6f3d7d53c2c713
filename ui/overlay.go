package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// overlay takes the place of the tree until it is closed.
type overlay interface {
	// HandleKey returns what a key is to do.
	HandleKey(k tea.KeyPressMsg) action
	// Scroll moves what is shown, for the mouse's wheel.
	Scroll(n int) action
	// View draws height lines of width cells.
	View(width, height int, g *screen.Glyphs) []string
	// Hint is the bottom line, if possible in width cells.
	Hint(width int, g *screen.Glyphs) string
}

// item is a line of a list, with the text that a filter looks at.
type item struct {
	cells []cell
	head  bool   // a heading, which cannot be chosen
	whole string // what is cut in the cells; a filter looks at that too
}

type cell struct {
	text string
	s    screen.Style
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
