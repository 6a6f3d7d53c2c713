package keys

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Line is a line of the help, below the heading Group: the names of keys, as the user reads them, and what they do.
type Line struct{ Group, Names, Does string }

func (m *Map) Help() (lines []Line) {
	for i := range m.All {
		c := &m.All[i]
		if !c.Bindable() {
			continue
		}
		lines = append(lines, Line{c.Group, cmp.Or(c.Key.Help().Key, "(no key)"), c.Key.Help().Desc})
		if c.Name == ExpandAll {
			lines = append(lines, Line{c.Group, "1 " + m.g.More + " 9", "expand to that depth (after a moment)"})
		}
	}
	return lines
}

// helpItems makes the lines of a list of keys, below their headings; what keys do is wrapped, from a column on.
func helpItems(keys []Line, at, width int, g *screen.Glyphs) []prompt.Item {
	var items []prompt.Item
	group := ""
	for _, k := range keys {
		if k.Group != group {
			group = k.Group
			if len(items) > 0 {
				items = append(items, prompt.Item{Head: true})
			}
			items = append(items, prompt.Item{Head: true, Cells: []prompt.Cell{{Text: g.CutEnd(group, width-3), Style: theme.Bold, At: 2}}})
		}
		cells := k.caps(at - 18)
		for text := k.Does; text != ""; cells = nil {
			var line string
			line, text = g.TakeWords(text, width-at)
			items = append(items, prompt.Item{Cells: append(cells, prompt.Cell{Text: line, Style: theme.Plain, At: at})})
		}
	}
	return items
}

// caps returns the names of the keys as key caps, from a column on; signs that are no keys as they are.
func (k *Line) caps(at int) (cells []prompt.Cell) {
	names, style := strings.Fields(k.Names), theme.Chip
	if len(k.Names) > 1 && strings.ContainsAny(k.Names[:1], ":(") || k.Group == marks {
		names, style = []string{k.Names}, theme.Accent
	}
	for _, name := range names {
		cells = append(cells, prompt.Cell{Text: name, Style: style, At: at}, prompt.Cell{Text: " ", Style: theme.Plain})
		at = 0
	}
	return cells
}

// marks is the heading of the legend.
const marks = "Marks"

// Legend is what the help has after the keys.
func Legend(g *screen.Glyphs) []Line {
	const other = "Numbers and mouse"
	return []Line{
		{other, "", "A number before a key is how often, or which row or depth."},
		{other, "", "Wheel scrolls, click selects or, on path, strip, chip, goes there; double click: Enter."},
		{other, "", "A click on a column's head sorts. Shift selects text; --no-mouse leaves the mouse alone."},
		{marks, g.Open, "expanded"}, {marks, g.Sorted, "expanded, sorted by duration"}, {marks, g.Closed, "collapsed, in memory"},
		{marks, g.Absent, "collapsed, not loaded"}, {marks, g.Spin[0], "loading"}, {marks, g.Above, "scrolled out, and around the row below"},
		{marks, g.Gap, "what a filter or a step leaves out"}, {marks, "' " + g.Note, "a mark, a note"}, {marks, g.About + " " + strings.TrimSpace(g.AtLeast), "about; at least: not all is known yet"},
		{marks, "- + !", "removed, added, edited: as it was, then as it is; in a diff of two traces"},
	}
}

// A column of the help is helpColumn wide at least, and a list of fewer lines than helpLong has one.
const (
	helpColumn = 50
	helpLong   = 24
)

// HelpList is a list of keys, in columns where there is room. Lines that pass a filter are below each other.
type HelpList struct {
	prompt.List
	lines         []Line
	width         int // that beside is for
	below, beside []prompt.Item
}

// NewHelpList returns the list for a window of width cells.
func NewHelpList(title string, keys []Line, width int, g *screen.Glyphs) *HelpList {
	l := &HelpList{lines: keys}
	l.List = prompt.List{Title: title, Keys: "PgDn PgUp", Len: func() int { return len(l.items()) }, Item: func(i int) prompt.Item { return l.items()[i] }, Wide: prompt.AllRoom}
	l.lay(screen.FloatWidth(width), g)
	return l
}

func (l *HelpList) items() []prompt.Item {
	if l.Filtered() != "" {
		return l.below
	}
	return l.beside
}

// HandleKey is that of a list; the keys that open this one close it.
func (l *HelpList) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	if name := k.String(); (name == "?" || name == "f1") && !l.Typing() {
		return prompt.ListAction{Kind: prompt.Closed}
	}
	return l.List.HandleKey(k)
}

// View draws the list, in as many columns as there is room for.
func (l *HelpList) View(width, height int, g *screen.Glyphs) []string {
	if width != l.width {
		l.lay(width, g)
		l.Changed() // a filter has found other lines
	}
	return l.List.View(width, height, g)
}

// lay makes the lines, and divides the groups between two columns if there is room for these.
func (l *HelpList) lay(width int, g *screen.Glyphs) {
	half := width / 2
	l.width, l.below = width, helpItems(l.lines, 22, width-1, g)
	if l.beside = l.below; half < helpColumn || len(l.below) < helpLong {
		return
	}
	all := helpItems(l.lines, 20, half-2, g)
	cut := (len(all) + 1) / 2
	for all[cut].Cells != nil { // a blank line is between groups
		cut++
	}
	l.beside = slices.Clone(all[:cut])
	for i, right := range all[cut+1:] {
		if i == len(l.beside) {
			l.beside = append(l.beside, prompt.Item{})
		}
		for k, cell := range right.Cells {
			if k == 0 || cell.At > 0 {
				cell.At += half
			}
			l.beside[i].Cells = append(l.beside[i].Cells, cell)
		}
	}
}

// Hint is a part of the bottom line. If not all fit, the largest rank is dropped first; of rank 0 the last one.
type Hint struct {
	Text    string
	Rank    int
	Command Name // that a click on it runs; "" if none
}

// HintGap is between two hints.
const HintGap = "   "

// Hints returns as many hints as fit into width cells, in their order. It changes the list.
func Hints(list []Hint, width int, g *screen.Glyphs) []Hint {
	for {
		worst, cells := 0, -len(HintGap)
		for i, h := range list {
			cells += g.TextWidth(h.Text) + len(HintGap)
			if h.Rank > list[worst].Rank {
				worst = i
			}
		}
		if cells <= width || len(list) == 0 {
			return list
		}
		if list[worst].Rank == 0 {
			worst = len(list) - 1
		}
		list = slices.Delete(list, worst, worst+1)
	}
}

// HintsText returns hints as a line shows them.
func HintsText(list []Hint) string {
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.Text
	}
	return strings.Join(texts, HintGap)
}

// HintAt returns the command of the hint at a cell of that line; "" if there is none.
func HintAt(list []Hint, x int, g *screen.Glyphs) Name {
	for _, h := range list {
		width := g.TextWidth(h.Text)
		if x >= 0 && x < width {
			return h.Command
		}
		x -= width + len(HintGap)
	}
	return ""
}
