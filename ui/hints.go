package ui

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// hinter collects the hints of the bottom line from the table of commands: which keys are useful now.
type hinter struct {
	*Model
	list []keys.Hint
}

// add adds a hint for commands that all have a key.
func (h *hinter) add(rank int, brief string, commands ...keys.Name) {
	var names []string
	for _, c := range commands {
		key := h.env.Keyboard.Keys.Firsts[string(c)]
		if key == "" {
			return
		}
		names = append(names, key)
	}
	h.list = append(h.list, keys.Hint{Text: strings.Join(names, " ") + " " + brief, Rank: rank, Command: commands[0]})
}

// brief adds the hint of a command with the text of the table.
func (h *hinter) brief(c keys.Name, rank int) { h.add(rank, h.env.Keyboard.Keys.Named(c).Brief, c) }

func (h *hinter) row(on lazy.Row, threads bool) {
	switch n := on.Node; {
	case on == (lazy.Row{}):
	case on.Left != 0: // what a filter leaves out
		h.add(1, "show them", keys.Toggle)
	case n == nil:
		h.add(1, "load", keys.Toggle)
	case n.IsThread():
		h.add(2, "expand", keys.Expand)
		if threads {
			h.add(1, "next thread", keys.NextThread)
			h.add(1, "threads", keys.Threads)
		}
	case n.Leaf():
		h.add(2, "parent", keys.Collapse)
	case h.tree.Out.Tree.IsExpanded(n):
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

// hints lists useful keys, as many as fit in width cells, always with quit and help. full: the memory is nearly full.
func hints(m *Model, full bool, width int) []keys.Hint {
	h, on, threads := &hinter{Model: m}, m.tree.Out.Cursor, m.env.Trace.Size.Threads > 1
	if m.panes.keys != screen.TreePane {
		h.pane(m.panes.keys)
		return keys.Hints(h.list, width, m.env.Glyphs)
	}
	if m.panes.covers() {
		h.add(0, "tree", keys.Stop)
	}
	diff := m.env.Trace.Diff != nil
	if m.results.Some() {
		if diff {
			h.add(0, "next", keys.NextHit, keys.PreviousHit)
		} else {
			h.add(1, "next/previous", keys.NextHit, keys.PreviousHit)
		}
		h.brief(keys.Hits, 1)
	}
	if m.compare.pairs != nil {
		h.add(1, "in B or A", keys.GoStatement)
		if _, _, is := h.tree.Equal(on.Node); is {
			h.add(1, "in A", keys.Toggle)
		}
	}
	if _, is := m.tree.Partner(on.Node); is {
		h.add(1, "partner", keys.Partner)
	}
	if m.tabs != nil && len(m.tabs.list) > 1 {
		rank := 4
		if diff {
			rank = 1
		}
		h.add(rank, "other tab", keys.Tab)
	}
	if m.filter.Cur != nil {
		h.brief(keys.Unfilter, 1)
		h.brief(keys.Filter, 2)
	}
	if m.flames.On {
		h.brief(keys.Flame, 1)
	}
	if to := back(m); to != "" {
		h.add(1, "back to "+to, keys.Stop)
	}
	h.row(on, threads)
	if m.env.Trace.Known.Growth.On && !m.follow.On() {
		h.brief(keys.Follow, 1)
	}
	h.add(4, "move", keys.Up, keys.Down)
	if threads && (on.Left != 0 || on.Node == nil || !on.Node.IsThread()) {
		h.add(7, "thread", keys.NextThread)
	}
	h.brief(keys.Search, 1)
	h.brief(keys.Details, 3)
	h.brief(keys.Top, 8)
	if m.env.Trace.Size.Timed {
		if on.Node == nil || !on.Node.Leaf() {
			h.brief(keys.Longest, 6)
		}
		h.brief(keys.Sort, 8)
	}
	h.brief(keys.GoTo, 5)
	if !m.tree.Out.Tree.Folded() {
		h.add(4, "folded", keys.Raw)
	}
	if full {
		h.brief(keys.Unload, 2)
	}
	h.brief(keys.Help, 0)
	h.brief(keys.Quit, 0)
	return keys.Hints(h.list, width, m.env.Glyphs)
}
