package tree

import (
	"slices"

	"tracex/lazy"
)

// Rows around the first row shown, which are scrolled out, stay at the top of the screen, over the
// rows that are there: see Stuck. Nothing moves when they come and go, except that the cursor's row is
// never covered. They are on the path to rows that are shown, so they are in memory.

// stick returns the rows that stay over the first lines of a screen: those around the first row that
// they do not cover. If more of them are scrolled out than may stay, the innermost do. A thread
// does not: the path above the tree begins with it.
func (o *Outline) stick(top lazy.Row) []lazy.Row {
	outermost := 1
	if root := o.Tree.Focused(); root != nil {
		outermost = root.Depth()
	}
	around := func(r lazy.Row) int { return min(o.Sticky, max(0, r.Depth-outermost)) }
	covered, first := []lazy.Row(nil), top
	for around(first) > len(covered) {
		next, ok := o.Tree.Next(first)
		if !ok || around(next) <= len(covered) {
			break // the row after is less deep: first gets as many as there are lines above it
		}
		covered, first = append(covered, first), next
	}
	if len(covered) == 0 {
		return nil
	}
	stuck := make([]lazy.Row, 0, o.Sticky)
	for up := first.Parent; len(stuck) < around(first); up = up.Parent() {
		stuck = append(stuck, RowOf(up))
	}
	slices.Reverse(stuck)
	n := min(len(covered), len(stuck))
	for n > 0 && stuck[n-1] == covered[n-1] {
		n-- // it is where it would stay
	}
	return stuck[:n]
}

// uncovered returns the first line from line on at which a row is not covered, and the row at the
// top of the screen then.
func (o *Outline) uncovered(top lazy.Row, line int) (lazy.Row, int) {
	for line < len(o.stick(top)) {
		up, ok := o.Tree.Prev(top)
		if !ok {
			break
		}
		top = up
		line++
	}
	return top, line
}

// Shown returns the rows that the screen shows: those that stay at the top, then the others.
func (o *Outline) Shown() []lazy.Row {
	if len(o.Stuck) == 0 {
		return o.Rows
	}
	return append(slices.Clone(o.Stuck), o.below()...)
}

// below returns the rows of the screen below those that stay at the top.
func (o *Outline) below() []lazy.Row { return o.Rows[min(len(o.Stuck), len(o.Rows)):] }

// scrolledOut returns the n-th row around the cursor, from inside, that is not among the rows of the
// screen, or the outermost of them; ok is false if there is none.
func (o *Outline) scrolledOut(n int) (row lazy.Row, ok bool) {
	shown := make(map[*lazy.Node]bool)
	for _, r := range o.below() {
		shown[r.Node] = true
	}
	root := o.Tree.Focused()
	for up := o.Cursor; n > 0 && up.Parent != nil && (root == nil || up.Node != root); {
		if up = RowOf(up.Parent); !shown[up.Node] {
			row, ok = up, true
			n--
		}
	}
	return row, ok
}

// Climb goes to a row around others. One that stays at the top is shown where it is, as far as what is
// around it leaves the line.
func (o *Outline) Climb(r lazy.Row) {
	if i := slices.Index(o.Stuck, r); i >= 0 {
		o.Put(r, i)
		return
	}
	o.Jump(r)
}
