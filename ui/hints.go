package ui

import (
	"tracex/ui/internal/help"
	"tracex/ui/internal/screen"
)

// hints lists the keys that are useful at the cursor, as many as fit. The keys for leaving and
// for help are always among them.
func (m *Model) hints() string { return help.Hints(m.hintList(), m.width-1, m.g) }

// hintList returns all possible hints, in the order of the line.
func (m *Model) hintList() []help.Hint {
	key := func(key string, rank int) help.Hint {
		return help.Hint{Text: screen.KeyName(key, m.g) + " " + find(m.keys, key).brief, Rank: rank}
	}
	open, move := "← → collapse/expand", "↑ ↓ move"
	if m.g.ASCII {
		open, move = "Left Right collapse/expand", "Up Down move"
	}
	list := []help.Hint{{Text: open, Rank: 2}, {Text: move, Rank: 4}}
	if m.facts.threads > 1 {
		list = append(list, help.Hint{Text: "Tab thread", Rank: 7})
	}
	if m.known.Growth.On && !m.follow.on {
		list = append(list, key("F", 1))
	}
	list = append(list, key("/", 1))
	if m.search.Some() {
		list = append(list, help.Hint{Text: "n N next/previous", Rank: 3}, key("H", 3))
	}
	list = append(list, key("d", 3))
	if m.timed() {
		list = append(list, key("s", 8), key("L", 6))
	}
	return append(list, key(":", 5), key("r", 9), key("x", 10), key("?", 0), key("q", 0))
}
