package lazy

import "sort"

// page is a run of neighbouring children of a node that are in memory. All its
// fields are guarded by the tree's lock.
type page struct {
	parent         *Node
	from, to       int64 // logical: what of the parent's content it covers
	fromOrd, toOrd int64 // ordinals of the first cells that end at or behind from and to
	nodes          []*Node
	bytes          int64
	tick           uint64 // when it was used last
	round          uint64 // when it was left last
	newer, older   *page  // in the tree's list
}

// pageList is a ring of pages, the last used first.
type pageList struct{ head page }

func (l *pageList) init() { l.head.newer, l.head.older = &l.head, &l.head }

func (l *pageList) remove(p *page) {
	p.newer.older, p.older.newer = p.older, p.newer
	p.newer, p.older = nil, nil
}

func (l *pageList) pushFront(p *page) {
	p.newer, p.older = &l.head, l.head.older
	p.newer.older, p.older.newer = p, p
}

// oldest returns the page that was not used for longest; nil when there is
// none.
func (l *pageList) oldest() *page {
	if p := l.head.newer; p != &l.head {
		return p
	}
	return nil
}

// covering returns the page of n that covers a logical offset, or nil and the
// index where such a page would be.
func (n *Node) covering(pos int64) (*page, int) {
	if n.kids == nil {
		return nil, 0
	}
	pages := n.kids.pages
	i := sort.Search(len(pages), func(i int) bool { return pages[i].to > pos })
	if i < len(pages) && pages[i].from <= pos {
		return pages[i], i
	}
	return nil, i
}

// gap returns what around a logical offset is not loaded, and the ordinal that
// belongs to its start.
func (n *Node) gap(pos int64) (from, to, ord int64, ok bool) {
	e := n.e.Load()
	from, to, ord = e.start, e.end, e.first
	p, i := n.covering(pos)
	if p != nil || pos < from || pos >= to {
		return 0, 0, 0, false
	}
	if n.kids != nil {
		if i > 0 {
			from, ord = n.kids.pages[i-1].to, n.kids.pages[i-1].toOrd
		}
		if i < len(n.kids.pages) {
			to = n.kids.pages[i].from
		}
	}
	return from, to, ord, true
}

// node returns the index of the first node of p that stands at or behind pos.
func (p *page) node(pos int64) int {
	return sort.Search(len(p.nodes), func(i int) bool { return p.nodes[i].e.Load().at >= pos })
}

// stretch is a run of children as they were read, for attach.
type stretch struct {
	from, to       int64
	fromOrd, toOrd int64
	entries        []*entry // those that are shown
	read           moment   // what they were read from
	passed         []mark   // on the way to them
}

// outdated cuts off what is not true any more since the tree has grown: a last
// child whose end was not known. It reports whether nothing is left, and
// whether nothing of it was ever true.
func (s *stretch) outdated(now moment) bool {
	switch {
	case s.read.epoch != now.epoch:
		return true
	case s.read.view == now.view:
		return false
	}
	if i := len(s.entries) - 1; i >= 0 && s.entries[i].state == StatePending {
		last := s.entries[i]
		s.entries, s.to, s.toOrd = s.entries[:i], last.at, last.first
	}
	return false
}

// attach puts what was read into the tree, where it is not there yet, and
// returns the node of each entry. The tree is locked.
func (t *Tree) attach(n *Node, s *stretch) []*Node {
	if s.outdated(t.now) {
		return nil
	}
	if n.gone() {
		// Forgotten itself, with all that could lead to its children.
		return t.newNodes(n, nil, s.entries)
	}
	if n.kids == nil {
		n.kids = new(kids)
	}
	nodes := make([]*Node, 0, len(s.entries))
	rest := s.entries
	var added *page
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
		p := &page{parent: n, from: pos, to: min(to, s.to), fromOrd: s.fromOrd, toOrd: s.toOrd}
		if pos > s.from {
			p.fromOrd = n.pageBefore(pos).toOrd
		}
		if to < s.to {
			_, i := n.covering(pos)
			if i == len(n.kids.pages) {
				break // read from another trace than n: only damaged ones do that
			}
			p.toOrd = n.kids.pages[i].fromOrd
		}
		k := 0
		for k < len(rest) && rest[k].at < p.to {
			k++
		}
		nodes = append(nodes, t.insert(p, rest[:k])...)
		added = p
		rest = rest[k:]
		pos = p.to
	}
	t.enforce(added)
	return nodes
}

// pageBefore returns the page that ends at pos.
func (n *Node) pageBefore(pos int64) *page {
	_, i := n.covering(pos)
	return n.kids.pages[i-1]
}

// insert makes p a page of its parent, with a node for each entry.
func (t *Tree) insert(p *page, entries []*entry) []*Node {
	n := p.parent
	p.nodes = t.newNodes(n, p, entries)
	p.bytes = 160
	for _, e := range entries {
		p.bytes += weigh(e)
	}
	_, i := n.covering(p.from)
	n.kids.pages = append(n.kids.pages, nil)
	copy(n.kids.pages[i+1:], n.kids.pages[i:])
	n.kids.pages[i] = p
	t.loaded += int64(len(entries))
	t.bytes += p.bytes
	t.recent.pushFront(p)
	return p.nodes
}

// newNodes makes the nodes of a page; nil: of none.
func (t *Tree) newNodes(n *Node, p *page, entries []*entry) []*Node {
	nodes := make([]*Node, len(entries))
	for i, e := range entries {
		c := &Node{tree: t, parent: n, thread: n.thread, depth: n.depth + 1, epoch: int32(t.now.epoch), page: p, slot: int32(i)}
		c.e.Store(e)
		nodes[i] = c
	}
	return nodes
}

// drop forgets a page and all below it.
func (t *Tree) drop(p *page) {
	n := p.parent
	for _, c := range p.nodes {
		t.forget(c)
		c.page = nil
	}
	if _, i := n.covering(p.from); i < len(n.kids.pages) && n.kids.pages[i] == p {
		n.kids.pages = append(n.kids.pages[:i], n.kids.pages[i+1:]...)
	}
	t.recent.remove(p)
	t.loaded -= int64(len(p.nodes))
	t.forgotten += int64(len(p.nodes))
	t.bytes -= p.bytes
}

// cut forgets the nodes of p from slot i on.
func (t *Tree) cut(p *page, i int) {
	if i == 0 {
		t.drop(p)
		return
	}
	prev := p.nodes[i-1].e.Load()
	p.to, p.toOrd = prev.next, prev.after
	for _, c := range p.nodes[i:] {
		t.release(p, c)
	}
	clear(p.nodes[i:])
	p.nodes = p.nodes[:i]
}

// skip forgets the nodes of p before slot i, which must leave one.
func (t *Tree) skip(p *page, i int) {
	if i == 0 {
		return
	}
	prev := p.nodes[i-1].e.Load()
	p.from, p.fromOrd = prev.next, prev.after
	for _, c := range p.nodes[:i] {
		t.release(p, c)
	}
	p.nodes = append([]*Node(nil), p.nodes[i:]...)
	for slot, c := range p.nodes {
		c.slot = int32(slot)
	}
}

// release forgets one node of p, without taking it out of p.nodes.
func (t *Tree) release(p *page, c *Node) {
	t.forget(c)
	c.page = nil
	size := weigh(c.e.Load())
	p.bytes -= size
	t.bytes -= size
	t.loaded--
	t.forgotten++
}

// forget forgets all below n and collapses it. It returns how many nodes that
// were. It does not recurse: nesting can be deep.
func (t *Tree) forget(n *Node) int {
	if n.kids == nil {
		return 0
	}
	count := 0
	todo := []*Node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n.kids.expanded = false
		for _, p := range n.kids.pages {
			for _, c := range p.nodes {
				if c.kids != nil {
					todo = append(todo, c)
				}
				c.page = nil
			}
			count += len(p.nodes)
			t.recent.remove(p)
			t.bytes -= p.bytes
		}
		n.kids.pages = nil
		t.dropRanges(n)
	}
	t.loaded -= int64(count)
	t.forgotten += int64(count)
	return count
}

// Forget forgets all below n, collapses it, and returns how many nodes that were.
// They can be loaded again.
func (t *Tree) Forget(n *Node) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.forget(n)
}

// ForgetNode forgets one trace point with all below it: it becomes a gap. It
// returns how many nodes that were.
func (t *Tree) ForgetNode(c *Node) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := c.page
	if p == nil {
		return 0
	}
	count := t.forget(c) + 1
	tail := p.nodes[c.slot+1:]
	if len(tail) > 0 {
		t.split(p, int(c.slot)+1)
	}
	t.cut(p, int(c.slot))
	return count
}

// split makes a page of its own of the nodes from slot i on.
func (t *Tree) split(p *page, i int) {
	prev := p.nodes[i-1].e.Load()
	q := &page{parent: p.parent, from: prev.next, to: p.to, fromOrd: prev.after, toOrd: p.toOrd, tick: p.tick,
		nodes: append([]*Node(nil), p.nodes[i:]...)}
	for slot, c := range q.nodes {
		c.page, c.slot = q, int32(slot)
		q.bytes += weigh(c.e.Load())
	}
	p.bytes -= q.bytes
	p.to, p.toOrd = q.from, q.fromOrd
	clear(p.nodes[i:])
	p.nodes = p.nodes[:i]
	pages := &p.parent.kids.pages
	_, at := p.parent.covering(q.from)
	*pages = append(*pages, nil)
	copy((*pages)[at+1:], (*pages)[at:])
	(*pages)[at] = q
	t.recent.pushFront(q)
}

// touch marks a node as used, with all around it.
func (t *Tree) touch(n *Node) {
	for ; n != nil && n.seen != t.tick; n = n.parent {
		n.seen = t.tick
		if p := n.page; p != nil && p.tick != t.tick {
			p.tick = t.tick
			t.recent.remove(p)
			t.recent.pushFront(p)
		}
	}
}

// enforce forgets what was not used for longest until the nodes fit into the
// budget. What is on the screen, the page that was just added, and the path to
// them stay.
func (t *Tree) enforce(added *page) {
	budget := t.r.opts.Memory
	// Where the last look left too much, as with a path that is deeper than
	// the budget, look again when that has grown: a look takes its time.
	if t.bytes <= budget || t.bytes < t.stuck+t.stuck/8 {
		return
	}
	t.round++
	for p := added; p != nil; p = p.parent.page {
		t.stay(p)
	}
	for t.bytes > budget {
		p := t.recent.oldest()
		if p == nil || p.round == t.round {
			break // all that are left stay
		}
		if p.tick == t.tick {
			t.stay(p)
		} else {
			t.drop(p)
		}
	}
	for p := t.recent.oldest(); t.bytes > budget && p != nil && p != &t.recent.head; {
		next := p.newer
		if p != added {
			t.trim(p)
		}
		p = next
	}
	t.stuck = 0
	if t.bytes > budget {
		t.stuck = t.bytes
	}
}

// stay lets a page be, in this look for what can go.
func (t *Tree) stay(p *page) {
	p.round = t.round
	t.recent.remove(p)
	t.recent.pushFront(p)
}

// trim forgets the nodes of a page that are neither on the screen nor on the
// path to it, at both of its ends.
func (t *Tree) trim(p *page) {
	lo, hi := 0, len(p.nodes)
	for lo < hi && p.nodes[lo].seen != t.tick {
		lo++
	}
	if lo == hi {
		return
	}
	for p.nodes[hi-1].seen != t.tick {
		hi--
	}
	if hi < len(p.nodes) {
		t.cut(p, hi)
	}
	t.skip(p, lo)
}
