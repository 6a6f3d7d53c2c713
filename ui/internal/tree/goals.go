package tree

import "tracex/lazy"

// Goal continues a move as far as the loaded nodes allow. If a gap is in the way, it returns wait, the gap, and from
// which end to load it. The caller calls it again after loading.
type Goal func(o *Outline) (gap lazy.Row, end lazy.End, wait bool)

// walk is the goal to move n times to the row of next, or -n times to that of prev; put puts the cursor there.
func walk(n int, next, prev func(*lazy.Tree, lazy.Row) (lazy.Row, bool), put func(o *Outline, to lazy.Row, dir int)) Goal {
	dir, neighbour, end := 1, next, lazy.AtStart
	if n < 0 {
		dir, neighbour, end = -1, prev, lazy.AtEnd
	}
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		for ; n != 0; n -= dir {
			to, ok := neighbour(o.Tree, o.Cursor)
			if !ok {
				break
			}
			if to.Gap() {
				return to, end, true
			}
			put(o, to, dir)
		}
		return lazy.Row{}, 0, false
	}
}

// Down is the goal to move n rows, up when n is negative.
func Down(n int) Goal {
	return walk(n, (*lazy.Tree).Next, (*lazy.Tree).Prev, func(o *Outline, to lazy.Row, dir int) { o.Put(to, o.Line+dir) })
}

// Siblings is the goal to move n rows among the children of one node.
func Siblings(n int) Goal {
	return walk(n, (*lazy.Tree).NextSibling, (*lazy.Tree).PrevSibling, func(o *Outline, to lazy.Row, _ int) { o.Jump(to) })
}

// Pages is the goal to move n lines while the cursor keeps its line on the screen.
func Pages(n int) Goal {
	line, walk := -1, Down(n)
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		if line < 0 {
			line = o.Line
		}
		gap, end, wait := walk(o)
		o.Put(o.Cursor, line)
		return gap, end, wait
	}
}

// Screens is the goal to move n screens, up when n is negative, while the cursor keeps its line. One row stays in view.
func Screens(n int) Goal {
	var walk Goal
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		if walk == nil {
			step := o.Height - 1
			if n < 0 {
				step -= len(o.Stuck)
			} else if len(o.Rows) == o.Height && o.Height > 0 {
				_, covered := o.uncovered(o.Rows[o.Height-1], 0)
				step -= covered
			}
			walk = Pages(n * max(1, step))
		}
		return walk(o)
	}
}

// ToRow is the goal to get to the n-th row from the top, from 1.
func ToRow(n int) Goal {
	var walk Goal
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		if walk == nil {
			walk = Down(n - 1)
			if first, ok := o.Tree.First(); ok {
				o.Put(first, 0)
			}
		}
		return walk(o)
	}
}

// enter puts the cursor on a row, if it is there, at a line of the screen; for a gap it waits.
func (o *Outline) enter(to lazy.Row, ok bool, end lazy.End, line int) (lazy.Row, lazy.End, bool) {
	if ok && !to.Gap() {
		o.Put(to, line)
	}
	return to, end, ok && to.Gap()
}

// ToLast is the goal to get to the very last row.
func ToLast(o *Outline) (lazy.Row, lazy.End, bool) {
	last, ok := o.Tree.Last()
	return o.enter(last, ok, lazy.AtEnd, o.Height-1)
}

// ToFirstChild is the goal to get to the first row within a node.
func ToFirstChild(n *lazy.Node) Goal {
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		child, ok := o.Tree.FirstChild(n)
		return o.enter(child, ok, lazy.AtStart, o.Line+1)
	}
}

// Scroll is the goal to move the lines shown by n. The cursor stays on its row while that is on the screen.
func Scroll(n int) Goal {
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		for ; n > 0; n-- {
			last := o.Rows[len(o.Rows)-1]
			next, ok := o.Tree.Next(last)
			if !ok {
				return last, 0, false
			}
			if next.Gap() {
				return next, lazy.AtStart, true
			}
			top, ok := o.Tree.Next(o.Rows[0])
			for o.Line--; o.Line < 0 || ok && o.Line < len(o.stick(top)); o.Line++ {
				below, ok := o.Tree.Next(o.Cursor)
				if !ok {
					break
				}
				o.Cursor = below
			}
			o.Settle()
		}
		for ; n < 0; n++ {
			next, ok := o.Tree.Prev(o.Rows[0])
			if !ok {
				return next, 0, false
			}
			if next.Gap() {
				return next, lazy.AtEnd, true
			}
			if o.Line++; o.Line >= o.Height {
				o.Cursor, _ = o.Tree.Prev(o.Cursor)
				o.Line = o.Height - 1
			}
			o.Settle()
		}
		return lazy.Row{}, 0, false
	}
}

// ExpandOnly is the goal to open the only child of a thread, and to get there.
func ExpandOnly(n *lazy.Node) Goal {
	enter := ToFirstChild(n)
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		if gap, end, wait := enter(o); wait {
			return gap, end, true
		}
		first := o.Cursor
		if _, more := o.Tree.NextSibling(first); !more && first.Node != nil && first.Node != n && !first.Node.Leaf() {
			o.Tree.Expand(first.Node)
		}
		return lazy.Row{}, 0, false
	}
}

// Toward is the goal to get from a node down to one that begins at most slack bytes before at, which follows all
// children of n: an offset is often the end of a large call. The way ends at a sorted node: its last row may be any.
func Toward(n *lazy.Node, at, slack int64) Goal {
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		for at-n.Position().At > slack && !n.Leaf() && n.Order() == lazy.OrderCalls {
			o.Tree.Expand(n)
			last, ok := o.Tree.LastChild(n)
			if !ok {
				break
			}
			if last.Gap() {
				return last, lazy.AtEnd, true
			}
			o.Settle()
			o.Jump(last)
			if last.Node == nil {
				break // rows that a filter leaves out
			}
			n = last.Node
		}
		return lazy.Row{}, 0, false
	}
}
