package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// The keys of the tree. Each starts a goal, or opens or closes nodes.

func (m *Model) first(n int) tea.Cmd {
	m.visit()
	return m.aim(outline.ToRow(max(1, n)))
}

func (m *Model) last(n int) tea.Cmd {
	m.visit()
	if n > 0 {
		return m.aim(outline.ToRow(n))
	}
	return m.aim(outline.ToLast)
}

// right opens the cursor's node. If that is open, it goes to the first child; at a leaf it
// scrolls the line while more text is hidden.
func (m *Model) right(n int) tea.Cmd {
	node := m.out.Cursor.Node
	switch {
	case node == nil:
		return m.again()
	case node.Leaf():
		m.slide(8 * max(1, n))
		return nil
	case m.out.Tree.IsExpanded(node):
		return m.aim(outline.ToFirstChild(node))
	}
	m.retry(node)
	m.out.Tree.Expand(node)
	return nil
}

// slide scrolls only the cursor's line, to the left or the right.
func (m *Model) slide(cells int) {
	o := m.out
	more := m.hidden(o.Cursor) - o.Skip
	if cells > 0 && more <= o.Slide {
		m.say("no children")
		return
	}
	o.Slid, o.Slide = o.Cursor.Node, max(0, min(o.Slide+cells, more))
}

// again retries loading the gap under the cursor.
func (m *Model) again() tea.Cmd {
	if gap := m.out.Cursor; gap.Gap() {
		m.retry(gap.Parent)
	}
	return nil
}

// left closes the cursor's node. If that is closed, it goes to the parent.
func (m *Model) left(int) tea.Cmd {
	row := m.out.Cursor
	switch {
	case m.out.Slide > 0:
		m.slide(-8)
	case m.out.Skip > 0:
		return m.shift(-8)
	case row.Node != nil && m.out.Tree.IsExpanded(row.Node) && !row.Node.Leaf():
		m.out.Tree.Collapse(row.Node)
	case row.Parent != nil:
		m.out.Jump(outline.RowOf(row.Parent))
	}
	return nil
}

func (m *Model) nextSibling(n int) tea.Cmd { return m.sibling(max(1, n), "no next sibling") }
func (m *Model) prevSibling(n int) tea.Cmd { return m.sibling(-max(1, n), "no previous sibling") }

// sibling goes n siblings forward; if there is no such sibling it shows none.
func (m *Model) sibling(n int, none string) tea.Cmd {
	from := m.out.Cursor
	walk := outline.Siblings(n)
	return m.aim(func(o *outline.Outline) (lazy.Row, lazy.End, bool) {
		gap, end, wait := walk(o)
		if !wait && o.Cursor == from {
			m.say(none)
		}
		return gap, end, wait
	})
}

func (m *Model) toggle(int) tea.Cmd {
	n := m.out.Cursor.Node
	switch {
	case n == nil:
		return m.again()
	case n.Leaf():
		m.say("no children")
	case m.out.Tree.IsExpanded(n):
		m.out.Tree.Collapse(n)
	default:
		m.retry(n)
		m.out.Tree.Expand(n)
	}
	return nil
}

func (m *Model) collapse(int) tea.Cmd {
	row := m.out.Cursor
	n := row.Node
	if n == nil || n.Leaf() || !m.out.Tree.IsExpanded(n) {
		if n = row.Parent; n == nil {
			return nil
		}
		m.out.Jump(outline.RowOf(n))
	}
	m.out.Tree.CollapseAll(n)
	return nil
}

func (m *Model) collapseAll(int) tea.Cmd {
	m.out.Tree.CollapseEverything()
	m.out.Packed = true
	return nil
}

// forget frees the memory of the nodes below the cursor's node, or, at a leaf or a gap, of
// those below its parent.
func (m *Model) forget(int) tea.Cmd {
	n := m.out.Cursor.Node
	if n == nil || n.Leaf() {
		if n = m.out.Cursor.Parent; n == nil {
			return nil
		}
		m.out.Jump(outline.RowOf(n))
	}
	m.retry(n)
	k := m.out.Tree.Forget(n)
	if k == 0 {
		m.say("nothing to unload")
		return nil
	}
	m.say("unloaded " + screen.Plural(int64(k), "row") + "; " + screen.KeyName("right", m.g) + " loads them again")
	return nil
}

// thread goes n threads forward, wrapping around.
func (m *Model) thread(n int) tea.Cmd {
	count := m.out.Tree.ThreadCount()
	if count == 0 {
		return nil
	}
	at := 0
	if id, ok := m.out.Thread(); ok {
		_, at = m.out.Tree.Thread(id)
	}
	if count == 1 {
		m.say("the trace has one thread")
	}
	m.visit()
	m.out.Jump(outline.RowOf(m.out.Tree.ThreadAt(((at+n)%count + count) % count)))
	return nil
}

// shift scrolls all lines sideways.
func (m *Model) shift(cells int) tea.Cmd {
	m.out.Skip = max(0, min(m.out.Skip+cells, 1<<20))
	return nil
}

func (m *Model) toggleWide(int) tea.Cmd {
	m.out.Wide = !m.out.Wide
	if m.out.Wide && m.settled() && m.placeless() {
		m.say("the trace does not say where in the source anything is")
	}
	return nil
}

// placeless reports whether the trace has no code locations.
func (m *Model) placeless() (none bool) {
	m.r.WithContext(func(c *format.Context) { none = c.Counts()[format.KindCodeLocation] == 0 })
	return none
}
