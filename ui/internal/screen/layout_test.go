package screen

import "testing"

// TestFor: the parts share all lines of the window, and the details go where there is room.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		w          Wants
		tree, side int
		in         int // width of the details
	}{
		{Wants{Width: 80, Height: 24}, 19, int(Nowhere), 0},
		{Wants{Width: 80, Height: 24, Trouble: true}, 18, int(Nowhere), 0},
		{Wants{Width: 80, Height: 10, Trouble: true}, 7, int(Nowhere), 0},
		{Wants{Width: 80, Height: 24, Tour: 4}, 15, int(Nowhere), 0},
		{Wants{Width: 80, Height: 12, Tour: 40}, 3, int(Nowhere), 0},
		{Wants{Width: 140, Height: 24, Details: true}, 19, int(Beside), 56},
		{Wants{Width: 80, Height: 24, Details: true}, 9, int(Below), 79},
		{Wants{Width: 50, Height: 24, Details: true}, 19, int(Only), 49},
		{Wants{Width: 80, Height: 12, Details: true}, 8, int(Only), 79},
	} {
		l := LayoutFor(c.w)
		if l.Tree != c.tree || int(l.Side) != c.side || l.Panes[DetailsPane].Width != c.in {
			t.Errorf("%+v: %+v", c.w, l)
		}
		lines := l.Top + l.Tree + l.Tour + 1
		if l.Hints {
			lines++
		}
		if l.Side == Below {
			lines += l.Panes[DetailsPane].Height + 1
		}
		if lines != c.w.Height {
			t.Errorf("%+v: %d lines are given away", c.w, lines)
		}
		if l.Side == Beside && l.TreeWidth+l.Panes[DetailsPane].Width+2 != c.w.Width {
			t.Errorf("%+v: %d and %d cells", c.w, l.TreeWidth, l.Panes[DetailsPane].Width)
		}
	}
}

// TestPanes: the panes share the lines beside or below the tree without a gap, in each window and with any sizes; a
// divider that is dragged to a place is there.
func TestPanes(t *testing.T) {
	for _, w := range []Wants{
		{Source: true, Details: true}, {Source: true}, {Details: true}, {Source: true, Details: true, Front: SourcePane},
		{Source: true, Details: true, Zoom: true, Front: SourcePane, Keys: SourcePane}, {Details: true, Zoom: true},
		{Source: true, Details: true, Sizes: Sizes{1000, 1000, 1000}}, {Source: true, Details: true, Sizes: Sizes{1, 1, 1}},
	} {
		for w.Width = MinWidth; w.Width <= 300; w.Width += 13 {
			for w.Height = MinHeight; w.Height <= 100; w.Height += 7 {
				l := LayoutFor(w)
				cells := l.Tree * l.TreeWidth
				if l.Side == Only {
					cells = 0
				}
				for p, r := range l.Panes {
					if r.Width == 0 {
						continue
					}
					if cells += r.Height * (r.Width + 2); l.Side != Beside {
						cells -= r.Height // there is no divider beside it
					}
					if at, ok := l.PaneAt(r.X, r.Y+r.Height-1); !ok || at != Pane(p) {
						t.Errorf("%+v: pane %d is not at %v", w, p, r)
					}
				}
				all := (l.Bottom - l.Top) * w.Width
				if l.Side == Below {
					all -= w.Width
				}
				if l.Panes[SourcePane].Width > 0 && l.Panes[DetailsPane].Width > 0 {
					all -= l.Panes[DetailsPane].Width + 2
				}
				if cells != all {
					t.Fatalf("%+v: %d of %d cells: %+v", w, cells, all, l)
				}
				if d := l.DividerAt(l.TreeWidth, l.Top); l.Side == Beside && d != BesideDivider {
					t.Errorf("%+v: divider %d", w, d)
				}
			}
		}
	}
	w := Wants{Width: 140, Height: 40, Source: true, Details: true}
	l := LayoutFor(w)
	w.Sizes = l.Drag(BesideDivider, 70, 10, w.Width, w.Sizes)
	w.Sizes = l.Drag(SourceDivider, 100, 12, w.Width, w.Sizes)
	if l = LayoutFor(w); l.TreeWidth != 70 || l.DividerAt(100, 12) != SourceDivider {
		t.Errorf("%+v", l)
	}
	w.Width = 90
	l = LayoutFor(w)
	w.Sizes = l.Drag(BelowDivider, 5, 9, w.Width, w.Sizes)
	if l = LayoutFor(w); l.DividerAt(5, 9) != BelowDivider {
		t.Errorf("%+v", l)
	}
}
