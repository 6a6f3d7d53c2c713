package walk

import (
	"math"
	"slices"
	"sort"

	"tracex/format"
)

// SeekBack returns an offset in [from, x] where a child begins, or a reference
// object before one, with about back children between it and x; from, if it finds
// none. It goes from container to container, by their cells.
func (l *ChildReader) SeekBack(from, ord, x int64, back int) (pos, at int64) {
	cells := l.S.Cells
	if at, ok := l.S.OpenChild(l.Start); ok && at < x {
		// Everything that ended after that is within the child.
		x = at
	}
	j := cells.FirstEnding(x) - 1
	// The container around x, if it is a child, begins before x.
	if own := cells.FirstAround(j+1, x); own < cells.Len() {
		if c := l.Outermost(own, from); c.Start > from {
			j = cells.FirstEnding(c.Start) - 1
		}
	}
	var first format.Cell // the leftmost container seen
	n := 0
	for ; j >= ord && n < back; n++ {
		c := cells.At(j)
		if c.End < from {
			break
		}
		first = c
		j = cells.FirstEnding(c.Start) - 1
	}
	if n < back || j < ord {
		return from, ord
	}
	// first is a child with containers before it: the range begins after the footer
	// of the previous one.
	before := cells.At(j)
	if before.End < from {
		return from, ord
	}
	for _, class := range l.Classes(before) {
		if pos, ok := l.afterFooter(before, class, first.Start); ok {
			return pos, j + 1
		}
	}
	return from, ord
}

// Outermost returns the outermost container that begins after from, of those
// around an offset: own is the ordinal of the innermost.
func (l *ChildReader) Outermost(own, from int64) format.Cell {
	if l.Chain != nil {
		i := sort.Search(len(l.Chain), func(i int) bool { return l.Chain[i].Start > from })
		if i == len(l.Chain) {
			return format.Cell{}
		}
		return l.Chain[i]
	}
	cells := l.S.Cells
	c := cells.At(own)
	if c.Start <= from {
		return format.Cell{}
	}
	for {
		own = cells.FirstAround(own+1, c.Start-1)
		if own >= cells.Len() {
			return c
		}
		outer := cells.At(own)
		if outer.Start <= from {
			return c
		}
		c = outer
	}
}

// Classes returns the classes that a container may have, the most likely first:
// loops and iterations have headers of known size, so it checks the bytes before
// the content.
func (l *ChildReader) Classes(c format.Cell) []format.Class {
	v := l.R.Data.Version()
	for _, try := range [...]struct {
		class format.Class
		size  int64
	}{{format.ClassIteration, format.IterationHeadSize}, {format.ClassLoop, format.LoopHeadSize}} {
		for n := int64(0); n < 8; n++ { // diff statuses of the subtree
			at := c.Start - try.size - n
			if at < 0 {
				break
			}
			b, err := l.Bytes(at)
			if err != nil || len(b) <= format.StatusCountAt || format.Kind(b[0]) != format.KindTracePoint ||
				format.EventOf(b) != c.ID || int64(v.StatusCount(b[format.StatusCountAt])) != n {
				continue
			}
			if class, ok := v.PointClass(b[format.PointClassAt]); ok && class == try.class {
				return []format.Class{try.class, format.ClassCall}
			}
		}
	}
	return []format.Class{format.ClassCall, format.ClassIteration, format.ClassLoop}
}

// afterFooter returns the offset after a container's footer, if the container is of
// this class and the objects after it lead to a header whose content begins at start.
func (l *ChildReader) afterFooter(c format.Cell, class format.Class, start int64) (int64, bool) {
	b, err := l.Bytes(c.End)
	if err != nil || format.Kind(b[0]) != format.KindFooter {
		return 0, false
	}
	n, err := l.R.Data.Version().Size(b, class)
	if err != nil {
		return 0, false
	}
	after := c.End + int64(n)
	for pos := after; pos < start; {
		b, err := l.Bytes(pos)
		if err != nil {
			return 0, false
		}
		n, err := l.R.Data.Version().Size(b, 0)
		k := format.Kind(b[0])
		if err != nil || k > format.KindTracePoint {
			return 0, false
		}
		pos += int64(n)
		if k != format.KindTracePoint {
			continue
		}
		if class, _ := l.R.Data.Version().PointClass(b[format.PointClassAt]); class.Container() {
			return after, pos == start
		}
	}
	return 0, false
}

// Last returns the last child of a container; want is as in next.
func (w *Walker) Last(e *NodeData, want bool) (*NodeData, bool, error) {
	if !e.HasContent() {
		return nil, false, nil
	}
	l := ChildReader{Walker: w, Start: e.Start, End: e.End}
	pos, ord := l.SeekBack(e.Start, e.First, e.End, 1)
	var found *NodeData
	for {
		child := new(NodeData)
		ok, err := w.Next(pos, ord, e.End, child, want)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return found, found != nil, nil
		}
		found = child
		pos, ord = child.Next, child.After
	}
}

// Enclosing returns the containers around a logical offset, outermost first.
func (l *ChildReader) Enclosing(at int64) []format.Cell {
	chain, _ := l.enclosingUpTo(at, math.MaxInt)
	return chain
}

// enclosingUpTo is enclosing; ok is false if there are more than most.
func (l *ChildReader) enclosingUpTo(at int64, most int) (chain []format.Cell, ok bool) {
	cells := l.S.Cells
	chain = []format.Cell{}
	for own := cells.FirstAround(cells.FirstEnding(at), at); own < cells.Len(); {
		if len(chain) == most {
			return nil, false
		}
		c := cells.At(own)
		chain = append(chain, c)
		own = cells.FirstAround(own+1, c.Start-1)
	}
	slices.Reverse(chain)
	return chain, true
}
