package lazy

// Nested returns how many calls, loops and iterations a node contains, at any depth, as they were
// recorded, whatever the view shows. The index tells that without reading anything. exact is false
// while more may be known later, and for what did not end: then there may be more.
func (n *Node) Nested() (count int64, exact bool) {
	e := n.e.Load()
	count = max(0, e.after-e.first)
	switch {
	case n.IsThread():
		return count, e.state != StatePending && n.loader.r.Status().Unfinished == 0 // open containers are not in the index
	case !e.container():
		return 0, true
	case e.state == StateWhole:
		return max(0, count-1), true // its own cell is the last
	}
	return count, false
}
