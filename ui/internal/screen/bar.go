package screen

import "tracex/lazy/query/display"

// Bars, see [display.Bar].
const (
	ReverseBar = display.ReverseBar
	DarkBar    = display.DarkBar
	LightBar   = display.LightBar
)

// background holds the parameters that draw a bar as a background.
var background = [...]string{DarkBar: "48;5;236", LightBar: "48;5;254"}

// current draws a match on the cursor's line: in color black on yellow, otherwise bold and
// underlined, unlike the matches in other lines.
const current = "1;4;30;43"

// onBar returns the parameters of a style on the cursor's line. Faint text is drawn plain there: on
// gray it would be hard to read. So are colors on a reversed bar, where they would be backgrounds.
func onBar(g *Glyphs, s Style) string {
	text, bar := code(g, int(s)), code(g, cursorLine)
	if text == sgr[Faint] {
		text = ""
	}
	switch {
	case bar != "" && bar != "7":
	case bar == "7" || g.Bar == ReverseBar:
		if heavy(text) {
			return "7;1"
		}
		return "7"
	default:
		bar = background[g.Bar]
	}
	return both(bar, text)
}

// heavy reports whether the parameters of a style make text bold.
func heavy(code string) bool { return code == "1" || len(code) > 1 && code[:2] == "1;" }
