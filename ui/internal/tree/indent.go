package tree

import (
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Indent tells how far rows are indented on a screen. A deep tree is indented less, so that
// indentation takes at most a third of the width.
type Indent struct {
	from     int // depths up to this one are not indented
	perLevel int // cells
	root     int // depth of the root
}

// textFrom is the column of the marks of rows without indentation: after the cursor's mark and
// the mark of a diff.
const textFrom = 2

func (in Indent) Of(depth int) int { return textFrom + max(0, depth-in.from)*in.perLevel }

// indentFor returns the indentation for rows up to a depth in a tree of a given width.
func indentFor(deepest, width int) Indent {
	room := width / 3
	switch {
	case 2*deepest <= room:
		return Indent{perLevel: 2}
	case deepest <= room:
		return Indent{perLevel: 1}
	}
	return Indent{from: deepest - room, perLevel: 1}
}

// Indent returns how far the rows on the screen are indented.
func (o *Outline) Indent() Indent {
	deepest, root := 0, 0
	if n := o.Tree.Focused(); n != nil {
		root = n.Depth()
	}
	for _, r := range o.Rows {
		deepest = max(deepest, r.Depth)
	}
	in := indentFor(deepest-root, o.Width)
	return Indent{in.from + root, in.perLevel, root}
}

// Guides are lines from a row's ancestors down to it. The first levels have none: there one sees
// without them what belongs where. Where levels are a single cell apart, one of sparse has one.
const (
	guidesFrom = 4 // the depth of rows
	sparse     = 4
)

// guide reports whether the ancestor at a depth has a guide.
func (in Indent) guide(depth int) bool {
	return depth-in.root >= guidesFrom-1 && (in.perLevel > 1 || depth%sparse == 0)
}

// draw draws the indentation of a row: blanks, with the guides of its ancestors.
func (in Indent) draw(l *screen.Line, depth int) {
	for d := in.from; d < depth; d++ {
		if !in.guide(d) {
			l.Space(in.perLevel)
			continue
		}
		l.Put(l.Glyphs.Side, theme.Faint)
		l.Space(in.perLevel - 1)
	}
}
