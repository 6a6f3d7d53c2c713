package lazy

import "math"

// Places are the places that a tree shows, see [Shown.Only]: trace points that the view, folded
// or raw, shows. Any goroutine may call its methods, which must be fast and must not call the tree: it
// is locked. They may grow, but only at offsets that are not known yet.
type Places interface {
	// First returns the first place of a thread at an offset in [from, to).
	First(thread int32, from, to int64) (at int64, ok bool)
	// Last returns the last one.
	Last(thread int32, from, to int64) (at int64, ok bool)
	// NextThread returns the first thread with this id or a higher one that has places.
	NextThread(id int32) (next int32, ok bool)
	// PrevThread returns the last thread with this id or a lower one that has places.
	PrevThread(id int32) (prev int32, ok bool)
	// Known returns the offset in a thread before which all places are known;
	// [math.MaxInt64] if all of the thread's are.
	Known(thread int32) int64
}

// Left tells what a row stands for that shows no node of its own.
type Left int

const (
	LeftOut  Left = 1 + iota // rows without a place
	LeftOpen                 // rows that may have one: the places are still being looked for
)

// Shown is what a tree shows of a trace, see Only.
type Shown struct{ t *Tree }

// ShownIn returns what a tree shows.
func ShownIn(t *Tree) Shown { return Shown{t} }

// Only shows only some places: with everything below them as it is, and with what is around them.
// Everything else is left out: a row stands for each run of children, or of threads, that is. With
// nil, everything is shown again, expanded as it was before.
//
//	▾ Thread 1                 around a place
//	  ▾ run()                  around a place
//	    ⋯ 1,154                left out: Row.Left
//	    ▹ execute(7)           a place: what is below it is shown as it is
//	    ⋯ 12
//
// What is around a place is expanded, unless the user collapses it. What is loaded, counted and
// measured stays the same: which rows there are is decided while walking over them, by looking up
// ranges of offsets in the places. So a step takes O(log n), whatever it leaves out, and a gap is
// loaded around its first place. Lines tells which rows are places, and which are around them.
//
// A sorted node has its children with places in that order, then a row for all others.
func (s Shown) Only(p Places) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stamp++
	var v *view
	if p != nil {
		v = newView(p, t.roots, t.stamp)
	}
	t.roots.view, t.loader.view = v, v
}

// Again shows other places instead, found later, if only some are shown. What the user has expanded and opened stays, and
// sorted nodes get the places that have been found since.
func (s Shown) Again(p Places) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.roots.view; v != nil {
		t.stamp++
		v.places, v.stamp = p, t.stamp
	}
}

// Part reports whether only some places are shown.
func (s Shown) Part() bool {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.view != nil
}

// Has reports whether a node is shown, provided that everything around it is expanded.
func (s Shown) Has(n *Node) bool {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.view.shows(n)
}

// around reports whether what is below a node is shown only in part.
func (s Shown) around(n *Node) bool {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.view.within(n)
}

// Add shows a node that is left out, as if it were a place.
func (s Shown) Add(n *Node) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.roots.view; v != nil && !v.shows(n) {
		t.stamp++
		v.stamp = t.stamp
		if n.IsThread() {
			i := int64(t.roots.index(n.thread))
			v.open(Row{From: i, To: i + 1, Left: LeftOut})
			return
		}
		v.add(n.Position())
	}
}

// Open shows what a row with Left stands for, as it is.
func (s Shown) Open(r Row) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.roots.view; v != nil && r.Left != 0 {
		t.stamp++
		v.stamp = t.stamp
		v.open(r)
	}
}

// view is what a tree shows of a trace. It is guarded by the loader's lock. A nil view shows everything.
type view struct {
	wanted
	threads *roots
	stamp   uint32            // changes with what is shown, other than by places that are found
	too     map[int32][]int64 // more places, by thread; sorted
	opened  []opened          // what the user wants to see in spite of its being left out
	folds   folds
	counts  map[leftKey]int64 // of children of what is left out
	shown   map[Position]shownCount
}

// wanted are all places that are shown.
type wanted struct {
	places Places
	too    map[int32][]int64 // more places, by thread; sorted
}

// opened is a run of children, or of threads, that is shown as it is.
type opened struct {
	thread int32
	in     int64 // offset of the node; -1 for a thread, threadRun for threads
	from   int64
	to     int64
}

// threadRun is opened.in for a run of threads: from and to are indexes.
const threadRun = -2

func newView(p Places, w *roots, stamp uint32) *view {
	return &view{wanted: wanted{p, make(map[int32][]int64)}, threads: w, stamp: stamp, counts: make(map[leftKey]int64)}
}

// add adds a place.
func (v *wanted) add(p Position) {
	list := v.too[p.Thread]
	i := firstAt(list, p.At)
	if i < len(list) && list[i] == p.At {
		return
	}
	list = append(list, 0)
	copy(list[i+1:], list[i:])
	list[i] = p.At
	v.too[p.Thread] = list
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

// first returns the first place at an offset in [from, to).
func (v *wanted) first(thread int32, from, to int64) (int64, bool) {
	at, ok := v.places.First(thread, from, to)
	if list := v.too[thread]; len(list) > 0 {
		if i := firstAt(list, from); i < len(list) && list[i] < to && (!ok || list[i] < at) {
			return list[i], true
		}
	}
	return at, ok
}

// last returns the last place at an offset in [from, to).
func (v *wanted) last(thread int32, from, to int64) (int64, bool) {
	at, ok := v.places.Last(thread, from, to)
	if list := v.too[thread]; len(list) > 0 {
		if i := firstAt(list, to); i > 0 && list[i-1] >= from && (!ok || list[i-1] > at) {
			return list[i-1], true
		}
	}
	return at, ok
}

func firstAt(list []int64, x int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// match reports whether a node is a place.
func (v *view) match(n *Node) bool {
	if n.IsThread() {
		return false
	}
	e := n.e.Load()
	_, ok := v.first(n.thread, e.at, e.at+1)
	if !ok && e.inner > 0 {
		_, ok = v.first(n.thread, e.inner, e.inner+1)
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
	_, ok := v.first(n.thread, e.start, e.end)
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
	at := n.e.Load().at
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
		if final = final && (is || up.IsThread() || up.e.Load().at < upto); final {
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
