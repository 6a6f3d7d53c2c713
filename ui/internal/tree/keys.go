package tree

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/keys"
)

// The keys of the tree. Each begins a move, or expands or collapses nodes. n is the number typed before it, 0 if none.

func (p *Tree) First(n int) tea.Cmd {
	p.Visit()
	return p.Aim(ToRow(max(1, n)))
}

func (p *Tree) Last(n int) tea.Cmd {
	p.Visit()
	if n > 0 {
		return p.Aim(ToRow(n))
	}
	return p.Aim(ToLast)
}

// Right expands the cursor's node, or goes to its first child; at a leaf it scrolls the line while more text is hidden.
func (p *Tree) Right(n int) tea.Cmd {
	o, node := p.Out, p.Out.Cursor.Node
	switch {
	case node == nil:
		return p.Again()
	case node.Leaf():
		if !o.slideBy(8*max(1, n), p.hidden(o.Cursor)) {
			p.env.Say(noChildren)
		}
		return nil
	case o.Tree.IsExpanded(node):
		return p.Aim(ToFirstChild(node))
	}
	p.retry(node)
	o.Tree.Expand(node)
	return nil
}

// noChildren is the message for a node without any.
const noChildren = "no children"

// Again shows what is left out at the cursor, or retries loading the gap there.
func (p *Tree) Again() tea.Cmd {
	switch row := p.Out.Cursor; {
	case row.Left == lazy.LeftOpen && p.Open == "":
		return p.env.Say("not searched yet: wait, or stop the search to look")
	case row.Left != 0:
		lazy.ShownIn(p.Out.Tree).Open(row)
	case row.Gap():
		p.retry(row.Parent)
	}
	return nil
}

// Left collapses the cursor's node. If that is collapsed, it goes to the parent.
func (p *Tree) Left() tea.Cmd {
	o, row := p.Out, p.Out.Cursor
	switch {
	case o.Slide > 0:
		o.slideBy(-8, p.hidden(row))
	case o.Skip > 0:
		o.Shift(-8)
	case row.Node != nil && o.Tree.IsExpanded(row.Node) && !row.Node.Leaf():
		o.Tree.Collapse(row.Node)
	case row.Parent != nil:
		p.up(row)
	}
	return nil
}

// up goes to the parent of a row, unless that is the root.
func (p *Tree) up(row lazy.Row) bool {
	if row.Node != nil && row.Node == p.Out.Tree.Focused() {
		p.env.Say("this is the root; " + keys.ActionKey("undo-step", p.env.Glyphs) + " shows what is around it")
		return false
	}
	p.Out.Jump(RowOf(row.Parent))
	return true
}

// Enclosing goes to the innermost row around the cursor that is scrolled out, or to the n-th.
func (p *Tree) Enclosing(n int) tea.Cmd {
	row, ok := p.Out.scrolledOut(max(1, n))
	if !ok {
		return p.env.Say("nothing around this row is scrolled out")
	}
	p.Visit()
	p.Out.Climb(row)
	return nil
}

// Siblings goes n siblings forward, or back if n is negative; if there are none it says so.
func (p *Tree) Siblings(n int) tea.Cmd {
	none := "no next sibling"
	if n < 0 {
		none = "no previous sibling"
	}
	from, walk := p.Out.Cursor, Siblings(n)
	return p.Aim(func(o *Outline) (lazy.Row, lazy.End, bool) {
		gap, end, wait := walk(o)
		if !wait && o.Cursor == from {
			p.env.Say(none)
		}
		return gap, end, wait
	})
}

func (p *Tree) Toggle() tea.Cmd {
	n := p.Out.Cursor.Node
	switch {
	case n == nil:
		return p.Again()
	case n.Leaf():
		p.env.Say(noChildren)
	case p.Out.Tree.IsExpanded(n):
		p.Out.Tree.Collapse(n)
	default:
		p.retry(n)
		p.Out.Tree.Expand(n)
	}
	return nil
}

// Collapse collapses the cursor's node and all below; if it is collapsed, its parent.
func (p *Tree) Collapse() tea.Cmd {
	row := p.Out.Cursor
	n := row.Node
	if n == nil || n.Leaf() || !p.Out.Tree.IsExpanded(n) {
		if n = row.Parent; n == nil || !p.up(row) {
			return nil
		}
	}
	p.Out.Tree.CollapseAll(n)
	return nil
}

// Unfilter shows all rows again. The cursor stays on its row.
func (p *Tree) Unfilter() {
	o := p.Out
	if !lazy.ShownIn(o.Tree).Part() {
		return
	}
	on := o.Cursor
	lazy.ShownIn(o.Tree).Only(nil)
	for up := on.Parent; up != nil; up = up.Parent() {
		o.Tree.Expand(up)
	}
	o.Settle()
}

// Unload frees the memory of the nodes below the cursor's node, or, at a leaf or a gap, of those below its parent.
func (p *Tree) Unload() tea.Cmd {
	n := p.Out.Cursor.Node
	if n == nil || n.Leaf() {
		if n = p.Out.Cursor.Parent; n == nil {
			return nil
		}
		p.Out.Jump(RowOf(n))
	}
	p.retry(n)
	before := p.Out.Tree.Stats().Bytes
	k := p.Out.Tree.Forget(n)
	if k == 0 {
		return p.env.Say("nothing to unload")
	}
	return p.env.Say("unloaded " + display.Plural(int64(k), "row") + ", " + display.Size(before-p.Out.Tree.Stats().Bytes) + "; " + keys.ActionKey("expand", p.env.Glyphs) + " loads them again")
}

// Threads goes n threads forward, wrapping around.
func (p *Tree) Threads(n int) tea.Cmd {
	t := p.Out.Tree
	count := t.ThreadCount()
	if count == 0 {
		return nil
	}
	if lazy.ShownIn(t).Part() {
		return p.shownThreads(n)
	}
	at := 0
	if id, ok := p.Out.Thread(); ok {
		_, at = t.Thread(id)
	}
	if count == 1 {
		return p.env.Say("the trace has one thread")
	}
	p.jumpTo(t.ThreadAt(((at+n)%count + count) % count))
	return nil
}

// shownThreads goes n threads forward among those that are shown.
func (p *Tree) shownThreads(n int) tea.Cmd {
	t := p.Out.Tree
	r := p.Out.Cursor
	for up := r.Parent; up != nil; up = up.Parent() {
		r = RowOf(up)
	}
	step, again := t.NextSibling, t.First
	if n < 0 {
		n, step = -n, t.PrevSibling
		again = func() (lazy.Row, bool) {
			r, ok := t.Last()
			for ; ok && r.Parent != nil; r = RowOf(r.Parent) {
			}
			return r, ok
		}
	}
	for tries := 2 * n; n > 0 && tries >= 0; tries-- {
		next, ok := step(r)
		if !ok {
			next, ok = again()
		}
		if !ok {
			break
		}
		if r = next; r.Node != nil {
			n--
		}
	}
	if r.Node != nil {
		p.jumpTo(r.Node)
	}
	return nil
}

// show shows a node that the user asked for, even if the filter leaves it out.
func (p *Tree) show(n *lazy.Node) {
	if shown := lazy.ShownIn(p.Out.Tree); !shown.Has(n) {
		shown.Add(n)
		p.env.Say("it does not match the filter; it is shown all the same")
	}
}

// jumpTo goes to a node that is loaded, and notes the current position in the history.
func (p *Tree) jumpTo(n *lazy.Node) {
	p.Visit()
	p.show(n)
	p.Out.Jump(RowOf(n))
}

// ToggleWide shows or hides the code location of each row.
func (p *Tree) ToggleWide() tea.Cmd {
	p.Out.Wide = !p.Out.Wide
	if p.Out.Wide && p.env.Trace.Settled() {
		p.env.Trace.Reader.WithContext(func(c *format.Context) {
			if c.Counts()[format.KindCodeLocation] == 0 {
				p.env.Say("this trace has no source locations")
			}
		})
	}
	return nil
}

// ToThread goes to the thread with an id, and reports whether it exists.
func (p *Tree) ToThread(id int32) bool {
	n, _ := p.Out.Tree.Thread(id)
	if n != nil {
		p.jumpTo(n)
	}
	return n != nil
}

// Visit notes the current position in the history before a jump leaves it.
func (p *Tree) Visit() {
	if here, ok := p.Out.Here(); ok {
		p.jumps.leave(here)
	}
}

// land sets the cursor on a node that a job has loaded.
func (p *Tree) land(n *lazy.Node) tea.Cmd {
	p.show(n)
	p.Out.Settle()
	p.Out.Jump(RowOf(n))
	return nil
}
