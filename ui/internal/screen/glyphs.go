package screen

import (
	"tracex/lazy/query/display"
	"tracex/ui/internal/theme"
)

// Glyphs are what the screen is drawn with besides the trace's own text: signs, and the pens of a
// theme. Each explorer has a copy, whose pens depend on its terminal.
type Glyphs struct {
	*display.Glyphs
	Pens *theme.Pens
	Keys map[string]string // names of keys that texts mention, by the names of their actions
}

// Unicode and ASCII are for the two sorts of terminals.
var (
	Unicode = Glyphs{Glyphs: &display.Unicode}
	ASCII   = Glyphs{Glyphs: &display.ASCII}
)
