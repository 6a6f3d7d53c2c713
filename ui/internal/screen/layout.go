// Package screen draws lines of an exact width ([Line]) in styles and signs, divides the window
// ([Layout]), and knows how keys, errors and the nodes of a trace are written. It keeps no state but what a [Backdrop] has drawn.
package screen

import "cmp"

// The smallest usable window, in cells.
const (
	MinWidth  = 40
	MinHeight = 10
)

// Layout tells where the parts of the screen are, in cells.
type Layout struct {
	Chips     bool // a line of what is in force
	Trouble   bool // a line about what is wrong with the trace
	Strip     bool // a line about the time of the thread
	Rule      bool // a line with the headings of the columns
	Hints     bool // a line of keys at the bottom
	Floats    bool // the list floats over the tree
	Path      int  // the line of the path to the cursor
	StripAt   int  // the line of the strip
	Top       int  // first line of the tree
	Bottom    int  // first line below the tree and the tour
	Tree      int  // lines of the tree; they keep this height when hidden
	TreeWidth int
	Sticky    int  // lines of the tree that rows around others may stay on
	Tour      int  // lines of the tour
	Box       Rect // a prompt that floats; without a width if there is none
	List      Rect // a list, which floats over the tree or replaces all from the trouble to the status
	Side      Side
	Panes     [PaneCount]Rect // what the panes beside the tree contain, below their titles; without a width if they are hidden
}

// Pane is a part of the window that can have the keys.
type Pane int

// The panes, from top to bottom.
const (
	TreePane Pane = iota
	SourcePane
	DetailsPane
	PaneCount
)

// Sizes are how large the user wants the panes; 0 leaves it to the explorer.
type Sizes struct {
	Beside int // columns of what is beside the tree
	Below  int // lines of what is below the tree
	Source int // lines of the source above the details
}

// List returns the sizes as a session keeps them.
func (s Sizes) List() []int {
	if s == (Sizes{}) {
		return nil
	}
	return []int{s.Beside, s.Below, s.Source}
}

// SizesOf returns the sizes that a session has kept.
func SizesOf(list []int) (s Sizes) {
	if len(list) == 3 {
		s = Sizes{list[0], list[1], list[2]}
	}
	return s
}

// Side is where the other panes are.
type Side int

const (
	Nowhere Side = iota
	Beside
	Below
	Only // instead of the tree
)

const (
	besideFrom = 110 // columns from which on the other panes are beside the tree
	onlyBelow  = 60  // columns below which they replace it
	floatFrom  = 60  // columns below which lists replace it
	RuleFrom   = 12  // lines from which on there is room for the headings of the columns
	hintsFrom  = 16  // lines from which on there is room for the keys
)

// leastFloat is how high what floats may be at least; each window has room for that and a border.
const leastFloat = 4

// boxLines is the height of a prompt that floats, with its candidates.
const boxLines = 18

// At most stickyMost rows around others stay at the top of the tree, in windows from stickyFrom lines on.
const (
	stickyFrom = 15
	stickyMost = 5
)

// Wants is what has to be shown, and the size of the window.
type Wants struct {
	Width, Height int
	Trouble       bool // something is wrong with the trace
	Strip         bool // the strip of the thread is shown
	Tour          int  // lines that the tour needs; 0 if there is none
	Source        bool // the source is shown
	Details       bool // the details are shown
	Sizes         Sizes
	Front         Pane // the source or the details, where only one of them has room
	Aside         bool // in a window so small that a pane would replace the tree, the tree is shown
	Zoom          bool // one pane alone is shown: Front, or the tree if that has the keys
	Keys          Pane // has the keys
	Chips         bool // something is in force
	Sticky        bool // rows around others stay in view
	Asking        bool // a prompt floats over the tree
	Floating      int  // lines of the list that floats over the tree, as many as it has; 0 if none does
	FloatingWidth int  // cells that these need
}

func Usable(width, height int) bool { return width >= MinWidth && height >= MinHeight }

func LayoutFor(w Wants) Layout {
	l := Layout{TreeWidth: w.Width, Rule: w.Height >= RuleFrom, Hints: w.Height >= hintsFrom}
	l.Trouble = w.Trouble && w.Height >= RuleFrom
	l.Path, l.Top = 1, 2
	if l.Chips = w.Chips; l.Chips {
		l.Path++
		l.Top++
	}
	if l.Trouble {
		l.Top++
	}
	l.List = Rect{0, l.Top, w.Width, w.Height - 1 - l.Top}
	if w.Floating > 0 && w.Width >= floatFrom && w.Height >= RuleFrom {
		l.Floats = true
		l.List.float(w.Floating, w.FloatingWidth)
	}
	if w.Asking {
		l.Box = Rect{0, l.Top, w.Width, w.Height - 1 - l.Top}
		l.Box.float(boxLines, MostFloat)
	}
	if l.Strip = w.Strip && w.Height >= RuleFrom; l.Strip {
		l.StripAt = l.Top
		l.Top++
	}
	if l.Rule {
		l.Top++
	}
	l.Bottom = w.Height - 1
	if l.Hints {
		l.Bottom--
	}
	l.Tour = min(w.Tour, max(0, l.Bottom-l.Top-3))
	l.Tree = max(1, l.Bottom-l.Top-l.Tour)
	l.place(w)
	if w.Sticky && w.Height >= stickyFrom {
		l.Sticky = min(stickyMost, l.Tree/3)
	}
	return l
}

// What floats has so many cells between its borders, if the window has them: its title and the text of a filter need some.
const (
	leastFloatWidth = 48
	MostFloat       = 132
)

// FloatWidth returns how wide what floats is at most in a window, without its border.
func FloatWidth(window int) int { return min(window-4, max(72, window-12), MostFloat) }

// float makes room around a list that needs so many lines and cells, for its border and for what is behind it.
func (r *Rect) float(lines, cells int) {
	width := min(max(leastFloatWidth, cells+1), FloatWidth(r.Width))
	height := min(max(lines, 2), max(r.Height-4, leastFloat))
	*r = Rect{(r.Width - width) / 2, r.Y + max(0, (r.Height-1-height)/3), width, height}
}

// What a divider leaves at least to each side.
const (
	leastTree  = 40  // columns of the tree
	leastSide  = 24  // columns beside it
	leastPane  = 2   // lines of a pane
	widestTree = 160 // columns of the tree, if the user has not chosen them: its numbers stay near its text
)

// place divides the lines of the tree between the tree and the other panes.
func (l *Layout) place(w Wants) {
	front := w.Front
	if !w.Source || front != SourcePane && w.Details {
		front = DetailsPane
	} else if !w.Details {
		front = SourcePane
	}
	only := w.Zoom || w.Width < onlyBelow || l.Tree < 9
	switch {
	case !w.Source && !w.Details || w.Zoom && w.Keys == TreePane || only && w.Aside && !w.Zoom:
		return
	case only:
		l.Side, l.Panes[front] = Only, Rect{1, l.Top, w.Width - 1, l.Tree}
		return
	case w.Width < besideFrom:
		lines := within(cmp.Or(w.Sizes.Below, min(12, l.Tree/2)), leastPane, l.Tree-leastPane-1)
		l.Tree -= lines + 1
		l.Side, l.Panes[front] = Below, Rect{1, l.Top + l.Tree + 1, w.Width - 1, lines}
		return
	}
	l.Side = Beside
	columns := within(cmp.Or(w.Sizes.Beside, max(min(100, w.Width*2/5), w.Width-widestTree)), leastSide, w.Width-leastTree-2)
	l.TreeWidth = w.Width - columns - 2
	right := Rect{l.TreeWidth + 2, l.Top, columns, l.Tree}
	if l.Panes[front] = right; w.Source && w.Details {
		source, details := right, right
		source.Height = within(cmp.Or(w.Sizes.Source, l.Tree*3/5), leastPane, l.Tree-leastPane-1)
		details.Y, details.Height = l.Top+source.Height+1, l.Tree-source.Height-1
		l.Panes[SourcePane], l.Panes[DetailsPane] = source, details
	}
}

func within(n, least, most int) int { return max(least, min(n, most)) }

// PaneAt returns the pane besides the tree that a cell is in, also in the column before its lines.
func (l *Layout) PaneAt(x, y int) (p Pane, ok bool) {
	for p := SourcePane; p < PaneCount; p++ {
		r := l.Panes[p]
		if r.Width > 0 && (Rect{r.X - 1, r.Y, r.Width + 1, r.Height}).Has(x, y) {
			return p, true
		}
	}
	return TreePane, false
}

// Divider is a line between panes, which the mouse can move.
type Divider int

const (
	NoDivider     Divider = iota
	BesideDivider         // between the tree and what is beside it
	BelowDivider          // between the tree and what is below it
	SourceDivider         // between the source and the details
)

func (l *Layout) DividerAt(x, y int) Divider {
	source, details := l.Panes[SourcePane], l.Panes[DetailsPane]
	switch {
	case l.Side == Beside && x == l.TreeWidth && y >= l.Top && y < l.Top+l.Tree:
		return BesideDivider
	case l.Side == Beside && source.Width > 0 && details.Width > 0 && x > l.TreeWidth && y == details.Y-1:
		return SourceDivider
	case l.Side == Below && y == l.Top+l.Tree:
		return BelowDivider
	}
	return NoDivider
}

// Drag returns the sizes with which a divider is at a cell of a window of width columns.
func (l *Layout) Drag(d Divider, x, y, width int, s Sizes) Sizes {
	switch d {
	case BesideDivider:
		s.Beside = within(width-x-2, leastSide, width-leastTree-2)
	case BelowDivider:
		all := l.Tree + 1 + max(l.Panes[SourcePane].Height, l.Panes[DetailsPane].Height)
		s.Below = within(l.Top+all-y-1, leastPane, all-leastPane-1)
	case SourceDivider:
		s.Source = within(y-l.Top, leastPane, l.Tree-leastPane-1)
	}
	return s
}

// Resize returns the sizes after the panes have got wider by some columns, and pane p higher by some lines.
func (l *Layout) Resize(p Pane, columns, lines, width int, s Sizes) Sizes {
	switch {
	case columns != 0 && l.Side == Beside:
		return l.Drag(BesideDivider, l.TreeWidth-columns, 0, width, s)
	case l.Side == Below:
		return l.Drag(BelowDivider, 0, l.Top+l.Tree-lines, width, s)
	case l.Side == Beside && l.Panes[SourcePane].Width > 0 && l.Panes[DetailsPane].Width > 0:
		if p == DetailsPane {
			lines = -lines
		}
		return l.Drag(SourceDivider, 0, l.Panes[DetailsPane].Y-1+lines, width, s)
	}
	return s
}
