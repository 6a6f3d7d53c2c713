package ui

import (
	"slices"
	"strings"

	"tracex/ui/internal/screen"
)

// hint is a part of the bottom line. Where not all fit, those with the largest
// rank go first; rank 0 stays.
type hint struct {
	text string
	rank int
}

// hints lists the keys that are of use where the cursor is, as many as fit. How
// to leave and how to see all keys are always among them.
func (m *Model) hints() string {
	list := m.hintList()
	for {
		texts := make([]string, len(list))
		worst := 0
		for i, h := range list {
			texts[i] = h.text
			if h.rank > list[worst].rank {
				worst = i
			}
		}
		text := strings.Join(texts, "   ")
		if screen.TextWidth(text, m.g.ASCII)+1 <= m.width || list[worst].rank == 0 {
			return text
		}
		list = slices.Delete(list, worst, worst+1)
	}
}

// hintList is what could be hinted at, in the order of the line.
func (m *Model) hintList() []hint {
	key := func(key string, rank int) hint {
		return hint{screen.KeyName(key, m.g) + " " + find(m.keys, key).brief, rank}
	}
	open, move := "← → collapse/expand", "↑ ↓ move"
	if m.g.ASCII {
		open, move = "Left Right collapse/expand", "Up Down move"
	}
	list := []hint{{open, 2}, {move, 4}}
	if m.out.t.ThreadCount() > 1 {
		list = append(list, hint{"Tab thread", 7})
	}
	if m.known.Growth.On && !m.follow.on {
		list = append(list, key("F", 1))
	}
	list = append(list, key("/", 1))
	if m.search.Some() {
		list = append(list, hint{"n N next/previous", 3}, key("H", 3))
	}
	list = append(list, key("d", 3))
	if m.timed() {
		list = append(list, key("s", 8), key("L", 6))
	}
	return append(list, key(":", 5), key("r", 9), key("x", 10), key("?", 0), key("q", 0))
}
