package lazy

import (
	"slices"
	"unsafe"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// DefaultMemory is the usual budget for loaded nodes, in bytes.
const DefaultMemory = 256 << 20

func (m *memory) init(budget int64) {
	m.budget, m.tick = budget, 1
	m.recent.init()
}

func (m *memory) stats() Stats {
	return Stats{Loaded: m.loaded, Forgotten: m.forgotten, Bytes: m.bytes, Budget: m.budget}
}

// add adds a slab, with its nodes, to its parent.
func (m *memory) add(p *slab) {
	n := p.parent
	p.bytes = 160
	for _, c := range p.nodes {
		p.bytes += weigh(c.e.Load())
	}
	_, i := n.covering(p.from)
	n.kids.slabs = append(n.kids.slabs, nil)
	copy(n.kids.slabs[i+1:], n.kids.slabs[i:])
	n.kids.slabs[i] = p
	m.loaded += int64(len(p.nodes))
	m.bytes += p.bytes
	m.recent.pushFront(p)
}

// heavier records that a node of a slab takes more memory than before.
func (m *memory) heavier(p *slab, by int64) {
	p.bytes += by
	m.bytes += by
}

// touch marks a node and its ancestors as used.
func (m *memory) touch(n *Node) {
	for ; n != nil && n.seen != m.tick; n = n.parent {
		n.seen = m.tick
		if p := n.slab; p != nil && p.tick != m.tick {
			p.tick = m.tick
			m.recent.remove(p)
			m.recent.pushFront(p)
		}
	}
}

// enforce forgets the least recently used nodes until the rest fit into the
// budget. It keeps the rows on the screen, the slab that was just added, and the
// path to them.
func (m *memory) enforce(added *slab) {
	// If the last look left too much, as with a path that is deeper than the budget
	// allows, look again only when the memory has grown: a look takes time.
	if m.bytes <= m.budget || m.bytes < m.stuck+m.stuck/8 {
		return
	}
	m.round++
	for p := added; p != nil; p = p.parent.slab {
		m.stay(p)
	}
	for m.bytes > m.budget {
		p := m.recent.oldest()
		if p == nil || p.round == m.round {
			break // all remaining ones stay
		}
		if p.tick == m.tick {
			m.stay(p)
		} else {
			m.forgetSlab(p)
		}
	}
	for p := m.recent.oldest(); m.bytes > m.budget && p != nil && p != &m.recent.head; {
		next := p.newer
		if p != added {
			m.forgetEnds(p)
		}
		p = next
	}
	m.stuck = 0
	if m.bytes > m.budget {
		m.stuck = m.bytes
	}
}

// forgetCollapsed forgets what is below collapsed nodes, first what was used least recently, until no more than
// some bytes are left. open reports whether a node is expanded.
func (m *memory) forgetCollapsed(to int64, open func(*Node) bool) {
	outermost := make(map[*Node]*Node) // of nodes: the collapsed one farthest up, or nil
	var path []*Node
	var list []*Node
	listed := make(map[*Node]struct{})
	for p := m.recent.oldest(); p != nil && p != &m.recent.head; p = p.newer {
		path = path[:0]
		var top *Node
		for n := p.parent; n != nil; n = n.parent {
			known, ok := outermost[n]
			if ok {
				top = known
				break
			}
			path = append(path, n)
		}
		for i := len(path) - 1; i >= 0; i-- {
			if top == nil && !open(path[i]) {
				top = path[i]
			}
			outermost[path[i]] = top
		}
		if _, ok := listed[top]; top != nil && !ok {
			listed[top] = struct{}{}
			list = append(list, top)
		}
	}
	for _, n := range list {
		if m.bytes <= to {
			return
		}
		m.forget(n)
	}
}

// stay keeps a slab during this call of enforce.
func (m *memory) stay(p *slab) {
	p.round = m.round
	m.recent.remove(p)
	m.recent.pushFront(p)
}

// forgetEnds forgets the nodes at both ends of a slab that are neither on the screen nor on
// the path to it.
func (m *memory) forgetEnds(p *slab) {
	lo, hi := 0, len(p.nodes)
	for lo < hi && p.nodes[lo].seen != m.tick {
		lo++
	}
	if lo == hi {
		return
	}
	for p.nodes[hi-1].seen != m.tick {
		hi--
	}
	if hi < len(p.nodes) {
		m.forgetFrom(p, hi)
	}
	m.forgetBefore(p, lo)
}

// forget removes everything below n from memory and collapses n. It returns the number of nodes
// forgotten. It does not recurse: nesting can be deep.
func (m *memory) forget(n *Node) int {
	if n.kids == nil {
		return 0
	}
	count := 0
	todo := []*Node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n.kids.expanded = false
		for _, p := range n.kids.slabs {
			for _, c := range p.nodes {
				if c.kids != nil {
					todo = append(todo, c)
				}
				c.slab = nil
			}
			count += len(p.nodes)
			m.recent.remove(p)
			m.bytes -= p.bytes
		}
		n.kids.slabs = nil
		m.dropRanges(n)
	}
	m.loaded -= int64(count)
	m.forgotten += int64(count)
	return count
}

// forgetSlab forgets a slab and everything below it.
func (m *memory) forgetSlab(p *slab) {
	n := p.parent
	for _, c := range p.nodes {
		m.forget(c)
		c.slab = nil
	}
	if _, i := n.covering(p.from); i < len(n.kids.slabs) && n.kids.slabs[i] == p {
		n.kids.slabs = append(n.kids.slabs[:i], n.kids.slabs[i+1:]...)
	}
	m.recent.remove(p)
	m.loaded -= int64(len(p.nodes))
	m.forgotten += int64(len(p.nodes))
	m.bytes -= p.bytes
}

// forgetFrom forgets the nodes of p from slot i on.
func (m *memory) forgetFrom(p *slab, i int) {
	if i == 0 {
		m.forgetSlab(p)
		return
	}
	prev := p.nodes[i-1].e.Load()
	p.to, p.toOrd = prev.Next, prev.After
	for _, c := range p.nodes[i:] {
		m.forgetNode(p, c)
	}
	clear(p.nodes[i:])
	p.nodes = p.nodes[:i]
}

// forgetBefore forgets the nodes of p before slot i, at which a node must remain.
func (m *memory) forgetBefore(p *slab, i int) {
	if i == 0 {
		return
	}
	prev := p.nodes[i-1].e.Load()
	p.from, p.fromOrd = prev.Next, prev.After
	for _, c := range p.nodes[:i] {
		m.forgetNode(p, c)
	}
	p.nodes = append([]*Node(nil), p.nodes[i:]...)
	for slot, c := range p.nodes {
		c.slot = int32(slot)
	}
}

// forgetNode forgets one node of p, without removing it from p.nodes.
func (m *memory) forgetNode(p *slab, c *Node) {
	m.forget(c)
	c.slab = nil
	size := weigh(c.e.Load())
	p.bytes -= size
	m.bytes -= size
	m.loaded--
	m.forgotten++
}

// split moves the nodes from slot i on to a slab of their own.
func (m *memory) split(p *slab, i int) {
	prev := p.nodes[i-1].e.Load()
	q := &slab{parent: p.parent, from: prev.Next, to: p.to, fromOrd: prev.After, toOrd: p.toOrd, tick: p.tick,
		nodes: append([]*Node(nil), p.nodes[i:]...)}
	for slot, c := range q.nodes {
		c.slab, c.slot = q, int32(slot)
		q.bytes += weigh(c.e.Load())
	}
	p.bytes -= q.bytes
	p.to, p.toOrd = q.from, q.fromOrd
	clear(p.nodes[i:])
	p.nodes = p.nodes[:i]
	slabs := &p.parent.kids.slabs
	_, at := p.parent.covering(q.from)
	*slabs = append(*slabs, nil)
	copy((*slabs)[at+1:], (*slabs)[at:])
	(*slabs)[at] = q
	m.recent.pushFront(q)
}

func (l *slabList) init() { l.head.newer, l.head.older = &l.head, &l.head }

func (l *slabList) remove(p *slab) {
	p.newer.older, p.older.newer = p.older, p.newer
	p.newer, p.older = nil, nil
}

func (l *slabList) pushFront(p *slab) {
	p.newer, p.older = &l.head, l.head.older
	p.newer.older, p.older.newer = p, p
}

// oldest returns the least recently used slab; nil if there is none.
func (l *slabList) oldest() *slab {
	if p := l.head.newer; p != &l.head {
		return p
	}
	return nil
}

// Stats counts what a Tree holds.
type Stats struct {
	Loaded    int64 // nodes in memory
	Forgotten int64 // nodes that were in memory and no longer are, in total
	Bytes     int64 // estimated size of the nodes
	Budget    int64
}

// dropRanges forgets the known ranges of the order of n's children, which remain
// sorted.
func (m *memory) dropRanges(n *Node) {
	s := n.kids.sorted
	if s == nil || len(s.ranges) == 0 {
		return
	}
	for len(s.ranges) > 0 {
		m.dropRange(s, 0)
	}
}

// dropRange forgets a range.
func (m *memory) dropRange(s *sorting, i int) {
	o := s.ranges[i]
	gone := int64(-1)
	if s.between[i] >= 0 && s.between[i+1] >= 0 {
		gone = s.between[i] + s.between[i+1] + int64(len(o.list))
	}
	m.bytes -= o.bytes()
	s.ranges = slices.Delete(s.ranges, i, i+1)
	s.between = slices.Delete(s.between, i, i+1)
	s.between[i] = gone
}

// maxInRange returns the maximum number of children in a range of a sorted node, for a
// loader with a budget.
func maxInRange(budget int64) int {
	return int(min(rangeChildren, max(slabNodes, budget/(64*rangeSize))))
}

// weigh estimates the memory that a trace point takes, in bytes.
func weigh(e *walk.NodeData) int64 {
	n := nodeSize + int64(cap(e.Point.Subtree)) + weighValues(e.Point.Args) +
		weighValue(&e.Point.Target) + weighValue(&e.Point.Value) + weighValue(&e.Foot.Result) + int64(len(e.Foot.Exception))
	if e.In != nil {
		n += spliceSize // neighbors often share one, but each can have its own
	}
	if s := e.Point.Snapshot; s != nil {
		n += 128 + 4*int64(len(s.Stack)) + weighValues(s.Locals) + weighValues(s.Watches)
	}
	return n
}

func weighValues(list []format.Value) int64 {
	n := int64(cap(list)-len(list)) * int64(unsafe.Sizeof(format.Value{}))
	for i := range list {
		n += int64(unsafe.Sizeof(format.Value{})) + weighValue(&list[i])
	}
	return n
}

// weighValue estimates the memory that a value refers to, in bytes.
func weighValue(v *format.Value) int64 {
	n := int64(len(v.Text))
	if in := v.Captured; in != nil {
		n += int64(unsafe.Sizeof(*in)) + weighValues(in.Elements)
		if in.Message != nil {
			n += int64(unsafe.Sizeof("")) + int64(len(*in.Message))
		}
		for _, frame := range in.Frames {
			n += int64(unsafe.Sizeof(frame)) + int64(len(frame))
		}
		for i := range in.Fields {
			n += int64(unsafe.Sizeof(in.Fields[i])) + int64(len(in.Fields[i].Name)) + weighValue(&in.Fields[i].Value)
		}
	}
	return n
}

// nodeSize is the memory that a node takes, excluding its values.
const nodeSize = int64(unsafe.Sizeof(Node{}) + unsafe.Sizeof(walk.NodeData{}) + 16)

// spliceSize is the memory that a container without a row takes while what is in it has rows.
const spliceSize = int64(unsafe.Sizeof(walk.Splice{}))
