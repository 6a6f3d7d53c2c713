package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// What the keys of the tree do. Each begins a goal, or changes what is open.

func (m *Model) first(n int) tea.Cmd {
	m.visit()
	return m.aim(toRow(max(1, n)))
}

func (m *Model) last(n int) tea.Cmd {
	m.visit()
	if n > 0 {
		return m.aim(toRow(n))
	}
	return m.aim(toLast)
}

// right opens the cursor's node; when that is open it goes to its first child,
// and at a leaf it scrolls the line, as far as there is more of it.
func (m *Model) right(n int) tea.Cmd {
	node := m.out.cursor.Node
	switch {
	case node == nil:
		return m.again()
	case node.Leaf():
		m.slide(8 * max(1, n))
		return nil
	case m.out.t.IsExpanded(node):
		return m.aim(toFirstChild(node))
	}
	m.retry(node)
	m.out.t.Expand(node)
	return nil
}

// slide scrolls the cursor's line alone, to the left or the right.
func (m *Model) slide(cells int) {
	o := m.out
	more := m.hidden(o.cursor) - o.skip
	if cells > 0 && more <= o.slide {
		m.say("no children")
		return
	}
	o.slid, o.slide = o.cursor.Node, max(0, min(o.slide+cells, more))
}

// again tries once more to load the gap under the cursor.
func (m *Model) again() tea.Cmd {
	if gap := m.out.cursor; gap.Gap() {
		m.retry(gap.Parent)
	}
	return nil
}

// left closes the cursor's node; when that is closed it goes to the parent.
func (m *Model) left(int) tea.Cmd {
	row := m.out.cursor
	switch {
	case m.out.slide > 0:
		m.slide(-8)
	case m.out.skip > 0:
		return m.shift(-8)
	case row.Node != nil && m.out.t.IsExpanded(row.Node) && !row.Node.Leaf():
		m.out.t.Collapse(row.Node)
	case row.Parent != nil:
		m.out.jump(rowOf(row.Parent))
	}
	return nil
}

func (m *Model) nextSibling(n int) tea.Cmd { return m.sibling(max(1, n), "no next sibling") }
func (m *Model) prevSibling(n int) tea.Cmd { return m.sibling(-max(1, n), "no previous sibling") }

// sibling goes n siblings on; where there is none it says so.
func (m *Model) sibling(n int, none string) tea.Cmd {
	from := m.out.cursor
	walk := siblings(n)
	return m.aim(func(o *outline) (lazy.Row, lazy.End, bool) {
		gap, end, wait := walk(o)
		if !wait && o.cursor == from {
			m.say(none)
		}
		return gap, end, wait
	})
}

// rowOf is the row of a node that is on the path to one that is shown.
func rowOf(n *lazy.Node) lazy.Row {
	return lazy.Row{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Place().At}
}

func (m *Model) toggle(int) tea.Cmd {
	n := m.out.cursor.Node
	switch {
	case n == nil:
		return m.again()
	case n.Leaf():
		m.say("no children")
	case m.out.t.IsExpanded(n):
		m.out.t.Collapse(n)
	default:
		m.retry(n)
		m.out.t.Expand(n)
	}
	return nil
}

func (m *Model) collapse(int) tea.Cmd {
	row := m.out.cursor
	n := row.Node
	if n == nil || n.Leaf() || !m.out.t.IsExpanded(n) {
		if n = row.Parent; n == nil {
			return nil
		}
		m.out.jump(rowOf(n))
	}
	m.out.t.CollapseAll(n)
	return nil
}

func (m *Model) collapseAll(int) tea.Cmd {
	m.out.t.CollapseEverything()
	m.out.packed = true
	return nil
}

// forget gives back the memory of what is below the cursor's node, or, at a
// leaf or a gap, of what is below its parent.
func (m *Model) forget(int) tea.Cmd {
	n := m.out.cursor.Node
	if n == nil || n.Leaf() {
		if n = m.out.cursor.Parent; n == nil {
			return nil
		}
		m.out.jump(rowOf(n))
	}
	m.retry(n)
	k := m.out.t.Forget(n)
	if k == 0 {
		m.say("nothing to unload")
		return nil
	}
	m.say("unloaded " + screen.Plural(int64(k), "row") + "; " + screen.KeyName("right", m.g) + " loads them again")
	return nil
}

// thread goes n threads on, round and round.
func (m *Model) thread(n int) tea.Cmd {
	count := m.out.t.ThreadCount()
	if count == 0 {
		return nil
	}
	at := 0
	if id, ok := m.cursorThread(); ok {
		_, at = m.out.t.Thread(id)
	}
	if count == 1 {
		m.say("the trace has one thread")
	}
	m.visit()
	m.out.jump(rowOf(m.out.t.ThreadAt(((at+n)%count + count) % count)))
	return nil
}

// cursorThread returns the thread that the cursor is in.
func (m *Model) cursorThread() (id int32, ok bool) {
	switch row := m.out.cursor; {
	case row.Node != nil:
		return row.Node.Thread(), true
	case row.Parent != nil:
		return row.Parent.Thread(), true
	}
	return 0, false
}

// shift scrolls all lines sideways.
func (m *Model) shift(cells int) tea.Cmd {
	m.out.skip = max(0, min(m.out.skip+cells, 1<<20))
	return nil
}

func (m *Model) toggleWide(int) tea.Cmd {
	m.out.wide = !m.out.wide
	if m.out.wide && m.settled() && m.placeless() {
		m.say("the trace does not say where in the source anything is")
	}
	return nil
}

// placeless reports whether the trace has no code locations.
func (m *Model) placeless() (none bool) {
	m.r.WithContext(func(c *format.Context) { none = c.Counts()[format.KindCodeLocation] == 0 })
	return none
}
