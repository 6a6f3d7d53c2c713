package job

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/tree"
)

// ToggleRaw switches between the trace as recorded and the folded view. The cursor stays on
// its node, which stays expanded, and the nodes around it keep their order. All other loaded
// nodes are dropped: two views would need twice the memory.
func (p *Part) ToggleRaw(int) tea.Cmd {
	old := p.tree.Out
	t := tree.Of(p.r, !old.Tree.Folded())
	here, ok := old.Here()
	on := old.Cursor.Node
	thread := on != nil && on.IsThread()
	expanded := on != nil && old.Tree.IsExpanded(on)
	name := "raw: every event as it was recorded"
	if t.Folded() {
		name = "folded"
	}
	if !ok {
		p.tree.Replace(t, here.Thread)
		p.env.Say(name)
		return nil
	}
	ctx, id, progress := p.BeginLook(p.env.Life, "changing the view")
	sorted := sortedPath(old.Cursor)
	return p.soon(func() Msg {
		n, err := revealIn(ctx, t, here, thread)
		if err == nil && len(sorted) > 0 {
			n, err = sortAgain(ctx, t, n, sorted, progress)
		}
		return revealed{id, n, err, func(n *lazy.Node) tea.Cmd {
			p.tree.Replace(t, here.Thread)
			if expanded && (thread || n.Position() == here || orderKey(n) == here) && !n.Leaf() {
				t.Expand(n)
			}
			p.tree.Out.Put(outline.RowOf(n), old.Line)
			p.env.Say(name)
			return nil
		}}
	})
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
