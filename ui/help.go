package ui

import (
	"tracex/ui/internal/help"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// Key is a line of the key map: the names of the keys, as the user reads them, and what they
// do. Group is the heading above it.
type Key = help.Key

// Keys returns the key map, as help shows it, with names in ASCII.
func Keys() []Key { return keyLines(bindings(), &screen.ASCII) }

func keyLines(keys []binding, g *screen.Glyphs) []Key {
	var lines []Key
	for i := range keys {
		b := &keys[i]
		lines = append(lines, Key{Group: b.group, Names: b.names(g), Does: b.does(g)})
		if b.name == "expand-all" {
			lines = append(lines, Key{Group: b.group, Names: "1 " + g.More + " 9", Does: "expand to that depth (after a moment)"})
		}
	}
	return lines
}

// keyList returns a list of the keys of what is in front.
func keyList(title string, keys []Key) *list.List {
	items := help.Lines(keys)
	return &list.List{Title: title, Keys: "PgDn PgUp", Len: func() int { return len(items) }, Item: func(i int) list.Item { return items[i] }}
}

// helpItems makes the lines of help from the key map.
func helpItems(keys []binding, g *screen.Glyphs) []list.Item {
	return help.Items(helpLines(keys, g), g)
}
