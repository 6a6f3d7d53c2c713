package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
)

// ToggleRaw switches between the trace as recorded and the folded view.
func (p *Jobs) ToggleRaw() tea.Cmd {
	folded := !p.tree.Out.Tree.Folded()
	name := "raw: every event as it was recorded"
	if folded {
		name = "folded"
	}
	return p.another(folded, "changing the view", nil, p.tree.Out.Expanded(), func(err error) {
		if err != nil {
			p.env.Fail("cannot change the view", err)
			return
		}
		p.env.Say(name)
	})
}

// another shows another tree, with the steps in force. The cursor stays on its node, which stays expanded,
// and the nodes around it keep their order; unless to is nil, it goes there. Of all other nodes those at
// the positions given are expanded: two whole trees would need twice the memory. If the other tree does not
// show the cursor's node, the cursor is on what follows, if that is because the tree is edited, or else on
// what is around it. Then it calls then, with an error if there is no such tree.
func (p *Jobs) another(folded bool, doing string, to *lazy.Position, expanded []lazy.Position, then func(error)) tea.Cmd {
	old := p.tree.Out
	make, made := p.tree.Steps.maker(folded)
	here, ok := old.Here()
	on := old.Cursor.Node
	thread := on != nil && on.IsThread()
	open := on != nil && old.Tree.IsExpanded(on)
	if to == nil {
		if at, is := p.meant(); is {
			to = &at
		}
	}
	if to != nil {
		here, ok, on, thread, open = *to, true, nil, to.At < 0, false
	}
	sorted := sortedPath(old.Cursor)
	return p.Run(doing, "", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		t, err := make(ctx)
		var n *lazy.Node
		if err == nil && ok {
			expand(ctx, t, expanded)
			if n, err = revealIn(ctx, t, here, thread); err == nil && len(sorted) > 0 {
				n, err = sortAgain(ctx, t, n, sorted, report)
			}
		}
		return env.Done(func() {
			if err == nil {
				made(t)
				p.tree.replace(t, here.Thread)
				if n != nil {
					p.arrive(n, here, thread, open, old.Line)
				}
			}
			then(err)
		}), nil
	})
}

// arrive sets the cursor in another tree on a line, on the node to which the position here has led.
func (p *Jobs) arrive(n *lazy.Node, here lazy.Position, thread, open bool, line int) {
	t, row := p.tree.Out.Tree, RowOf(n)
	switch exact := thread || n.Position() == here || orderKey(n) == here; {
	case exact && open && !n.Leaf():
		t.Expand(n)
	case !exact && t.Edited():
		row = t.Resolve(lazy.Row{Parent: n, Depth: n.Depth() + 1, From: here.At})
		p.sent = sent{here, row.Node} // without the step the cursor is there again
	}
	p.tree.Out.Put(row, line)
}

// expand loads and expands the nodes at some positions, as far as a tree shows them.
func expand(ctx context.Context, t *lazy.Tree, at []lazy.Position) {
	for _, at := range at {
		if n, err := t.Reveal(ctx, at); err == nil && !n.Leaf() && (n.IsThread() || n.Position() == at) {
			t.Expand(n)
		}
	}
}

// revealIn returns the node at a position in a tree, or the thread itself if thread is true.
func revealIn(ctx context.Context, t *lazy.Tree, at lazy.Position, thread bool) (*lazy.Node, error) {
	if thread {
		if n, _ := t.Thread(at.Thread); n != nil {
			return n, nil
		}
	}
	return t.Reveal(ctx, at)
}
