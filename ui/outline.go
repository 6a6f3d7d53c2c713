package ui

import (
	"tracex/lazy"
)

// outline is the tree on the screen: which row the cursor is on and at which
// line that row stands. All else follows from these two, whatever is loaded or
// forgotten around them.
type outline struct {
	t      *lazy.Tree
	cursor lazy.Row
	line   int // of the cursor, from the top of the tree's part of the screen
	height int
	skip   int        // cells scrolled out on the left
	wide   bool       // with code locations
	slid   *lazy.Node // the one row that is scrolled further, while the cursor is on it
	slide  int        // by how many cells

	rows []lazy.Row // on the screen, as of the last settle
	// packed has the next settle leave no lines empty below the last row while
	// rows are hidden above.
	packed bool
	goal   goal // what is left of a move that waits for a load; nil: nothing
}

// goal goes on with a move as far as what is loaded lets it. When a gap is in
// the way it returns that, and from which end to load it; it is called again
// afterwards.
type goal func(o *outline) (gap lazy.Row, end lazy.End, wait bool)

func newOutline(t *lazy.Tree) *outline {
	o := &outline{t: t}
	o.cursor, _ = t.First()
	return o
}

// skipOf returns how many cells of a row's text are scrolled out on the left.
func (o *outline) skipOf(n *lazy.Node) int {
	if o.slid == n && o.cursor.Node == n {
		return o.skip + o.slide
	}
	return o.skip
}

// settle brings cursor and rows up to date with the tree.
func (o *outline) settle() {
	o.line = max(0, min(o.line, o.height-1))
	o.cursor = o.t.Resolve(o.cursor)
	if o.slid != o.cursor.Node {
		o.slid, o.slide = nil, 0
	}
	top := o.cursor
	for i := 0; i < o.line; i++ {
		up, ok := o.t.Prev(top)
		if !ok {
			o.line = i
			break
		}
		top = up
	}
	if o.cursor.Node == nil && o.cursor.Parent == nil {
		o.rows = o.rows[:0]
		return
	}
	o.rows = o.t.Rows(top, o.height)
	if empty := o.height - len(o.rows); o.packed && empty > 0 {
		o.packed = false
		o.line += empty
		o.settle()
	}
	o.packed = false
}

// put sets the cursor to a row at a line of the screen.
func (o *outline) put(r lazy.Row, line int) {
	o.cursor, o.line = r, max(0, min(line, o.height-1))
}

// jump sets the cursor to a row: where that is on the screen it stays, else it
// comes a third from the top.
func (o *outline) jump(r lazy.Row) {
	for i, on := range o.rows {
		if on == r {
			o.put(r, i)
			return
		}
	}
	o.put(r, o.height/3)
}

// steps is the goal to move n rows, up when n is negative.
func steps(n int) goal {
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		for n != 0 {
			dir, neighbour, end := 1, o.t.Next, lazy.AtStart
			if n < 0 {
				dir, neighbour, end = -1, o.t.Prev, lazy.AtEnd
			}
			next, ok := neighbour(o.cursor)
			if !ok {
				break
			}
			if next.Gap() {
				return next, end, true
			}
			o.put(next, o.line+dir)
			n -= dir
		}
		return lazy.Row{}, 0, false
	}
}

// pages is the goal to move n lines while the cursor keeps its place on the
// screen.
func pages(n int) goal {
	line, walk := -1, steps(n)
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		if line < 0 {
			line = o.line
		}
		gap, end, wait := walk(o)
		o.put(o.cursor, line)
		return gap, end, wait
	}
}

// siblings is the goal to move n rows among the children of one node.
func siblings(n int) goal {
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		for n != 0 {
			dir, neighbour, end := 1, o.t.NextSibling, lazy.AtStart
			if n < 0 {
				dir, neighbour, end = -1, o.t.PrevSibling, lazy.AtEnd
			}
			next, ok := neighbour(o.cursor)
			if !ok {
				break
			}
			if next.Gap() {
				return next, end, true
			}
			o.jump(next)
			n -= dir
		}
		return lazy.Row{}, 0, false
	}
}

// toRow is the goal to get to the n-th row from the top, from 1.
func toRow(n int) goal {
	begun := false
	walk := steps(n - 1)
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		if !begun {
			begun = true
			if first, ok := o.t.First(); ok {
				o.put(first, 0)
			}
		}
		return walk(o)
	}
}

// toLast is the goal to get to the last row of all.
func toLast(o *outline) (lazy.Row, lazy.End, bool) {
	last, ok := o.t.Last()
	if !ok {
		return last, 0, false
	}
	if last.Gap() {
		return last, lazy.AtEnd, true
	}
	o.put(last, o.height-1)
	return last, 0, false
}

// toFirstChild is the goal to get to the first row within a node.
func toFirstChild(n *lazy.Node) goal {
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		child, ok := o.t.FirstChild(n)
		if !ok {
			return child, 0, false
		}
		if child.Gap() {
			return child, lazy.AtStart, true
		}
		o.put(child, o.line+1)
		return child, 0, false
	}
}

// scroll moves what is shown by n lines; the cursor stays on its row while that
// is on the screen.
func (o *outline) scroll(n int) goal {
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		for ; n > 0; n-- {
			last := o.rows[len(o.rows)-1]
			next, ok := o.t.Next(last)
			if !ok {
				return last, 0, false
			}
			if next.Gap() {
				return next, lazy.AtStart, true
			}
			if o.line--; o.line < 0 {
				o.cursor, _ = o.t.Next(o.cursor)
				o.line = 0
			}
			o.settle()
		}
		for ; n < 0; n++ {
			next, ok := o.t.Prev(o.rows[0])
			if !ok {
				return next, 0, false
			}
			if next.Gap() {
				return next, lazy.AtEnd, true
			}
			if o.line++; o.line >= o.height {
				o.cursor, _ = o.t.Prev(o.cursor)
				o.line = o.height - 1
			}
			o.settle()
		}
		return lazy.Row{}, 0, false
	}
}
