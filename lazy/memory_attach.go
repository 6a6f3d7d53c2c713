package lazy

import "tracex/lazy/internal/walk"

// attach makes nodes of the children of s, unless they are loaded already, and returns
// the nodes: nil if s is outdated now. It keeps the checkpoints of s. The loader is locked.
func (m *memory) attach(n *Node, s *childRun, now walk.Instant) []*Node {
	if s.outdated(now) {
		return nil
	}
	if n.forgotten() {
		// n was forgotten itself, so nothing leads to its children.
		return newNodes(n, nil, s.list, now.Epoch)
	}
	if n.kids == nil {
		n.kids = new(kids)
	}
	nodes := make([]*Node, 0, len(s.list))
	rest := s.list
	var added *slab
	for pos := s.from; pos < s.to; {
		if p, _ := n.covering(pos); p != nil {
			for len(rest) > 0 && rest[0].At < p.to {
				if i := p.node(rest[0].At); i < len(p.nodes) && p.nodes[i].e.Load().At == rest[0].At {
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
		for k < len(rest) && rest[k].At < p.to {
			k++
		}
		nodes = append(nodes, m.insert(p, rest[:k], now.Epoch)...)
		added = p
		rest = rest[k:]
		pos = p.to
	}
	n.kids.keep(s.passed)
	m.enforce(added)
	return nodes
}

// insert makes p a slab of its parent, with a node for each point.
func (m *memory) insert(p *slab, list []*walk.NodeData, epoch int64) []*Node {
	p.nodes = newNodes(p.parent, p, list, epoch)
	m.add(p)
	return p.nodes
}

// newNodes makes nodes for children of n, in p, which may be nil.
func newNodes(n *Node, p *slab, list []*walk.NodeData, epoch int64) []*Node {
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
