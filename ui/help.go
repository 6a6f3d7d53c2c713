package ui

import tea "charm.land/bubbletea/v2"

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

// helpItems makes the lines of help from the key map.
func helpItems(keys []binding, g *glyphs) []item {
	var items []item
	group := ""
	for i := range keys {
		b := &keys[i]
		if b.group != group {
			group = b.group
			if len(items) > 0 {
				items = append(items, item{head: true})
			}
			items = append(items, item{head: true, cells: []cell{{text: group, s: bold}}})
		}
		items = append(items, item{cells: []cell{{text: b.names(g), s: accent, at: 4}, {text: b.help, s: plain, at: 22}}})
		if b.keys[0] == "E" {
			items = append(items, item{cells: []cell{{text: "1 … 9", s: accent, at: 4}, {text: "expand to that depth (after a moment)", s: plain, at: 22}}})
		}
	}
	more := []string{
		"Prefix a count: 5j moves five rows, 100G goes to row 100.",
		"Mouse: wheel scrolls, click chooses, double click opens. Shift selects text; --no-mouse leaves it to the terminal.",
	}
	items = append(items, item{head: true})
	for _, text := range more {
		items = append(items, item{cells: []cell{{text: text, s: faint, at: 2}}})
	}
	return append(items, legend(g)...)
}

// legend says what the marks mean.
func legend(g *glyphs) []item {
	items := []item{{head: true}, {head: true, cells: []cell{{text: "Marks", s: bold}}}}
	for _, l := range [][2]string{
		{g.open, "open"}, {g.sorted, "open, sorted by duration"}, {g.closed, "closed, in memory"}, {g.absent, "closed, not loaded"},
		{g.spin[0], "loading"}, {"- + !", "removed, added, edited, in a diff of two traces"},
	} {
		items = append(items, item{cells: []cell{{text: l[0], s: accent, at: 4}, {text: l[1], s: plain, at: 22}}})
	}
	return items
}
