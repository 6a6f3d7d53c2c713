package lazy

import "sort"

// slab is a slab: a run of neighboring children of a node that are in memory. All its
// fields are guarded by the loader's lock.
type slab struct {
	parent         *Node
	from, to       int64 // logical: the range of the parent's content that it covers
	fromOrd, toOrd int64 // ordinals of the first cells that end at or after from and to
	nodes          []*Node
	bytes          int64
	tick           uint64 // when it was last used
	round          uint64 // when it was last left
	newer, older   *slab  // in the list of memory
}

// covering returns the slab of n that covers a logical offset, or nil and the
// index where such a slab would be.
func (n *Node) covering(pos int64) (*slab, int) {
	if n.kids == nil {
		return nil, 0
	}
	slabs := n.kids.slabs
	i := sort.Search(len(slabs), func(i int) bool { return slabs[i].to > pos })
	if i < len(slabs) && slabs[i].from <= pos {
		return slabs[i], i
	}
	return nil, i
}

// gap returns the range around a logical offset that is not loaded, and the ordinal
// at its start.
func (n *Node) gap(pos int64) (from, to, ord int64, ok bool) {
	e := n.e.Load()
	from, to, ord = e.start, e.end, e.first
	p, i := n.covering(pos)
	if p != nil || pos < from || pos >= to {
		return 0, 0, 0, false
	}
	if n.kids != nil {
		if i > 0 {
			from, ord = n.kids.slabs[i-1].to, n.kids.slabs[i-1].toOrd
		}
		if i < len(n.kids.slabs) {
			to = n.kids.slabs[i].from
		}
	}
	return from, to, ord, true
}

// node returns the index of the first node of p at or after pos.
func (p *slab) node(pos int64) int {
	return sort.Search(len(p.nodes), func(i int) bool { return p.nodes[i].e.Load().at >= pos })
}

// childRun is a run of children that have been read, for attach.
type childRun struct {
	from, to       int64
	fromOrd, toOrd int64
	list           []*nodeData  // those that are shown
	read           moment       // the view they were read from
	passed         []checkpoint // checkpoints found on the way
}

// outdated cuts off a last child whose end was not known if the tree has grown since:
// it is no longer true. It reports whether all of s is outdated.
func (s *childRun) outdated(now moment) bool {
	switch {
	case s.read.epoch != now.epoch:
		return true
	case s.read.view == now.view:
		return false
	}
	if i := len(s.list) - 1; i >= 0 && s.list[i].state == StatePending {
		last := s.list[i]
		s.list, s.to, s.toOrd = s.list[:i], last.at, last.first
	}
	return false
}

// attach makes nodes of the children of s, unless they are loaded already, and returns
// the nodes: nil if s is outdated now. It keeps the checkpoints of s. The loader is locked.
func (m *memory) attach(n *Node, s *childRun, now moment) []*Node {
	if s.outdated(now) {
		return nil
	}
	if n.forgotten() {
		// n was forgotten itself, so nothing leads to its children.
		return newNodes(n, nil, s.list, now.epoch)
	}
	if n.kids == nil {
		n.kids = new(kids)
	}
	nodes := make([]*Node, 0, len(s.list))
	rest := s.list
	var added *slab
	for pos := s.from; pos < s.to; {
		if p, _ := n.covering(pos); p != nil {
			for len(rest) > 0 && rest[0].at < p.to {
				if i := p.node(rest[0].at); i < len(p.nodes) && p.nodes[i].e.Load().at == rest[0].at {
					nodes = append(nodes, p.nodes[i])
				}
				rest = rest[1:]
			}
			pos = p.to
			continue
		}
		_, to, _, ok := n.gap(pos)
		if !ok {
			break
		}
		p := &slab{parent: n, from: pos, to: min(to, s.to), fromOrd: s.fromOrd, toOrd: s.toOrd}
		if pos > s.from {
			p.fromOrd = n.slabBefore(pos).toOrd
		}
		if to < s.to {
			_, i := n.covering(pos)
			if i == len(n.kids.slabs) {
				break // read from another trace than n: only damaged ones do that
			}
			p.toOrd = n.kids.slabs[i].fromOrd
		}
		k := 0
		for k < len(rest) && rest[k].at < p.to {
			k++
		}
		nodes = append(nodes, m.insert(p, rest[:k], now.epoch)...)
		added = p
		rest = rest[k:]
		pos = p.to
	}
	n.kids.keep(s.passed)
	m.enforce(added)
	return nodes
}

// slabBefore returns the slab that ends at pos.
func (n *Node) slabBefore(pos int64) *slab {
	_, i := n.covering(pos)
	return n.kids.slabs[i-1]
}

// insert makes p a slab of its parent, with a node for each point.
func (m *memory) insert(p *slab, list []*nodeData, epoch int64) []*Node {
	p.nodes = newNodes(p.parent, p, list, epoch)
	m.add(p)
	return p.nodes
}

// newNodes makes nodes for children of n, in p, which may be nil.
func newNodes(n *Node, p *slab, list []*nodeData, epoch int64) []*Node {
	nodes := make([]*Node, len(list))
	for i, e := range list {
		c := &Node{loader: n.loader, parent: n, thread: n.thread, depth: n.depth + 1, epoch: int32(epoch), slab: p, slot: int32(i)}
		c.e.Store(e)
		nodes[i] = c
	}
	return nodes
}

// Forget removes everything below n from memory, collapses n, and returns the number of
// nodes forgotten. They can be loaded again.
func (ld *loader) Forget(n *Node) int {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	return ld.memory.forget(n)
}

// ForgetNode forgets a trace point with everything below it: it becomes part of a gap.
// It returns the number of nodes forgotten.
func (ld *loader) ForgetNode(c *Node) int {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	p := c.slab
	if p == nil {
		return 0
	}
	count := ld.memory.forget(c) + 1
	tail := p.nodes[c.slot+1:]
	if len(tail) > 0 {
		ld.memory.split(p, int(c.slot)+1)
	}
	ld.memory.forgetFrom(p, int(c.slot))
	return count
}
