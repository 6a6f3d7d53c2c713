package ui

import (
	"tracex/ui/internal/help"
	"tracex/ui/internal/screen"
)

// useful tells which keys are useful now, besides those that always are.
type useful struct {
	threads bool // there are several threads
	follow  bool // the trace grows and is not followed
	hits    bool // there is a search
	timed   bool // the trace has times
}

// hints lists the keys that are useful at the cursor, as many as fit in width cells. The keys
// for leaving and for help are always among them.
func hints(keys []binding, now useful, width int, g *screen.Glyphs) string {
	key := func(key string, rank int) help.Hint {
		return help.Hint{Text: screen.KeyName(key, g) + " " + find(keys, key).brief, Rank: rank}
	}
	open, move := "← → collapse/expand", "↑ ↓ move"
	if g.ASCII {
		open, move = "Left Right collapse/expand", "Up Down move"
	}
	list := []help.Hint{{Text: open, Rank: 2}, {Text: move, Rank: 4}}
	if now.threads {
		list = append(list, help.Hint{Text: "Tab thread", Rank: 7})
	}
	if now.follow {
		list = append(list, key("F", 1))
	}
	list = append(list, key("/", 1))
	if now.hits {
		list = append(list, help.Hint{Text: "n N next/previous", Rank: 3}, key("H", 3))
	}
	list = append(list, key("d", 3))
	if now.timed {
		list = append(list, key("s", 8), key("L", 6))
	}
	list = append(list, key(":", 5), key("r", 9), key("x", 10), key("?", 0), key("q", 0))
	return help.Hints(list, width, g)
}
