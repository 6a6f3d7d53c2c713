package help

import (
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// Key is a line of the key map: the names of the keys, as the user reads them, and what they
// do. Group is the heading above it.
type Key struct{ Group, Names, Does string }

// Lines makes the lines of keys, below their headings.
func Lines(keys []Key) []list.Item {
	var items []list.Item
	group := ""
	for _, k := range keys {
		if k.Group != group {
			group = k.Group
			if len(items) > 0 {
				items = append(items, list.Item{Head: true})
			}
			items = append(items, list.Item{Head: true, Cells: []list.Cell{{Text: group, Style: screen.Bold}}})
		}
		items = append(items, list.Item{Cells: []list.Cell{{Text: k.Names, Style: screen.Accent, At: 4}, {Text: k.Does, Style: screen.Plain, At: 22}}})
	}
	return items
}

// Items makes the lines of help from the key map.
func Items(keys []Key, g *screen.Glyphs) []list.Item {
	items := Lines(keys)
	more := []string{
		"A number before a key is how often, or which row or depth.",
		"Mouse: wheel scrolls, click selects or, on path or strip, goes there; double click: Enter.",
		"A click on a column's head sorts. Shift selects text; --no-mouse leaves the mouse alone.",
	}
	items = append(items, list.Item{Head: true})
	for _, text := range more {
		items = append(items, list.Item{Cells: []list.Cell{{Text: text, Style: screen.Faint, At: 2}}})
	}
	return append(items, legend(g)...)
}

// legend explains the marks.
func legend(g *screen.Glyphs) []list.Item {
	items := []list.Item{{Head: true}, {Head: true, Cells: []list.Cell{{Text: "Marks", Style: screen.Bold}}}}
	for _, l := range [][2]string{
		{g.Open, "expanded"}, {g.Sorted, "expanded, sorted by duration"}, {g.Closed, "collapsed, in memory"}, {g.Absent, "collapsed, not loaded"},
		{g.Spin[0], "loading"}, {"- + !", "removed, added, edited, in a diff of two traces"},
	} {
		items = append(items, list.Item{Cells: []list.Cell{{Text: l[0], Style: screen.Accent, At: 4}, {Text: l[1], Style: screen.Plain, At: 22}}})
	}
	return items
}
