package lazy

import (
	"math"
	"slices"
	"sort"

	"tracex/format"
)

// seekBack returns an offset in [from, x] where a child begins, or a reference
// object before one, with about back children between it and x; from, if it finds
// none. It goes from container to container, by their cells.
func (l *childReader) seekBack(from, ord, x int64, back int) (pos, at int64) {
	cells := l.s.Cells
	if at, ok := l.s.OpenChild(l.start); ok && at < x {
		// Everything that ended after that is within the child.
		x = at
	}
	j := cells.FirstEnding(x) - 1
	// The container around x, if it is a child, begins before x.
	if own := cells.FirstAround(j+1, x); own < cells.Len() {
		if c := l.outermost(own, from); c.Start > from {
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
	for _, class := range l.classes(before) {
		if pos, ok := l.afterFooter(before, class, first.Start); ok {
			return pos, j + 1
		}
	}
	return from, ord
}

// outermost returns the outermost container that begins after from, of those
// around an offset: own is the ordinal of the innermost.
func (l *childReader) outermost(own, from int64) format.Cell {
	if l.chain != nil {
		i := sort.Search(len(l.chain), func(i int) bool { return l.chain[i].Start > from })
		if i == len(l.chain) {
			return format.Cell{}
		}
		return l.chain[i]
	}
	cells := l.s.Cells
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

// classes returns the classes that a container may have, the most likely first:
// loops and iterations have headers of known size, so it checks the bytes before
// the content.
func (l *childReader) classes(c format.Cell) []format.Class {
	v := l.r.data.Version()
	for _, try := range [...]struct {
		class format.Class
		size  int64
	}{{format.ClassIteration, format.IterationHeadSize}, {format.ClassLoop, format.LoopHeadSize}} {
		for n := int64(0); n < 8; n++ { // diff statuses of the subtree
			at := c.Start - try.size - n
			if at < 0 {
				break
			}
			b, err := l.bytes(at)
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
func (l *childReader) afterFooter(c format.Cell, class format.Class, start int64) (int64, bool) {
	b, err := l.bytes(c.End)
	if err != nil || format.Kind(b[0]) != format.KindFooter {
		return 0, false
	}
	n, err := l.r.data.Version().Size(b, class)
	if err != nil {
		return 0, false
	}
	after := c.End + int64(n)
	for pos := after; pos < start; {
		b, err := l.bytes(pos)
		if err != nil {
			return 0, false
		}
		n, err := l.r.data.Version().Size(b, 0)
		k := format.Kind(b[0])
		if err != nil || k > format.KindTracePoint {
			return 0, false
		}
		pos += int64(n)
		if k != format.KindTracePoint {
			continue
		}
		if class, _ := l.r.data.Version().PointClass(b[format.PointClassAt]); class.Container() {
			return after, pos == start
		}
	}
	return 0, false
}

// last returns the last child of a container; want is as in next.
func (w *walker) last(e *nodeData, want bool) (*nodeData, bool, error) {
	if !e.hasContent() {
		return nil, false, nil
	}
	l := childReader{walker: w, start: e.start, end: e.end}
	pos, ord := l.seekBack(e.start, e.first, e.end, 1)
	var found *nodeData
	for {
		child := new(nodeData)
		ok, err := w.next(pos, ord, e.end, child, want)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return found, found != nil, nil
		}
		found = child
		pos, ord = child.next, child.after
	}
}

// enclosing returns the containers around a logical offset, outermost first.
func (l *childReader) enclosing(at int64) []format.Cell {
	chain, _ := l.enclosingUpTo(at, math.MaxInt)
	return chain
}

// enclosingUpTo is enclosing; ok is false if there are more than most.
func (l *childReader) enclosingUpTo(at int64, most int) (chain []format.Cell, ok bool) {
	cells := l.s.Cells
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
