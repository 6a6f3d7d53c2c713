package lazy

import (
	"context"
	"fmt"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// pageNodes is how many children a page holds at most when it is loaded, and
// pageReads how many trace points are read for it at most: more when some fold
// to nothing.
const (
	pageNodes = 128
	pageReads = 4096
)

// End tells the two ends of a gap apart.
type End int

const (
	AtStart End = iota // what comes first in the trace
	AtEnd              // what comes last
)

// Load loads a page of a gap, from one of its ends. Where the gap has changed
// meanwhile, it loads what is there now; where nothing is missing any more,
// nothing.
func (t *Tree) Load(ctx context.Context, gap Row, end End) error {
	if gap.Node != nil || gap.Parent == nil {
		return nil
	}
	if gap.ranked() {
		return t.loadSorted(ctx, gap, end)
	}
	pos := gap.From
	if end == AtEnd {
		pos = gap.To - 1
	}
	t.mu.Lock()
	from, to, ord, ok := gap.Parent.gap(pos)
	if s := gap.Parent.sorting(); s != nil && from < s.limit {
		from, ord = s.limit, s.ord
		ok = ok && from < to
	}
	t.mu.Unlock()
	if !ok {
		return nil
	}
	var s *stretch
	err := t.read(gap.Parent, func(l *childReader) error {
		var err error
		if end == AtStart {
			s, err = l.forward(ctx, from, to, ord, pageNodes)
		} else {
			s, err = l.around(ctx, from, to, ord, to, pageNodes, 0)
		}
		return err
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attach(gap.Parent, s)
	t.mark(gap.Parent, s)
	return nil
}

// childReader reads children of one node. It is used within guard.
type childReader struct {
	*walker
	folded bool
	start  int64         // of the node's content
	end    int64         // of it
	moment moment        // what it reads
	marks  []mark        // of the node
	lender *entries      // of the entries that folding looks at; nil: new ones
	chain  []format.Cell // the containers around the place that is looked for, outermost first; nil: not known
}

// moment is what a tree stood on when something was read.
type moment struct {
	view  *index.View
	epoch int64
}

// read runs f with a reader of the children of n. The tree must not be locked.
func (t *Tree) read(n *Node, f func(*childReader) error) error {
	t.mu.Lock()
	m, e, epoch := t.now, n.e.Load(), int64(n.epoch)
	l := &childReader{folded: t.folded, start: e.start, end: e.end, moment: m}
	if n.kids != nil {
		l.marks = n.kids.marks
	}
	t.mu.Unlock()
	return t.r.doubt(t.r.use(func() error {
		if t.r.epoch.Load() != epoch {
			return errStale
		}
		w, err := t.r.walkerOn(m.view, n.thread)
		if err != nil {
			return err
		}
		if e.state == StatePending && e.end != w.s.Size {
			return errStale // it was forgotten, and has not grown since
		}
		t.r.ctxMu.RLock()
		defer t.r.ctxMu.RUnlock()
		l.walker = w
		return f(l)
	}), m.view, m.epoch)
}

// stretch returns an empty stretch of the node's children.
func (l *childReader) stretch(pos, ord int64) *stretch {
	return &stretch{from: pos, to: pos, fromOrd: ord, toOrd: ord, read: l.moment}
}

// childRead is a child that was read, or passed over.
type childRead struct {
	ok    bool   // there is one
	shown bool   // it does not fold to nothing
	entry *entry // as it is shown; nil when it is not, or was passed over
	next  mark   // where the child after it begins; the end of the content without one
}

// child reads the child at a place.
func (l *childReader) child(at mark) (c childRead, err error) {
	e := new(entry)
	if c.ok, err = l.next(at.pos, at.ord, l.end, e, true); !c.ok || err != nil {
		return childRead{next: mark{l.end, at.ord}}, err
	}
	c.next = mark{e.next, e.after}
	if l.folded {
		e, err = l.fold(e)
	}
	c.entry, c.shown = e, e != nil
	return c, err
}

// forward reads up to count children from the start of a gap.
func (l *childReader) forward(ctx context.Context, from, to, ord int64, count int) (*stretch, error) {
	s := l.stretch(from, ord)
	for reads := 0; reads < pageReads && len(s.entries) < count && s.to < to; reads++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := l.child(mark{s.to, s.toOrd})
		if err != nil {
			return nil, err
		}
		s.to, s.toOrd = c.next.pos, c.next.ord
		if !c.ok {
			break
		}
		if c.shown {
			s.entries = append(s.entries, c.entry)
		}
	}
	return s, nil
}

// around reads the children of a gap around a logical offset: up to back of
// those that end at or before it, the one that contains it, and up to ahead
// behind that. With x = to it reads the last ones.
func (l *childReader) around(ctx context.Context, from, to, ord, x int64, back, ahead int) (*stretch, error) {
	pos, at := l.stepBack(from, ord, x, back)
	if m, ok := markBefore(l.marks, x); ok && m.pos > pos && m.pos >= from {
		pos, at = m.pos, m.ord
	}
	first, passed, err := l.lastBefore(ctx, mark{pos, at}, to, x, back)
	if err != nil {
		return nil, err
	}
	s := l.stretch(first.pos, first.ord)
	s.passed = passed
	for s.to < to && ahead >= 0 {
		c, err := l.child(mark{s.to, s.toOrd})
		if err != nil {
			return nil, err
		}
		if s.to >= x {
			ahead--
		}
		s.to, s.toOrd = c.next.pos, c.next.ord
		if !c.ok {
			break
		}
		if c.shown {
			s.entries = append(s.entries, c.entry)
		}
	}
	return s, nil
}

// lastBefore walks from a child on and returns where the last back children
// begin that end at or before x, and every so many places that it passed.
func (l *childReader) lastBefore(ctx context.Context, m mark, to, x int64, back int) (first mark, passed []mark, err error) {
	ring := make([]mark, back+1) // where the children seen last begin, and the next
	ring[0] = m
	n := 0
	var e entry
	for ; m.pos < to; n++ {
		if n%markEvery == 0 {
			if n > 0 {
				passed = append(passed, m)
			}
			if err := ctx.Err(); err != nil {
				return m, nil, err
			}
		}
		ok, err := l.next(m.pos, m.ord, l.end, &e, false)
		if err != nil {
			return m, nil, err
		}
		if !ok || e.next > x {
			break
		}
		m = mark{e.next, e.after}
		ring[(n+1)%len(ring)] = m
	}
	return ring[max(0, n-back)%len(ring)], passed, nil
}

// stepBack returns a place in [from, x] where a child begins, or a reference
// object before one, such that about back children lie between it and x; from,
// when none is found. It goes from container to container: their cells tell
// where they lie.
func (l *childReader) stepBack(from, ord, x int64, back int) (pos, at int64) {
	cells := l.s.Cells
	if at, ok := l.s.OpenChild(l.start); ok && at < x {
		// What has ended behind that lies within the child.
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
	// first is a child with others before it: the footer of the one before
	// is where its part begins.
	before := cells.At(j)
	if before.End < from {
		return from, ord
	}
	for _, class := range l.classes(before) {
		if pos, ok := l.behind(before, class, first.Start); ok {
			return pos, j + 1
		}
	}
	return from, ord
}

// outermost returns the outermost container that begins behind from, of those
// around a place: own is the ordinal of the innermost.
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

// classes returns the classes that a container may have, the likeliest first:
// loops and iterations have headers of known size, so the bytes before the
// content tell.
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

// behind returns the offset behind a container's footer, if the container is of
// this class and what follows leads to a header whose content begins at start.
func (l *childReader) behind(c format.Cell, class format.Class, start int64) (int64, bool) {
	b, err := l.bytes(c.End)
	if err != nil || format.Kind(b[0]) != format.KindFooter {
		return 0, false
	}
	n, err := l.r.data.Version().Size(b, class)
	if err != nil {
		return 0, false
	}
	behind := c.End + int64(n)
	for pos := behind; pos < start; {
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
			return behind, pos == start
		}
	}
	return 0, false
}

// Child returns the i-th child of n, from 0.
func (t *Tree) Child(ctx context.Context, n *Node, i int64) (*Node, error) {
	list, err := t.Range(ctx, n, i, 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no child %d", i)
	}
	return list[0], nil
}
