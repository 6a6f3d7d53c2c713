package rows

// Indent is how far rows are indented on a screen: less where it is deep, so
// that a third of the width at most is spent.
type Indent struct {
	from int // depths up to here are not indented
	step int // cells a level
}

// textFrom is where the marks of rows without indentation stand: behind the
// cursor's mark and the mark of a diff.
const textFrom = 2

func (in Indent) Of(depth int) int { return textFrom + max(0, depth-in.from)*in.step }

// IndentFor is the indentation of rows up to a depth on a tree of some width.
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
