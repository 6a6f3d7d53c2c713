package lazy

import (
	"math"
	"slices"
	"tracex/lazy/internal/walk"
)

func newView(p Places, w *roots, stamp uint32) *view {
	return &view{wanted: wanted{p, make(map[int32][]int64)}, threads: w, stamp: stamp, counts: make(map[leftKey]int64)}
}

func (v *view) open(r Row) {
	o := opened{in: threadRun, from: r.From, to: r.To}
	if r.Parent != nil {
		p := placeOf(r.Parent)
		o.thread, o.in = p.Thread, p.At
	}
	v.opened = append(v.opened, o)
}

// placeOf identifies a node.
func placeOf(n *Node) Position {
	if n.IsThread() {
		return Position{Thread: n.thread, At: -1}
	}
	return n.Position()
}

// openedAt returns the run of children of n around an offset that is shown as it is, or the first
// one after it; dir is -1 for the last one before it. nil if there is none.
func (v *view) openedAt(n *Node, pos int64, dir int) (at *opened) {
	if len(v.opened) == 0 {
		return nil
	}
	p := placeOf(n)
	for i := range v.opened {
		o := &v.opened[i]
		switch {
		case o.thread != p.Thread || o.in != p.At:
		case dir > 0 && o.to > pos && (at == nil || o.from < at.from):
			at = o
		case dir < 0 && o.from < pos && (at == nil || o.to > at.to):
			at = o
		}
	}
	return at
}

// threadOpened reports whether the thread with an index is shown as it is.
func (v *view) threadOpened(i int64) bool {
	for _, o := range v.opened {
		if o.in == threadRun && o.from <= i && i < o.to {
			return true
		}
	}
	return false
}

// match reports whether a node is a place.
func (v *view) match(n *Node) bool {
	if n.IsThread() {
		return false
	}
	e := n.e.Load()
	_, ok := v.first(n.thread, e.At, e.At+1)
	if !ok && e.Inner > 0 {
		_, ok = v.first(n.thread, e.Inner, e.Inner+1)
	}
	return ok
}

// holds reports whether there is a place in a node.
func (v *view) holds(n *Node) bool {
	e := n.e.Load()
	if n.IsThread() {
		_, ok := v.first(n.thread, math.MinInt64, math.MaxInt64)
		return ok
	}
	_, ok := v.first(n.thread, e.Start, e.End)
	return ok
}

// asItIs reports whether what is below n is shown as it is because of n itself.
func (v *view) asItIs(n *Node) bool {
	if n.IsThread() {
		return len(v.opened) > 0 && v.threadOpened(int64(v.threads.index(n.thread)))
	}
	if v.match(n) {
		return true
	}
	at := n.e.Load().At
	o := v.openedAt(n.parent, at, 1)
	return o != nil && o.from <= at
}

// free reports whether everything below a node is shown as it is: it, or a node around it, is a
// place, or the user has opened what is left out. The answer is kept in the node once it is final.
func (v *view) free(n *Node) bool {
	if v == nil {
		return true
	}
	known := func(n *Node) bool { return n.asked == v.stamp }
	// Up to a node for which it is known, then down again: nesting can be deep.
	depth, top := 0, n
	for top != nil && !known(top) {
		top = top.parent
		depth++
	}
	is := top != nil && top.free
	if depth == 0 || is && depth == 1 {
		return is
	}
	path := make([]*Node, 0, min(depth, 64))
	for up := n; up != top; up = up.parent {
		path = append(path, up)
	}
	final := true
	upto := v.places.Known(n.thread)
	for i := len(path) - 1; i >= 0; i-- {
		up := path[i]
		is = is || v.asItIs(up)
		if final = final && (is || up.IsThread() || up.e.Load().At < upto); final {
			up.asked, up.free = v.stamp, is
		}
	}
	return is
}

// within reports whether what is below a node is shown only in part.
func (v *view) within(n *Node) bool { return v != nil && !v.free(n) }

// shows reports whether a node is shown, if everything around it is expanded.
func (v *view) shows(n *Node) bool {
	return v == nil || v.free(n) || v.holds(n)
}

// mark notes that the user has collapsed or expanded a node.
func (v *view) mark(n *Node, sign int) {
	f := &v.folds
	if f.nodes == nil {
		f.nodes = make(map[Position]int)
	}
	f.keys++
	f.nodes[placeOf(n)] = sign * f.keys
}

// fold collapses a node around places.
func (v *view) fold(n *Node) { v.mark(n, 1) }

// unfold expands a node, if it is one around places.
func (v *view) unfold(n *Node) {
	if v.within(n) && v.folded(n) {
		v.mark(n, -1)
	}
}

// foldAll collapses a node and everything in it.
func (v *view) foldAll(n *Node) {
	if !v.within(n) {
		return
	}
	v.fold(n)
	e := n.e.Load()
	v.folds.run(foldedRun{thread: n.thread, from: e.Start, to: e.End})
}

// foldEverything collapses all threads and everything in them.
func (v *view) foldEverything() {
	if v != nil {
		v.folds.run(foldedRun{all: true})
	}
}

// folded reports whether a node around places is collapsed.
func (v *view) folded(n *Node) bool {
	f := &v.folds
	if f.keys == 0 {
		return false
	}
	p := placeOf(n)
	last := f.nodes[p]
	is := last > 0
	last = max(last, -last)
	for _, r := range f.runs {
		if r.key > last && (r.all || r.thread == p.Thread && r.from <= p.At && p.At < r.to) {
			last, is = r.key, true
		}
	}
	return is
}

// maxCounts bounds the numbers of children that are kept.
const maxCounts = 4096

func keyOf(n *Node, from, to int64) leftKey { return leftKey{n.thread, from, to} }

// sortedAs returns the stamp of a sorting of n that fits the view.
func (v *view) sortedAs(n *Node) uint32 {
	if v.within(n) {
		return v.stamp
	}
	return 0
}

// only returns a function for any goroutine that reports whether a child of n is shown; nil if all are.
func (v *view) only(n *Node) func(c *walk.NodeData) bool {
	if !v.within(n) {
		return nil
	}
	own := &view{wanted: wanted{places: v.places}, threads: v.threads, opened: slices.Clone(v.opened)}
	if list := v.too[n.thread]; len(list) > 0 {
		own.too = map[int32][]int64{n.thread: slices.Clone(list)}
	}
	return func(c *walk.NodeData) bool {
		if _, ok := own.first(n.thread, c.At, c.Next); ok {
			return true
		}
		o := own.openedAt(n, c.At, 1)
		return o != nil && o.from <= c.At
	}
}

// onlyIn is view.only.
func (ld *loader) onlyIn(n *Node) func(c *walk.NodeData) bool {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	return ld.view.only(n)
}
