package screen

import (
	"strings"
)

// Titled returns a rule with a title near one of its ends.
func Titled(leftTitle, rightTitle string, width int, g *Glyphs) string {
	l := NewLine(width, g)
	rest := width - TextWidth(leftTitle, g.ASCII) - TextWidth(rightTitle, g.ASCII) - 2
	l.Put(g.Rule, Faint).Put(leftTitle, Plain)
	l.Put(strings.Repeat(g.Rule, max(0, rest)), Faint).Put(rightTitle, Plain).Put(g.Rule, Faint)
	return l.End()
}
