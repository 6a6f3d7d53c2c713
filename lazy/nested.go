package lazy

// Nested returns how many calls, loops and iterations a node contains, at any depth. The index tells how many were
// recorded, without reading anything. exact is false while more may be known later, and for what did not end: then there
// may be more.
//
// A folded tree with [Inline] shows fewer. Once [CountShown] has ended, these are counted; [AtMost] tells that
// they are not yet. Other trees, and those with edits, tell what was recorded.
func (n *Node) Nested() (count int64, exact bool) { return nestedIn(n, n.loader.hiddenFor()) }

func nestedIn(n *Node, h *hidden) (count int64, exact bool) {
	e := n.e.Load()
	switch {
	case n.IsThread():
		count, exact = max(0, e.after-e.first), e.state != StatePending && n.loader.r.Status().Unfinished == 0 // open containers are not in the index
		if h != nil {
			count -= h.count(n.thread, e.first, e.after)
		}
		return count, exact
	case !e.container():
		return 0, true
	}
	return e.nestedBut(h, n.thread), e.state == StateWhole
}

// AtMost reports whether the rows in a node may be fewer than [Node.Nested] returns, as it is not known yet which are hidden.
func AtMost(n *Node) bool {
	ld := n.loader
	if !ld.folded || !ld.inline || ld.edits != nil || ld.hiddenFor() != nil {
		return false
	}
	count, _ := nestedIn(n, nil)
	return count > 0
}

// nestedBut is nested without what is hidden; nil if that is not known.
func (e *nodeData) nestedBut(h *hidden, thread int32) int64 {
	count := e.nested()
	if h != nil {
		count -= h.count(thread, e.first, e.first+count)
	}
	return count
}

// nested is Nested for a point: 0 for a leaf.
func (e *nodeData) nested() int64 {
	switch {
	case !e.container():
		return 0
	case e.state == StateWhole:
		return max(0, e.after-e.first-1) // its own cell is the last
	}
	return max(0, e.after-e.first)
}
