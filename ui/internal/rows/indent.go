package rows

// Indent tells how far rows are indented on a screen. A deep tree is indented less, so that
// indentation takes at most a third of the width.
type Indent struct {
	from     int // depths up to this one are not indented
	perLevel int // cells
}

// textFrom is the column of the marks of rows without indentation: after the cursor's mark and
// the mark of a diff.
const textFrom = 2

func (in Indent) Of(depth int) int { return textFrom + max(0, depth-in.from)*in.perLevel }

// IndentFor returns the indentation for rows up to a depth in a tree of a given width.
func IndentFor(deepest, width int) Indent {
	room := width / 3
	switch {
	case 2*deepest <= room:
		return Indent{0, 2}
	case deepest <= room:
		return Indent{0, 1}
	}
	return Indent{deepest - room, 1}
}
