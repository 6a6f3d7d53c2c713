package job

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/tree"
)

// Maker makes trees of the trace. make may read the trace: it is called in the background. made is called when
// its tree is shown.
type Maker func(folded bool) (make func(context.Context) (*lazy.Tree, error), made func(*lazy.Tree))

// plain makes trees that show everything.
func (p *Part) plain(folded bool) (make func(context.Context) (*lazy.Tree, error), made func(*lazy.Tree)) {
	return func(context.Context) (*lazy.Tree, error) { return tree.Of(p.r, folded), nil }, func(*lazy.Tree) {}
}

// Another shows another tree of the same view; the maker is told what to leave out. Then it calls
// then, with an error if there is no such tree. Only the nodes at the positions expanded are so there. The
// cursor goes to a position, unless that is nil.
func (p *Part) Another(doing string, to *lazy.Position, expanded []lazy.Position, then func(error)) tea.Cmd {
	return p.another(p.tree.Out.Tree.Folded(), doing, to, expanded, then)
}

// another shows another tree. The cursor stays on its node, which stays expanded, and the nodes around
// it keep their order. Of all other nodes those at the positions given are expanded: two whole trees would need twice the memory. If the
// other tree does not show the cursor's node, the cursor is on what follows, if that is because the tree is
// edited, or else on what is around it.
func (p *Part) another(folded bool, doing string, to *lazy.Position, expanded []lazy.Position, then func(error)) tea.Cmd {
	old := p.tree.Out
	make, made := p.Make(folded)
	here, ok := old.Here()
	on := old.Cursor.Node
	thread := on != nil && on.IsThread()
	open := on != nil && old.Tree.IsExpanded(on)
	if to == nil {
		if at, is := p.Meant(); is {
			to = &at
		}
	}
	if to != nil {
		here, ok, on, thread, open = *to, true, nil, to.At < 0, false
	}
	ctx, id, progress := p.BeginLook(p.env.Life, doing)
	sorted := sortedPath(old.Cursor)
	return p.soon(func() Msg {
		t, err := make(ctx)
		var n *lazy.Node
		if err == nil && ok {
			expand(ctx, t, expanded)
			if n, err = revealIn(ctx, t, here, thread); err == nil && len(sorted) > 0 {
				n, err = sortAgain(ctx, t, n, sorted, progress)
			}
		}
		return remade{id, err, func() {
			made(t)
			p.tree.Replace(t, here.Thread)
			if n == nil {
				return
			}
			row := outline.RowOf(n)
			switch exact := thread || n.Position() == here || orderKey(n) == here; {
			case exact && open && !n.Leaf():
				t.Expand(n)
			case !exact && t.Edited():
				row = t.Resolve(lazy.Row{Parent: n, Depth: n.Depth() + 1, From: here.At})
				p.sent = sent{here, row.Node} // without the step the cursor is there again
			}
			p.tree.Out.Put(row, old.Line)
		}, then}
	})
}

// expand loads and expands the nodes at some positions, as far as a tree shows them.
func expand(ctx context.Context, t *lazy.Tree, at []lazy.Position) {
	for _, at := range at {
		if n, err := t.Reveal(ctx, at); err == nil && !n.Leaf() && (n.IsThread() || n.Position() == at) {
			t.Expand(n)
		}
	}
}

// remade is another tree.
type remade struct {
	id   int
	err  error
	show func()
	then func(error)
}

func (e remade) apply(p *Part) tea.Cmd {
	if !p.End(e.id) {
		return nil
	}
	if e.err == nil {
		e.show()
	}
	e.then(e.err)
	return nil
}
