// Package layout divides the window among the parts of the screen.
package layout

// The smallest usable window, in cells.
const (
	MinWidth  = 40
	MinHeight = 10
)

// Layout tells where the parts of the screen are, in cells.
type Layout struct {
	Filter     bool // a line about the filter
	Trouble    bool // a line about what is wrong with the trace
	Steps      bool // a line about steps that edit the tree
	Strip      bool // a line about the time of the thread
	Rule       bool // a line with the headings of the columns
	Hints      bool // a line of keys at the bottom
	Path       int  // the line of the path to the cursor
	StripAt    int  // the line of the strip
	ListTop    int  // first line of a list
	Top        int  // first line of the tree
	Tree       int  // lines of the tree; they keep this height when hidden
	TreeWidth  int
	Sticky     int // lines of the tree that rows around others may stay on
	Tour       int // lines of the tour
	List       int // lines of a list that replaces the tree, and all from the trouble to the status
	Details    Side
	DetailsHas int // lines of the details
	DetailsIn  int // width of the details
}

// Side is where the details are.
type Side int

const (
	Nowhere Side = iota
	Beside
	Below
	Only // instead of the tree
)

// From how many columns on the details are beside the tree, below how many they replace it, and
// from how many lines on there is room for the rule and the keys.
const (
	besideFrom = 120
	onlyBelow  = 60
	ruleFrom   = 12
	hintsFrom  = 16
)

// Rows around others stay at the top of the tree in windows from stickyFrom lines on: at most
// stickyMost of them, and on at most a third of the lines.
const (
	stickyFrom = 15
	stickyMost = 5
)

// Wants is what has to be shown, and the size of the window.
type Wants struct {
	Width, Height int
	Trouble       bool // something is wrong with the trace
	Steps         bool // steps edit the tree
	Strip         bool // the strip of the thread is shown
	Tour          int  // lines that the tour needs; 0 if there is none
	Details       bool
	Filter        bool // the tree is filtered
	Sticky        bool // rows around others stay in view
}

// Usable reports whether a window is large enough.
func Usable(width, height int) bool { return width >= MinWidth && height >= MinHeight }

// For returns the layout of a window.
func For(w Wants) Layout {
	l := Layout{TreeWidth: w.Width, Rule: w.Height >= ruleFrom, Hints: w.Height >= hintsFrom}
	l.Trouble = w.Trouble && w.Height >= ruleFrom
	l.Path, l.Top = 1, 2
	l.List = w.Height - 3
	if w.Filter {
		l.Filter = true
		l.Path++
		l.Top++
		l.List--
	}
	if l.Trouble {
		l.Top++
		l.List--
	}
	l.ListTop = l.Top
	if l.Steps = w.Steps && w.Height >= ruleFrom; l.Steps {
		l.Top++
	}
	if l.Strip = w.Strip && w.Height >= ruleFrom; l.Strip {
		l.StripAt = l.Top
		l.Top++
	}
	if l.Rule {
		l.Top++
	}
	bottom := 1
	if l.Hints {
		bottom = 2
	}
	l.Tour = min(w.Tour, max(0, w.Height-l.Top-bottom-3))
	l.Tree = max(1, w.Height-l.Top-bottom-l.Tour)
	if w.Details {
		l.placeDetails(w.Width)
	}
	if w.Sticky && w.Height >= stickyFrom {
		l.Sticky = min(stickyMost, l.Tree/3)
	}
	return l
}

// placeDetails divides the lines of the tree between the tree and the details.
func (l *Layout) placeDetails(width int) {
	switch {
	case width >= besideFrom:
		l.Details, l.DetailsIn = Beside, min(64, width*2/5)
		l.TreeWidth = width - l.DetailsIn - 2
		l.DetailsHas = l.Tree
	case width < onlyBelow || l.Tree < 9:
		l.Details, l.DetailsIn = Only, width
		l.DetailsHas = l.Tree
	default:
		l.Details, l.DetailsIn = Below, width
		l.DetailsHas = min(12, l.Tree/2)
		l.Tree -= l.DetailsHas + 1
	}
}
