package tree

import (
	"slices"
	"testing"

	"tracex/lazy"
)

// complete returns the first rows of a tree, with what is missing among them.
func complete(t *testing.T, o *Outline) []lazy.Row {
	t.Helper()
	for {
		first, _ := o.Tree.First()
		rows := o.Tree.Rows(first, 400)
		gap := slices.IndexFunc(rows, lazy.Row.Gap)
		if gap < 0 {
			return rows
		}
		if err := o.Tree.Load(t.Context(), rows[gap], lazy.AtStart); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSticky: wherever the screen begins, the rows that stay at the top are around the first row that
// they do not cover, from the outside, and with the next row on the screen belong to one path; the
// cursor's row is never covered; and scrolling moves all rows by one line.
func TestSticky(t *testing.T) {
	for _, view := range []string{"all", "focus", "sorted"} {
		t.Run(view, func(t *testing.T) {
			o, rows := shownRows(t)
			o.Sticky = 3
			outermost := 1
			switch view {
			case "focus":
				in := rows[1].Node
				o.Tree.Focus(in)
				outermost = in.Depth()
			case "sorted":
				if err := o.Tree.Sort(t.Context(), rows[1].Node, lazy.OrderWeight, nil); err != nil {
					t.Fatal(err)
				}
			}
			rows = complete(t, o)
			o.Put(rows[0], 0)
			o.Settle()
			some, whole := false, 0
			for top := 0; top+o.Height < len(rows); top++ {
				if o.Rows[0] != rows[top] {
					t.Fatalf("scrolled to %d, the screen begins with %v", top, o.Rows[0])
				}
				if o.Line < len(o.Stuck) || o.Rows[o.Line] != o.Cursor {
					t.Fatalf("row %d: the cursor is in line %d, of which %d are covered", top, o.Line, len(o.Stuck))
				}
				n, first := len(o.Stuck), o.below()[0]
				var outer []lazy.Row
				for up := first.Parent; up != nil && up.Depth() >= outermost; up = up.Parent() {
					outer = append(outer, RowOf(up))
				}
				slices.Reverse(outer)
				next := o.Rows[n+1]
				switch {
				case n > 0 && n <= len(outer) && slices.Equal(o.Stuck, outer[len(outer)-n:]) && (n == min(len(outer), o.Sticky) || next.Parent == first.Node):
					whole++
				case n == 0 && (len(outer) == 0 || next.Parent == first.Node):
				case next.Depth-outermost <= n && n < len(outer):
					if inner := outer[max(0, len(outer)-o.Sticky):]; !slices.Equal(o.Stuck, inner[:n]) {
						t.Errorf("row %d: %v stay, of those around, %v", top, o.Stuck, outer)
					}
				default:
					t.Errorf("row %d: %v stay, of those around, %v", top, o.Stuck, outer)
				}
				some = some || len(o.Stuck) == o.Sticky
				before := o.Rows[0]
				if reach(t, o, Scroll(1)); o.Rows[0] == before {
					t.Fatalf("row %d: it does not scroll", top)
				}
			}
			if !some || whole < 20 {
				t.Fatal("the test shows nothing")
			}
			for range rows {
				if reach(t, o, Scroll(-1)); o.Line < len(o.Stuck) || o.Rows[o.Line] != o.Cursor {
					t.Fatalf("scrolled back: the cursor is in line %d, of which %d are covered", o.Line, len(o.Stuck))
				}
			}
			if o.Rows[0] != rows[0] || len(o.Stuck) != 0 {
				t.Errorf("scrolled to the first row, %v stay", o.Stuck)
			}
		})
	}
}

// TestScreens: moving by screens shows each row once at least, though some of the lines are covered.
func TestScreens(t *testing.T) {
	for _, sticky := range []int{0, 3} {
		for _, dir := range []int{1, -1} {
			o, _ := shownRows(t)
			rows := complete(t, o)
			o.Sticky = sticky
			if dir < 0 {
				o.Put(rows[len(rows)-1], o.Height-1)
			}
			o.Settle()
			seen := make(map[lazy.Row]bool)
			look := func() {
				for _, r := range o.Shown() {
					seen[r] = true
				}
			}
			look()
			for pages := 0; pages < len(rows); pages++ {
				before := o.Cursor
				if reach(t, o, Screens(dir)); o.Cursor == before {
					break
				}
				look()
				if o.Line < len(o.Stuck) || o.Rows[o.Line] != o.Cursor {
					t.Fatal("the cursor is not on the screen")
				}
			}
			for i, r := range rows {
				if !seen[r] {
					t.Errorf("%d rows stay, direction %d: row %d is never shown", sticky, dir, i)
				}
			}
		}
	}
}

// around reports whether a row is around another one.
func around(outer, r lazy.Row) bool {
	up := r.Parent
	for up != nil && up != outer.Node {
		up = up.Parent()
	}
	return up != nil
}

// TestClimb: the rows around the cursor that are scrolled out are those that stay at the top, and the
// one that the user goes to stays in its line, but for what is around it in turn.
func TestClimb(t *testing.T) {
	o, _ := shownRows(t)
	rows := complete(t, o)
	o.Sticky = 3
	climbed := 0
	for _, r := range rows {
		for line := range o.Height {
			o.Put(r, line)
			o.Settle()
			// Of rows that are less deep than the one before, not all around that have room at the top.
			if n := len(o.Stuck); n > 0 && o.Stuck[n-1].Node == o.below()[0].Parent && around(o.Stuck[n-1], r) {
				for i := range o.Stuck {
					if up, _ := o.scrolledOut(n - i); up != o.Stuck[i] {
						t.Fatalf("%d up from %v is %v; %v stay", n-i, r, up, o.Stuck)
					}
				}
			}
			up, ok := o.scrolledOut(1)
			if !ok {
				continue
			}
			i := slices.Index(o.Stuck, up)
			o.Climb(up)
			if o.Settle(); o.Cursor != up || o.Rows[o.Line] != up || i >= 0 && (o.Line < i || o.Line > i+o.Sticky) {
				t.Fatalf("climbing to %v, in line %d, leads to %v in line %d", up, i, o.Cursor, o.Line)
			}
			climbed++
		}
	}
	if climbed < 100 {
		t.Fatal("the test shows nothing")
	}
}
