package lazy

import "context"

// ExpandAll expands n and its descendants, depth levels (0 for all), loading them as it
// proceeds. It stops when limit rows have been expanded, or when the nodes would not
// fit into the budget; complete reports whether everything is expanded. It checks the
// limit after each slab of children, so it may expand up to 127 more rows.
// progress may be nil.
func (t *Tree) ExpandAll(ctx context.Context, n *Node, depth, limit int, progress func(rows int)) (rows int, complete bool, err error) {
	type task struct {
		n     *Node
		depth int
	}
	todo := []task{{n, 1}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		t.Expand(at.n)
		if ShownIn(t).around(at.n) {
			kids, complete, err := ShownIn(t).expand(ctx, at.n, limit-rows)
			if rows += len(kids); err != nil || !complete {
				return rows, false, err
			}
			if progress != nil {
				progress(rows)
			}
			for _, c := range kids {
				if (depth == 0 || at.depth < depth) && c.e.Load().hasContent() {
					todo = append(todo, task{c, at.depth + 1})
				}
			}
			continue
		}
		for pos := at.n.e.Load().start; ; {
			if st := t.Stats(); rows >= limit || st.Bytes > st.Budget*9/10 {
				return rows, false, nil
			}
			nodes, next, err := t.childrenAt(ctx, at.n, pos)
			if err != nil {
				return rows, false, err
			}
			rows += len(nodes)
			if progress != nil {
				progress(rows)
			}
			for _, c := range nodes {
				if (depth == 0 || at.depth < depth) && c.e.Load().hasContent() {
					todo = append(todo, task{c, at.depth + 1})
				}
			}
			if next >= at.n.e.Load().end {
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
		if st := t.Stats(); len(nodes) >= limit || st.Bytes > st.Budget*9/10 {
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
		return nil, n.e.Load().end, ctx.Err()
	}
	var s *childRun
	err = ld.read(n, func(l *childReader) error {
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
	if s.read.epoch != ld.now.epoch {
		return nil, 0, errStale
	}
	return nodes, s.to, nil
}
