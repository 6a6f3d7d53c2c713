package ui

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// useful tells what is going on: it decides which keys are useful now, besides those that always are.
type useful struct {
	tree     *lazy.Tree
	on       lazy.Row    // of the cursor
	threads  bool        // there are several threads
	follow   bool        // the trace grows and is not followed
	hits     bool        // there is a search, or another result to walk through
	filtered bool        // the tree is filtered
	timed    bool        // the trace has times
	strip    bool        // the strip of the thread is shown
	raw      bool        // the raw trace is shown
	full     bool        // the memory is nearly used up
	pane     screen.Pane // that has the keys
}

// hinter collects the hints of the bottom line from the table of commands.
type hinter struct {
	keys *keys.Map
	list []keys.Hint
}

// add adds a hint for commands that all have a key.
func (h *hinter) add(rank int, brief string, commands ...keys.Name) {
	var names []string
	for _, c := range commands {
		key := h.keys.Firsts[string(c)]
		if key == "" {
			return
		}
		names = append(names, key)
	}
	h.list = append(h.list, keys.Hint{Text: strings.Join(names, " ") + " " + brief, Rank: rank, Command: commands[0]})
}

// brief adds the hint of a command with the text of the table.
func (h *hinter) brief(c keys.Name, rank int) { h.add(rank, h.keys.Named(c).Brief, c) }

func (h *hinter) row(now useful) {
	switch n := now.on.Node; {
	case now.on == (lazy.Row{}):
	case now.on.Left != 0: // what a filter leaves out
		h.add(1, "show them", keys.Toggle)
	case n == nil:
		h.add(1, "load", keys.Toggle)
	case n.IsThread():
		h.add(2, "expand", keys.Expand)
		if now.threads {
			h.add(1, "next thread", keys.NextThread)
			h.add(1, "threads", keys.Threads)
		}
	case n.Leaf():
		h.add(2, "parent", keys.Collapse)
	case now.tree.IsExpanded(n):
		h.add(2, "collapse", keys.Collapse)
		h.add(3, "into", keys.Expand)
	default:
		h.add(2, "expand", keys.Expand)
		h.add(8, "all below", keys.ExpandAll)
	}
}

// pane adds the hints while another pane than the tree has the keys.
func (h *hinter) pane(p screen.Pane) {
	h.add(1, map[screen.Pane]string{screen.DetailsPane: "value of the line", screen.SourcePane: "what happened at the line"}[p], keys.Toggle)
	h.add(4, "move", keys.Up, keys.Down)
	h.add(1, "to the tree", keys.Stop)
	h.add(3, "size, zoom, close", keys.Panes)
	h.brief(keys.Help, 0)
	h.brief(keys.Quit, 0)
}

// hints lists the keys that are useful at the cursor, as many as fit in width cells. The keys
// for leaving and for help are always among them.
func hints(m *keys.Map, now useful, width int, g *screen.Glyphs) []keys.Hint {
	h := &hinter{keys: m}
	if now.pane != screen.TreePane {
		h.pane(now.pane)
		return keys.Hints(h.list, width, g)
	}
	if now.hits {
		h.add(1, "next/previous", keys.NextHit, keys.PreviousHit)
		h.brief(keys.Hits, 1)
	}
	if now.filtered {
		h.brief(keys.Unfilter, 1)
		h.brief(keys.Filter, 2)
	}
	if now.strip {
		h.brief(keys.Flame, 1)
	}
	h.row(now)
	if now.follow {
		h.brief(keys.Follow, 1)
	}
	h.add(4, "move", keys.Up, keys.Down)
	if now.threads && (now.on.Left != 0 || now.on.Node == nil || !now.on.Node.IsThread()) {
		h.add(7, "thread", keys.NextThread)
	}
	h.brief(keys.Search, 1)
	h.brief(keys.Details, 3)
	h.brief(keys.Top, 8)
	if now.timed {
		if now.on.Node == nil || !now.on.Node.Leaf() {
			h.brief(keys.Longest, 6)
		}
		h.brief(keys.Sort, 8)
	}
	h.brief(keys.GoTo, 5)
	if now.raw {
		h.add(4, "folded", keys.Raw)
	}
	if now.full {
		h.brief(keys.Unload, 2)
	}
	h.brief(keys.Help, 0)
	h.brief(keys.Quit, 0)
	return keys.Hints(h.list, width, g)
}
