package screen

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// Titled returns a rule with a title near one of its ends.
func Titled(leftTitle, rightTitle string, width int, g *Glyphs) string {
	return titled(leftTitle, rightTitle, theme.Plain, width, g)
}

// PaneTitle returns the rule above a pane; keys: the pane has the keys.
func PaneTitle(title string, keys bool, width int, g *Glyphs) string {
	if title = " " + g.CutEnd(title, width-6) + " "; keys {
		return titled(g.Cursor+title, "", theme.Accent, width, g)
	}
	return titled(title, "", theme.Plain, width, g)
}

func titled(leftTitle, rightTitle string, role theme.Role, width int, g *Glyphs) string {
	l := NewLine(width, g)
	rest := width - g.TextWidth(leftTitle) - g.TextWidth(rightTitle) - 2
	l.Put(g.Rule, theme.Faint).Put(leftTitle, role)
	l.Put(strings.Repeat(g.Rule, max(0, rest)), theme.Faint).Put(rightTitle, role).Put(g.Rule, theme.Faint)
	return l.End()
}

// styling is a change of style.
var styling = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Underline underlines the first cells of a line: a bar that needs no room.
func Underline(line string, cells int) string {
	if cells <= 0 {
		return line
	}
	const on, off = "\x1b[4m", "\x1b[24m"
	return on + styling.ReplaceAllString(ansi.Truncate(line, cells, ""), "$0"+on) + off + ansi.TruncateLeft(line, cells, "")
}
