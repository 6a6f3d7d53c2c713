package lazy

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
