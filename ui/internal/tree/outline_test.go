package tree

import (
	"testing"

	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// shown returns a tree on a screen of ten rows, fully expanded.
func shownRows(t *testing.T) (o *Outline, rows []lazy.Row) {
	t.Helper()
	o = NewOutline(uitest.Recorded(t, "gson.dump").Tree(true))
	o.Height = 10
	if _, _, err := o.Tree.ExpandAll(t.Context(), o.Tree.ThreadAt(0), 0, 500, func(int) {}); err != nil {
		t.Fatal(err)
	}
	first, _ := o.Tree.First()
	rows = o.Tree.Rows(first, 400)
	if len(rows) < 100 {
		t.Fatalf("%d rows: the test shows nothing", len(rows))
	}
	o.Settle()
	return o, rows
}

// reach follows a goal to its end, and loads the gaps in its way.
func reach(t *testing.T, o *Outline, g Goal) {
	t.Helper()
	for gap, end, wait := g(o); wait; gap, end, wait = g(o) {
		if err := o.Tree.Load(t.Context(), gap, end); err != nil {
			t.Fatal(err)
		}
	}
	o.Settle()
}

// TestMoves: the row and the line of the screen after each of a sequence of moves.
func TestMoves(t *testing.T) {
	o, rows := shownRows(t)
	at := func(row lazy.Row) int {
		for i, r := range rows {
			if r == row {
				return i
			}
		}
		return -1
	}
	for _, c := range []struct {
		name      string
		goal      Goal
		row, line int
	}{
		{"down", Down(1), 1, 1},
		{"down more", Down(7), 8, 8},
		{"below the screen", Down(4), 12, 9},
		{"up", Down(-2), 10, 7},
		{"above the screen", Down(-9), 1, 0},
		{"a page", Pages(10), 11, 0},
		{"back", Pages(-10), 1, 0},
		{"to a row", ToRow(50), 49, 9},
		{"to the top", ToRow(1), 0, 0},
		{"above the top", Down(-5), 0, 0},
		{"its first child", ToFirstChild(rows[0].Node), 1, 1},
	} {
		if reach(t, o, c.goal); at(o.Cursor) != c.row || o.Line != c.line {
			t.Errorf("%s: row %d in line %d, want %d in %d", c.name, at(o.Cursor), o.Line, c.row, c.line)
		}
		if o.Rows[o.Line] != o.Cursor {
			t.Errorf("%s: the cursor is not on the screen", c.name)
		}
	}
	reach(t, o, ToRow(20))
	line := o.Line
	if reach(t, o, Scroll(3)); at(o.Cursor) != 19 || o.Line != line-3 {
		t.Errorf("scrolled: row %d in line %d", at(o.Cursor), o.Line)
	}
	if reach(t, o, Scroll(-3)); at(o.Cursor) != 19 || o.Line != line {
		t.Errorf("scrolled back: row %d in line %d", at(o.Cursor), o.Line)
	}
	reach(t, o, ToLast)
	if _, ok := o.Tree.Next(o.Cursor); ok {
		t.Error("the last row has one after it")
	}
	if reach(t, o, Down(3)); o.Rows[len(o.Rows)-1] != o.Cursor {
		t.Error("a move goes past the last row")
	}
}

// TestSiblings: moves among the children of one node end at the first and the last.
func TestSiblings(t *testing.T) {
	o, rows := shownRows(t)
	for _, r := range rows {
		if _, more := o.Tree.NextSibling(r); more {
			o.Jump(r)
			break
		}
	}
	parent, first := o.Cursor.Parent, o.Cursor
	reach(t, o, Siblings(1))
	if o.Cursor == first || o.Cursor.Parent != parent {
		t.Errorf("went to %+v", o.Cursor)
	}
	reach(t, o, Siblings(1000))
	if _, ok := o.Tree.NextSibling(o.Cursor); ok || o.Cursor.Parent != parent {
		t.Error("it is not the last sibling")
	}
	if reach(t, o, Siblings(-1000)); o.Cursor != first {
		t.Error("it is not the first sibling")
	}
}

// TestJump: a row on the screen stays at its line, another row appears a third from the top;
// all rows have positions.
func TestJump(t *testing.T) {
	o, rows := shownRows(t)
	if p, ok := o.Here(); !ok || p.At != -1 {
		t.Errorf("a thread is at %v", p)
	}
	o.Jump(rows[5])
	o.Settle()
	if o.Line != 5 {
		t.Errorf("line %d", o.Line)
	}
	o.Jump(rows[60])
	o.Settle()
	if o.Line != 3 || o.Cursor != rows[60] {
		t.Errorf("line %d", o.Line)
	}
	if p, ok := o.Here(); !ok || p != rows[60].Node.Position() {
		t.Errorf("at %v", p)
	}
	if id, ok := o.Thread(); !ok || id != rows[0].Node.Thread() {
		t.Errorf("in thread %d", id)
	}
	o.Slid, o.Slide, o.Skip = rows[60].Node, 4, 2
	if o.skipOf(rows[60].Node) != 6 || o.skipOf(rows[61].Node) != 2 {
		t.Error("not only the cursor's row is scrolled further")
	}
	if reach(t, o, Down(1)); o.Slide != 0 {
		t.Error("it is scrolled when the cursor has left it")
	}
}

// TestSortable: s sorts the children of the cursor's node if they are shown, otherwise the
// children of its parent.
func TestSortable(t *testing.T) {
	o, rows := shownRows(t)
	if o.Sortable() != rows[0].Node {
		t.Error("not the thread's")
	}
	for _, r := range rows {
		if r.Node.Leaf() {
			o.Jump(r)
			if o.Sortable() != r.Parent {
				t.Error("not those that a leaf is among")
			}
			return
		}
	}
	t.Fatal("there is no leaf")
}

// TestFilled: no lines stay empty below the last row while rows are hidden above, when rows go or the window grows.
func TestFilled(t *testing.T) {
	o, _ := shownRows(t)
	filled := func(when string) {
		t.Helper()
		o.Settle()
		if _, above := o.Tree.Prev(o.Rows[0]); len(o.Rows) < o.Height && above || o.Rows[o.Line] != o.Cursor {
			t.Errorf("%s: %d rows on %d lines, the cursor in line %d", when, len(o.Rows), o.Height, o.Line)
		}
	}
	reach(t, o, ToLast)
	o.Put(o.Cursor, 2)
	filled("the last row near the top")
	o.Put(RowOf(o.Cursor.Parent), 1)
	filled("at its parent")
	o.Tree.CollapseAll(o.Cursor.Node)
	filled("collapsed")
	o.Height = 25
	filled("a larger window")
	o.Tree.CollapseEverything()
	filled("all is collapsed")
}
