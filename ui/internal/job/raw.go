package job

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// ToggleRaw switches between the trace as recorded and the folded view.
func (p *Part) ToggleRaw(int) tea.Cmd {
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

// revealIn returns the node at a position in a tree, or the thread itself if thread is true.
func revealIn(ctx context.Context, t *lazy.Tree, at lazy.Position, thread bool) (*lazy.Node, error) {
	if thread {
		if n, _ := t.Thread(at.Thread); n != nil {
			return n, nil
		}
	}
	return t.Reveal(ctx, at)
}
