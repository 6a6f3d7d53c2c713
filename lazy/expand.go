package lazy

import "context"

// ExpandAll expands n and what is below it, depth levels (0: all), loading as it
// goes. It stops when limit rows have been expanded, or when the nodes would not
// fit into the budget; complete says whether all is expanded. It looks at the limit
// after each page of children, so that up to 127 rows more may be expanded.
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
		for pos := at.n.e.Load().start; ; {
			if st := t.Stats(); rows >= limit || st.Bytes > st.Budget*9/10 {
				return rows, false, nil
			}
			nodes, next, err := t.page(ctx, at.n, pos)
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

// page returns the children of n that are in memory, or are loaded, from a
// logical offset on, and where they end.
func (t *Tree) page(ctx context.Context, n *Node, pos int64) (nodes []*Node, next int64, err error) {
	t.mu.Lock()
	if p, _ := n.covering(pos); p != nil {
		nodes, next = append(nodes, p.nodes[p.node(pos):]...), p.to
		t.mu.Unlock()
		return nodes, next, ctx.Err()
	}
	from, to, ord, ok := n.gap(pos)
	t.mu.Unlock()
	if !ok {
		return nil, n.e.Load().end, ctx.Err()
	}
	var s *stretch
	err = t.read(n, func(l *childReader) error {
		var err error
		s, err = l.forward(ctx, from, to, ord, pageNodes)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	nodes = t.attach(n, s) // may cut s short
	if s.read.epoch != t.now.epoch {
		return nil, 0, errStale
	}
	return nodes, s.to, nil
}
