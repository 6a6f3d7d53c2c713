package lazy

// Row is a line of the outline: a node whose ancestors are all expanded, or a gap in an
// expanded node, which may be sorted: see Tree.Sort. In a tree that shows only some places, see
// Shown.Only, a row can also stand for what is left out. A Row is a value; it remains
// meaningful when the tree changes, see Resolve.
type Row struct {
	Node   *Node // nil for a gap, and for what is left out
	Parent *Node // of the node or of the gap; nil for a thread
	Depth  int
	From   int64 // logical: the offset of the node, or the start of the gap
	To     int64 // of a gap, or of what is left out: its end. For threads, From and To are their indexes
	Left   Left

	// For a gap in a sorted node, whose From and To are equal: the ranks of its
	// children are in (lo, hi]; count is their number, -1 if not known.
	lo, hi rank
	count  int64
}

// Gap reports whether the row represents children that are not in memory.
func (r Row) Gap() bool { return r.Node == nil && r.Parent != nil && r.Left == 0 }

// Fraction returns where the row begins in its thread's stream: see [Node.Fraction]. It is 0 for threads that are left out.
func (r Row) Fraction() float64 {
	switch {
	case r.Node != nil:
		return r.Node.Fraction()
	case r.Parent != nil:
		return fraction(r.Parent, r.From)
	}
	return 0
}

func rowOf(n *Node) Row {
	return Row{Node: n, Parent: n.parent, Depth: int(n.depth), From: n.e.Load().At}
}

// End is one of the two ends of a gap.
type End int

const (
	AtStart End = iota // the end that is first in the trace
	AtEnd              // the end that is last in the trace
)

// rowAt returns the child, or the gap, at or after a logical offset.
func (n *Node) rowAt(pos int64) (Row, bool) {
	end := n.e.Load().End
	for pos < end {
		p, i := n.covering(pos)
		if p == nil {
			to := end
			if n.kids != nil && i < len(n.kids.slabs) {
				to = n.kids.slabs[i].from
			}
			return Row{Parent: n, Depth: int(n.depth) + 1, From: pos, To: to}, true
		}
		if i := p.node(pos); i < len(p.nodes) {
			return rowOf(p.nodes[i]), true
		}
		pos = p.to
	}
	return Row{}, false
}

// rowBefore returns the child, or the gap, before a logical offset.
func (n *Node) rowBefore(pos int64) (Row, bool) {
	start := n.e.Load().Start
	for pos > start {
		p, i := n.covering(pos - 1)
		if p == nil {
			from := start
			if i > 0 {
				from = n.kids.slabs[i-1].to
			}
			return Row{Parent: n, Depth: int(n.depth) + 1, From: from, To: pos}, true
		}
		if i := p.node(pos); i > 0 {
			return rowOf(p.nodes[i-1]), true
		}
		pos = p.from
	}
	return Row{}, false
}

// Missing returns how many children a gap of a sorted node represents. known is
// false for any other row, and if they have not been counted.
func (r Row) Missing() (children int64, known bool) {
	return r.count, r.ranked() && r.count >= 0
}

// ranked reports whether the row is a gap of a sorted node, whose bounds are
// ranks.
func (r Row) ranked() bool { return r.lo != r.hi }

// sortedGap returns the row of the gap (lo, hi].
func (n *Node) sortedGap(lo, hi rank, count int64) Row {
	at := max(lo.at, n.e.Load().Start)
	return Row{Parent: n, Depth: int(n.depth) + 1, From: at, To: at, lo: lo, hi: hi, count: count}
}
