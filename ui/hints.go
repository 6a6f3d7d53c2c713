package ui

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/help"
	"tracex/ui/internal/screen"
)

// useful tells what the cursor is on and what is going on: it decides which keys are useful now,
// besides those that always are.
type useful struct {
	on       place
	threads  bool // there are several threads
	follow   bool // the trace grows and is not followed
	hits     bool // there is a search, or another result to walk through
	filtered bool // the tree is filtered
	timed    bool // the trace has times
	strip    bool // the strip of the thread is shown
	raw      bool // the raw trace is shown
	full     bool // the memory is nearly used up
}

// place is what the cursor is on.
type place int

const (
	onNothing place = iota
	onLeft          // what a filter leaves out
	onGap           // children that are not loaded
	onThread
	onLeaf
	onCollapsed
	onExpanded
)

// placeOf returns what a row is. A thread is onThread, whether it is expanded or not.
func placeOf(t *lazy.Tree, row lazy.Row) place {
	switch n := row.Node; {
	case row == (lazy.Row{}):
		return onNothing
	case row.Left != 0:
		return onLeft
	case n == nil:
		return onGap
	case n.IsThread():
		return onThread
	case n.Leaf():
		return onLeaf
	case t.IsExpanded(n):
		return onExpanded
	}
	return onCollapsed
}

// hinter collects the hints of the bottom line from the key map.
type hinter struct {
	keys []binding
	g    *screen.Glyphs
	list []help.Hint
}

// add adds a hint for actions that all have a key.
func (h *hinter) add(rank int, brief string, actions ...string) {
	var names []string
	for _, name := range actions {
		key := action(h.keys, name).first(h.g)
		if key == "" {
			return
		}
		names = append(names, key)
	}
	h.list = append(h.list, help.Hint{Text: strings.Join(names, " ") + " " + brief, Rank: rank})
}

// brief adds the hint of an action with the text of the key map.
func (h *hinter) brief(name string, rank int) { h.add(rank, action(h.keys, name).brief, name) }

// row adds the keys for the row under the cursor.
func (h *hinter) row(now useful) {
	switch now.on {
	case onLeft:
		h.add(1, "show them", "toggle")
	case onGap:
		h.add(1, "load", "toggle")
	case onThread:
		h.add(2, "expand", "expand")
		if now.threads {
			h.add(1, "next thread", "next-thread")
			h.add(1, "threads", "threads")
		}
	case onLeaf:
		h.add(2, "parent", "collapse")
	case onCollapsed:
		h.add(2, "expand", "expand")
		h.add(8, "all below", "expand-all")
	case onExpanded:
		h.add(2, "collapse", "collapse")
		h.add(3, "into", "expand")
	}
}

// hints lists the keys that are useful at the cursor, as many as fit in width cells. The keys
// for leaving and for help are always among them.
func hints(keys []binding, now useful, width int, g *screen.Glyphs) string {
	h := &hinter{keys: keys, g: g}
	if now.hits {
		h.add(1, "next/previous", "next-hit", "previous-hit")
		h.brief("hits", 1)
	}
	if now.filtered {
		h.brief("unfilter", 1)
		h.brief("filter", 2)
	}
	if now.strip {
		h.brief("flame", 1)
	}
	h.row(now)
	if now.follow {
		h.brief("follow", 1)
	}
	h.add(4, "move", "up", "down")
	if now.threads && now.on != onThread {
		h.add(7, "thread", "next-thread")
	}
	h.brief("search", 1)
	h.brief("details", 3)
	h.brief("top", 8)
	if now.timed {
		h.brief("longest", 6)
		h.brief("sort", 8)
	}
	h.brief("go-to", 5)
	if now.raw {
		h.add(4, "folded", "raw")
	}
	if now.full {
		h.brief("unload", 2)
	}
	h.brief("help", 0)
	h.brief("quit", 0)
	return help.Hints(h.list, width, g)
}
