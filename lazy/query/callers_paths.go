package query

// callPath is the groups of the calls from one that is asked for, without itself: outward to
// callers, or inward to callees.
type callPath struct {
	groups []int32
	inner  bool         // a call within another one that is asked for: only their number counts
	part   bool         // a call that is part of the last one: only its own time and points count
	more   bool         // the path goes on, beyond what is asked for
	beyond bool         // it only tells that
	at     HistoryPoint // of the call
}

// pathCall is a call with its path.
type pathCall struct {
	path *callPath
	pathSums
}

// pathSums are the sums of a path. Total and Self are nanoseconds, Points and Own events.
type pathSums struct{ Calls, Total, Self, Points, Own int64 }

func (s *pathSums) add(o *pathSums) {
	s.Calls += o.Calls
	s.Total += o.Total
	s.Self += o.Self
	s.Points += o.Points
	s.Own += o.Own
}

// weight is what a path is kept for: its time, or its events if there is none.
func (s *pathSums) weight() int64 { return max(s.Total, s.Points) }

// mostPaths bounds how many paths are kept, and leastShare is what part of the root's weight a path
// must have to be kept when there are more.
const (
	mostPaths  = 1 << 17
	leastShare = 10_000 // 0.01 %
)

// paths is a tree of paths with their sums. It is bounded: when there are too many paths, those that
// weigh little are merged into others of their parent.
type paths struct {
	prefixes bool // a call counts for all nodes of its path
	self     bool // with its own time and events in place of all
	below    bool // nodes count only calls at the end of their paths
	most     int
	nodes    []pathNode // the root first, each after its parent
	index    map[pathKey]int32
	lost     int64 // the largest weight that a path that is not in others may lack
	merged   int64 // paths merged into others
}

type pathKey struct{ parent, group int32 }

// pathNode is a path.
type pathNode struct {
	pathKey
	pathSums
	others pathSums // of children that were merged
	more   bool     // it goes on, with calls that are not kept
	inner  int64    // calls that only count by their number
}

func newPaths(prefixes, self bool) *paths {
	return &paths{prefixes: prefixes, self: self, most: mostPaths, nodes: []pathNode{{pathKey: pathKey{-1, -1}}}, index: make(map[pathKey]int32)}
}

// add adds a call.
func (p *paths) add(c pathCall) {
	at := int32(0)
	if c.path.beyond {
		for _, g := range c.path.groups {
			at = p.child(at, g)
		}
		p.nodes[at].more = true
		return
	}
	if p.self {
		c.Total, c.Points = c.Self, c.Own
	}
	last := len(c.path.groups) - 1
	prefix := c.pathSums
	if p.below {
		prefix.Calls = 0
	}
	switch {
	case c.path.inner:
		p.nodes[0].inner++
	case last < 0:
		p.nodes[0].add(&c.pathSums)
	case p.prefixes:
		p.nodes[0].add(&prefix)
	}
	for i, g := range c.path.groups {
		at = p.child(at, g)
		if i == last {
			p.nodes[at].add(&c.pathSums)
		} else if p.prefixes {
			p.nodes[at].add(&prefix)
		}
	}
	p.nodes[at].more = p.nodes[at].more || c.path.more
	if len(p.nodes) > p.most {
		p.prune()
	}
}

// child returns the child of a node, which it makes if there is none.
func (p *paths) child(parent, group int32) int32 {
	key := pathKey{parent, group}
	at, ok := p.index[key]
	if !ok {
		at = int32(len(p.nodes))
		p.nodes = append(p.nodes, pathNode{pathKey: key})
		p.index[key] = at
	}
	return at
}

// prune merges the paths that weigh least into the others of their parents.
func (p *paths) prune() {
	least := p.nodes[0].weight() / leastShare
	for {
		p.pruneBelow(least)
		if len(p.nodes) <= p.most/2 {
			return
		}
		least = 2*least + 1
	}
}

// pruneBelow merges the paths that weigh less than least, apart from those that lead to heavier
// ones.
func (p *paths) pruneBelow(least int64) {
	keep := make([]bool, len(p.nodes))
	keep[0] = true
	for i := len(p.nodes) - 1; i > 0; i-- {
		n := &p.nodes[i]
		if keep[i] = keep[i] || n.weight() >= least; keep[i] {
			keep[n.parent] = true
			continue
		}
		up := &p.nodes[n.parent]
		up.others.add(&n.pathSums)
		p.merged++
	}
	p.lost += least
	moved := make([]int32, len(p.nodes))
	kept := p.nodes[:0]
	clear(p.index)
	for i := range p.nodes {
		if !keep[i] {
			continue
		}
		n := p.nodes[i]
		if i > 0 {
			n.parent = moved[n.parent]
			p.index[n.pathKey] = int32(len(kept))
		}
		moved[i] = int32(len(kept))
		kept = append(kept, n)
	}
	p.nodes = kept
}
