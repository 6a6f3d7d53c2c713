package lazy

// Nested returns how many calls, loops and iterations a node contains, at any depth, as they were
// recorded, whatever the view shows. The index tells that without reading anything. exact is false
// while more may be known later, and for what did not end: then there may be more.
func (n *Node) Nested() (count int64, exact bool) {
	e := n.e.Load()
	switch {
	case n.IsThread():
		return max(0, e.after-e.first), e.state != StatePending && n.loader.r.Status().Unfinished == 0 // open containers are not in the index
	case !e.container():
		return 0, true
	}
	return e.nested(), e.state == StateWhole
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
