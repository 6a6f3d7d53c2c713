package ui

// layout tells where the parts of the screen are, in cells.
type layout struct {
	trouble    bool // a line about what is wrong with the trace
	rule       bool // a line with the headings of the columns
	hints      bool // a line of keys at the bottom
	top        int  // first line of the tree
	tree       int  // lines of the tree; they keep this height when hidden
	treeWidth  int
	tour       int // lines of the tour
	details    place
	detailsAt  int // first line of the details, when they are below
	detailsHas int // lines of the details
	detailsIn  int // width of the details
}

// place is where the details are.
type place int

const (
	nowhere place = iota
	beside
	below
	alone // instead of the tree
)

// From how many columns on the details are beside the tree, and below how many they replace it.
const (
	besideFrom = 120
	aloneBelow = 60
	hintsFrom  = 16 // lines from which on there is room for the rule and the keys
)

func (m *Model) layout() layout {
	l := layout{treeWidth: m.width, rule: m.height >= 12, hints: m.height >= hintsFrom}
	l.trouble = m.height >= 12 && len(m.troubles()) > 0
	l.top = 2
	for _, on := range []bool{l.trouble, l.rule} {
		if on {
			l.top++
		}
	}
	bottom := 1
	if l.hints {
		bottom = 2
	}
	if m.tour != nil {
		l.tour = min(m.tour.Height(m.tourNames(), m.width, m.g), max(0, m.height-l.top-bottom-3))
	}
	l.tree = max(1, m.height-l.top-bottom-l.tour)
	if !m.details.On() {
		return l
	}
	switch {
	case m.width >= besideFrom:
		l.details, l.detailsIn = beside, min(64, m.width*2/5)
		l.treeWidth = m.width - l.detailsIn - 2
		l.detailsAt, l.detailsHas = l.top, l.tree
	case m.width < aloneBelow || l.tree < 9:
		l.details, l.detailsIn = alone, m.width
		l.detailsAt, l.detailsHas = l.top, l.tree
	default:
		l.details, l.detailsIn = below, m.width
		l.detailsHas = min(12, l.tree/2)
		l.tree -= l.detailsHas + 1
		l.detailsAt = l.top + l.tree + 1
	}
	return l
}

// overlayHeight returns how many lines an overlay has: all but the header, the breadcrumb, the
// trouble and the bottom line.
func (m *Model) overlayHeight(l layout) int {
	height := m.height - 3
	if l.trouble {
		height--
	}
	return height
}
