package lazy

import (
	"context"

	"tracex/lazy/internal/trace"
)

// ExpandMore expands one more level below n: of the levels on which something is collapsed the uppermost. Otherwise
// it is like [Tree.ExpandAll].
func ExpandMore(ctx context.Context, t *Tree, n *Node, limit int, progress func(rows int)) (rows int, complete bool, err error) {
	return t.ExpandAll(ctx, n, openLevels(t, n)+1, limit, progress)
}

// openLevels returns how many levels below n, as far as they are loaded, have nothing collapsed.
func openLevels(t *Tree, n *Node) (levels int) {
	for level := []*Node{n}; len(level) > 0; levels++ {
		var next []*Node
		for _, c := range level {
			if !c.e.Load().HasContent() {
				continue
			}
			if !t.IsExpanded(c) {
				return levels
			}
			for r, ok := t.FirstChild(c); ok; r, ok = t.NextSibling(r) {
				if r.Node != nil {
					next = append(next, r.Node)
				}
			}
		}
		level = next
	}
	return levels
}

// room reports whether more nodes may be loaded. If memory is short it first forgets what is below collapsed nodes.
func (t *Tree) room() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.memory.budget * 9 / 10
	if t.memory.bytes > most {
		t.memory.forgetCollapsed(t.memory.budget/2, t.roots.open)
	}
	return t.memory.bytes <= most
}

// ExpandAll expands n and its descendants, depth levels (0 for all), loading them as it
// proceeds. It stops when it has come by limit rows, or when the nodes would not fit into the
// budget, though all below collapsed nodes is forgotten; complete reports whether everything is
// expanded. rows is how many rows there are that were in a collapsed node before. It checks the
// limit after each slab of children, so it may expand up to 127 more rows. progress, which may be
// nil, gets the rows that it has come by.
func (t *Tree) ExpandAll(ctx context.Context, n *Node, depth, limit int, progress func(rows int)) (rows int, complete bool, err error) {
	type task struct {
		n     *Node
		depth int
	}
	todo, seen := []task{{n, 1}}, 0
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		closed := !t.IsExpanded(at.n)
		come := func(by int) {
			if seen += by; closed {
				rows += by
			}
			if progress != nil {
				progress(seen)
			}
		}
		t.Expand(at.n)
		if ShownIn(t).around(at.n) {
			kids, complete, err := ShownIn(t).expand(ctx, at.n, limit-seen)
			if come(len(kids)); err != nil || !complete {
				return rows, false, err
			}
			for _, c := range kids {
				if (depth == 0 || at.depth < depth) && c.e.Load().HasContent() {
					todo = append(todo, task{c, at.depth + 1})
				}
			}
			continue
		}
		for pos := at.n.e.Load().Start; ; {
			if seen >= limit || !t.room() {
				return rows, false, nil
			}
			nodes, next, err := t.childrenAt(ctx, at.n, pos)
			if err != nil {
				return rows, false, err
			}
			come(len(nodes))
			for _, c := range nodes {
				if (depth == 0 || at.depth < depth) && c.e.Load().HasContent() {
					todo = append(todo, task{c, at.depth + 1})
				}
			}
			if next >= at.n.e.Load().End {
				break
			}
			pos = next
		}
	}
	return rows, true, nil
}

// expand loads the children of a node around places that are shown, up to limit, and returns them.
func (s Shown) expand(ctx context.Context, n *Node, limit int) (nodes []*Node, complete bool, err error) {
	t := s.t
	r, ok := t.FirstChild(n)
	var last *Row
	for gap := (Row{}); ok; {
		if len(nodes) >= limit || !t.room() {
			return nodes, false, nil
		}
		if r.Gap() {
			if r == gap {
				return nodes, false, nil // it cannot be loaded
			}
			gap = r
			if err := t.Load(ctx, r, AtStart); err != nil {
				return nodes, false, err
			}
			if last == nil {
				r, ok = t.FirstChild(n)
			} else {
				r, ok = t.NextSibling(*last)
			}
			continue
		}
		if r.Node != nil {
			nodes = append(nodes, r.Node)
		}
		at := r
		last = &at
		r, ok = t.NextSibling(r)
	}
	return nodes, true, nil
}

// childrenAt returns the children of n in the slab at a logical offset, from that offset on,
// and where they end. It loads them if necessary.
func (ld *loader) childrenAt(ctx context.Context, n *Node, pos int64) (nodes []*Node, next int64, err error) {
	ld.mu.Lock()
	if p, _ := n.covering(pos); p != nil {
		nodes, next = append(nodes, p.nodes[p.node(pos):]...), p.to
		ld.mu.Unlock()
		return nodes, next, ctx.Err()
	}
	from, to, ord, ok := n.gap(pos)
	ld.mu.Unlock()
	if !ok {
		return nil, n.e.Load().End, ctx.Err()
	}
	var s *childRun
	err = ld.read(n, func(l *nodeReader) error {
		var err error
		s, err = l.forward(ctx, from, to, ord, slabNodes)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	nodes = ld.memory.attach(n, s, ld.now) // may shorten s
	if s.read.Epoch != ld.now.Epoch {
		return nil, 0, trace.ErrStale
	}
	return nodes, s.to, nil
}

// Expand expands a node: its children become rows. They need not be loaded.
func (t *Tree) Expand(n *Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expand(n)
}
