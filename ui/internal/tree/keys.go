package tree

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// The keys of the tree. Each begins a move, or expands or collapses nodes. n is the number
// typed before the key, 0 if none.

// First goes to the first row, or to row n.
func (p *Part) First(n int) tea.Cmd {
	p.Visit()
	return p.Aim(outline.ToRow(max(1, n)))
}

// Last goes to the last row, or to row n.
func (p *Part) Last(n int) tea.Cmd {
	p.Visit()
	if n > 0 {
		return p.Aim(outline.ToRow(n))
	}
	return p.Aim(outline.ToLast)
}

// Right expands the cursor's node. If that is expanded, it goes to the first child; at a leaf
// it scrolls the line while more text is hidden.
func (p *Part) Right(n int) tea.Cmd {
	o, node := p.Out, p.Out.Cursor.Node
	switch {
	case node == nil:
		return p.Again()
	case node.Leaf():
		if !o.SlideBy(8*max(1, n), p.Hidden(o.Cursor)) {
			p.env.Say(NoChildren)
		}
		return nil
	case o.Tree.IsExpanded(node):
		return p.Aim(outline.ToFirstChild(node))
	}
	return p.expandNode(node)
}

// NoChildren is the message for a node without any.
const NoChildren = "no children"

// Again shows what is left out at the cursor, or retries loading the gap there.
func (p *Part) Again() tea.Cmd {
	if left := p.Out.Cursor; left.Left != 0 {
		if left.Left == lazy.LeftOpen && p.Open == "" {
			p.env.Say("not searched yet: wait, or stop the search to look")
			return nil
		}
		lazy.ShownIn(p.Out.Tree).Open(left)
		return nil
	}
	if gap := p.Out.Cursor; gap.Gap() {
		p.loads.Retry(gap.Parent)
	}
	return nil
}

func (p *Part) expandNode(n *lazy.Node) tea.Cmd {
	p.loads.Retry(n)
	p.Out.Tree.Expand(n)
	return nil
}

// Left collapses the cursor's node. If that is collapsed, it goes to the parent.
func (p *Part) Left(int) tea.Cmd {
	o, row := p.Out, p.Out.Cursor
	switch {
	case o.Slide > 0:
		o.SlideBy(-8, p.Hidden(row))
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
func (p *Part) up(row lazy.Row) bool {
	if row.Node != nil && row.Node == p.Out.Tree.Focused() {
		p.env.Say("this is the root; " + screen.ActionKey("undo-step", p.env.Glyphs) + " shows what is around it")
		return false
	}
	p.Out.Jump(outline.RowOf(row.Parent))
	return true
}

// Enclosing goes to the innermost row around the cursor that is scrolled out, or to the n-th.
func (p *Part) Enclosing(n int) tea.Cmd {
	row, ok := p.Out.ScrolledOut(max(1, n))
	if !ok {
		p.env.Say("nothing around this row is scrolled out")
		return nil
	}
	p.Visit()
	p.Out.Climb(row)
	return nil
}

// Siblings goes n siblings forward, or back if n is negative; if there are none it says so.
func (p *Part) Siblings(n int) tea.Cmd {
	none := "no next sibling"
	if n < 0 {
		none = "no previous sibling"
	}
	from, walk := p.Out.Cursor, outline.Siblings(n)
	return p.Aim(func(o *outline.Outline) (lazy.Row, lazy.End, bool) {
		gap, end, wait := walk(o)
		if !wait && o.Cursor == from {
			p.env.Say(none)
		}
		return gap, end, wait
	})
}

// Toggle expands or collapses the cursor's node.
func (p *Part) Toggle(int) tea.Cmd {
	n := p.Out.Cursor.Node
	switch {
	case n == nil:
		return p.Again()
	case n.Leaf():
		p.env.Say(NoChildren)
	case p.Out.Tree.IsExpanded(n):
		p.Out.Tree.Collapse(n)
	default:
		return p.expandNode(n)
	}
	return nil
}

// Collapse collapses the cursor's node and all below; if it is collapsed, its parent.
func (p *Part) Collapse(int) tea.Cmd {
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

// CollapseAll collapses all nodes.
func (p *Part) CollapseAll(int) tea.Cmd {
	p.Out.Tree.CollapseEverything()
	p.Out.Packed = true
	return nil
}

// Unfilter shows all rows again. The cursor stays on its row.
func (p *Part) Unfilter() {
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
	o.Packed = true
}

// Unload frees the memory of the nodes below the cursor's node, or, at a leaf or a gap, of
// those below its parent.
func (p *Part) Unload(int) tea.Cmd {
	n := p.Out.Cursor.Node
	if n == nil || n.Leaf() {
		if n = p.Out.Cursor.Parent; n == nil {
			return nil
		}
		p.Out.Jump(outline.RowOf(n))
	}
	p.loads.Retry(n)
	k := p.Out.Tree.Forget(n)
	if k == 0 {
		p.env.Say("nothing to unload")
		return nil
	}
	p.env.Say("unloaded " + screen.Plural(int64(k), "row") + "; " + screen.ActionKey("expand", p.env.Glyphs) + " loads them again")
	return nil
}

// Threads goes n threads forward, wrapping around.
func (p *Part) Threads(n int) tea.Cmd {
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
		p.env.Say("the trace has one thread")
		return nil
	}
	p.JumpTo(t.ThreadAt(((at+n)%count + count) % count))
	return nil
}

// shownThreads goes n threads forward among those that are shown.
func (p *Part) shownThreads(n int) tea.Cmd {
	t := p.Out.Tree
	r := p.Out.Cursor
	for up := r.Parent; up != nil; up = up.Parent() {
		r = outline.RowOf(up)
	}
	step, again := t.NextSibling, t.First
	if n < 0 {
		n, step = -n, t.PrevSibling
		again = func() (lazy.Row, bool) {
			r, ok := t.Last()
			for ; ok && r.Parent != nil; r = outline.RowOf(r.Parent) {
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
		p.JumpTo(r.Node)
	}
	return nil
}

// show shows a node that the user asked for, even if the filter leaves it out.
func (p *Part) show(n *lazy.Node) {
	if shown := lazy.ShownIn(p.Out.Tree); !shown.Has(n) {
		shown.Add(n)
		p.env.Say("it does not match; it is shown because you asked for it")
	}
}

// JumpTo goes to a node that is loaded, and notes the current position in the history.
func (p *Part) JumpTo(n *lazy.Node) {
	p.Visit()
	p.show(n)
	p.Out.Jump(outline.RowOf(n))
}

// ToggleWide shows or hides the code location of each row.
func (p *Part) ToggleWide(int) tea.Cmd {
	p.Out.Wide = !p.Out.Wide
	if p.Out.Wide && status.Settled(p.r.Status()) && !locations(p.r) {
		p.env.Say("this trace has no source locations")
	}
	return nil
}

// locations reports whether a trace has code locations.
func locations(r *lazy.LazyTraceReader) (some bool) {
	r.WithContext(func(c *format.Context) { some = c.Counts()[format.KindCodeLocation] > 0 })
	return some
}

// ToThread goes to the thread with an id, and reports whether it exists.
func (p *Part) ToThread(id int32) bool {
	n, _ := p.Out.Tree.Thread(id)
	if n != nil {
		p.JumpTo(n)
	}
	return n != nil
}

// Visit notes the current position in the history before a jump leaves it.
func (p *Part) Visit() {
	if here, ok := p.Out.Here(); ok {
		p.Jumps.Leave(here)
	}
}

// Land sets the cursor on a node that a job has loaded.
func (p *Part) Land(n *lazy.Node) tea.Cmd {
	p.show(n)
	p.Out.Settle()
	p.Out.Jump(outline.RowOf(n))
	p.Out.Packed = true
	return nil
}

// Retry tries the failed loads of a node again.
func (p *Part) Retry(n *lazy.Node) { p.loads.Retry(n) }
