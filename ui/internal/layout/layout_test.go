package layout

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
		{Wants{Width: 80, Height: 24, Details: true}, 9, int(Below), 80},
		{Wants{Width: 50, Height: 24, Details: true}, 19, int(Only), 50},
		{Wants{Width: 80, Height: 12, Details: true}, 8, int(Only), 80},
	} {
		l := For(c.w)
		if l.Tree != c.tree || int(l.Details) != c.side || l.DetailsIn != c.in {
			t.Errorf("%+v: %+v", c.w, l)
		}
		lines := l.Top + l.Tree + l.Tour + 1
		if l.Hints {
			lines++
		}
		if l.Details == Below {
			lines += l.DetailsHas + 1
		}
		if lines != c.w.Height {
			t.Errorf("%+v: %d lines are given away", c.w, lines)
		}
		if l.Details == Beside && l.TreeWidth+l.DetailsIn+2 != c.w.Width {
			t.Errorf("%+v: %d and %d cells", c.w, l.TreeWidth, l.DetailsIn)
		}
	}
}
