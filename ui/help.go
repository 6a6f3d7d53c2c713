package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// help shows the key map.
func (m *Model) help(int) tea.Cmd {
	items := helpItems(m.keys, m.g)
	m.overlay = &list{
		title: "keys", hint: "PgDn PgUp",
		n:    func() int { return len(items) },
		item: func(i int) item { return items[i] },
	}
	return nil
}

// Key is a line of the key map: keys, as a person reads their names, and what they
// do. Group is the heading that it is under.
type Key struct{ Group, Names, Does string }

// Keys returns the key map, as help shows it, with names in ASCII.
func Keys() []Key { return keyLines(bindings(), &screen.ASCII) }

func keyLines(keys []binding, g *screen.Glyphs) []Key {
	var lines []Key
	for i := range keys {
		b := &keys[i]
		lines = append(lines, Key{b.group, b.names(g), b.help})
		if b.keys[0] == "E" {
			lines = append(lines, Key{b.group, "1 " + g.More + " 9", "expand to that depth (after a moment)"})
		}
	}
	return lines
}

// helpItems makes the lines of help from the key map.
func helpItems(keys []binding, g *screen.Glyphs) []item {
	var items []item
	group := ""
	for _, k := range keyLines(keys, g) {
		if k.Group != group {
			group = k.Group
			if len(items) > 0 {
				items = append(items, item{head: true})
			}
			items = append(items, item{head: true, cells: []cell{{text: group, s: screen.Bold}}})
		}
		items = append(items, item{cells: []cell{{text: k.Names, s: screen.Accent, at: 4}, {text: k.Does, s: screen.Plain, at: 22}}})
	}
	more := []string{
		"Prefix a count: 5j moves five rows, 100G goes to row 100.",
		"Mouse: wheel scrolls, click chooses, double click opens. Shift selects text; --no-mouse leaves it to the terminal.",
	}
	items = append(items, item{head: true})
	for _, text := range more {
		items = append(items, item{cells: []cell{{text: text, s: screen.Faint, at: 2}}})
	}
	return append(items, legend(g)...)
}

// legend says what the marks mean.
func legend(g *screen.Glyphs) []item {
	items := []item{{head: true}, {head: true, cells: []cell{{text: "Marks", s: screen.Bold}}}}
	for _, l := range [][2]string{
		{g.Open, "open"}, {g.Sorted, "open, sorted by duration"}, {g.Closed, "closed, in memory"}, {g.Absent, "closed, not loaded"},
		{g.Spin[0], "loading"}, {"- + !", "removed, added, edited, in a diff of two traces"},
	} {
		items = append(items, item{cells: []cell{{text: l[0], s: screen.Accent, at: 4}, {text: l[1], s: screen.Plain, at: 22}}})
	}
	return items
}
