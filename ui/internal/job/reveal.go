package job

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Reveal loads and expands the path to a position, then calls then with its node.
func (p *Part) Reveal(to lazy.Position, then func(*lazy.Node) tea.Cmd) tea.Cmd {
	ctx, id := p.Begin(p.env.Life, "going there")
	t := p.tree.Out.Tree
	return p.soon(func() Msg {
		n, err := t.Reveal(ctx, to)
		return revealed{id, n, err, then}
	})
}

// revealed is the result of a job that leads to a node.
type revealed struct {
	id   int
	n    *lazy.Node
	err  error
	then func(*lazy.Node) tea.Cmd
}

func (e revealed) apply(p *Part) tea.Cmd {
	if !p.End(e.id) {
		return nil
	}
	if e.err != nil {
		p.env.Fail("cannot go there", e.err)
		return nil
	}
	return e.then(e.n)
}

// Show goes to a position and sets the cursor on it.
func (p *Part) Show(to lazy.Position) tea.Cmd { return p.Reveal(to, p.tree.Land) }

// Back goes to the position before the last jump.
func (p *Part) Back(int) tea.Cmd {
	return p.through(p.tree.Jumps.Back, "no earlier position: only jumps are remembered")
}

// Forward goes to the position that Back has left.
func (p *Part) Forward(int) tea.Cmd {
	return p.through(p.tree.Jumps.Forward, "no later position")
}

// through goes to the position that a move through the history leads to.
func (p *Part) through(move func(here *lazy.Position) (lazy.Position, bool), none string) tea.Cmd {
	var at *lazy.Position
	if here, ok := p.tree.Out.Here(); ok {
		at = &here
	}
	to, ok := move(at)
	if !ok {
		p.env.Say(none)
		return nil
	}
	return p.Show(to)
}

// ShowPart is Show for a node of whose text a part has to be visible: the bytes from and to,
// or none if both are 0.
func (p *Part) ShowPart(at lazy.Position, part func(n *lazy.Node, text string) (from, to int)) tea.Cmd {
	return p.Reveal(at, func(n *lazy.Node) tea.Cmd {
		cmd := p.tree.Land(n)
		text, _ := p.tree.Out.Text(n)
		if from, to := part(n, text); to > 0 {
			cells := func(s string) int { return screen.TextWidth(s, p.env.Glyphs.ASCII) }
			p.tree.Out.SlideTo(cells(text[:from]), cells(text[:to]), cells(text), p.tree.Hidden(p.tree.Out.Cursor))
		}
		return cmd
	})
}
