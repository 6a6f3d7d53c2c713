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
		left := err == nil && t.LeftOut(ctx, n, to)
		return revealed{id, to, left, n, err, then}
	})
}

// sent is where a job was to lead, and the node to which it led because a step hides that. The zero
// value is that of no such job.
type sent struct {
	to lazy.Position
	n  *lazy.Node
}

// Meant returns the position that the user went to, if the cursor is only on what is around it, as a
// step hides it.
func (p *Part) Meant() (to lazy.Position, ok bool) {
	n := p.tree.Out.Cursor.Node
	return p.sent.to, n != nil && p.sent.n == n
}

// HereToward is [outline.Outline.HereToward], or the position that is meant.
func (p *Part) HereToward(dir int) (at lazy.Position, ok bool) {
	if at, ok = p.Meant(); ok {
		return at, ok
	}
	return p.tree.Out.HereToward(dir)
}

// revealed is the result of a job that leads to a node.
type revealed struct {
	id   int
	to   lazy.Position
	left bool // the steps hide what is there
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
	cmd := e.then(e.n)
	if p.sent = (sent{}); e.left {
		p.sent = sent{e.to, e.n}
		text := "a step hides it: this is what is around it"
		if key := screen.ActionKey("undo-step", p.env.Glyphs); key != "" {
			text += "; " + key + " undoes the last step"
		}
		p.env.Say(text)
	}
	return cmd
}

// Show goes to a position and sets the cursor on it.
func (p *Part) Show(to lazy.Position) tea.Cmd { return p.Reveal(to, p.tree.Land) }

const noEarlier = "no earlier position: only jumps are remembered"

// Back goes to the position before the last jump.
func (p *Part) Back(int) tea.Cmd {
	return p.through(p.tree.Jumps.Back, noEarlier)
}

// Forward goes to the position that Back has left.
func (p *Part) Forward(int) tea.Cmd {
	return p.through(p.tree.Jumps.Forward, "no later position")
}

// Before goes to the position that the last jump left. The current one becomes the last, so
// that the next Before returns here.
func (p *Part) Before() tea.Cmd {
	var at *lazy.Position
	if here, ok := p.tree.Out.Here(); ok {
		at = &here
	}
	to, ok := p.tree.Jumps.Latest(at)
	if !ok {
		p.env.Say(noEarlier)
		return nil
	}
	p.tree.Visit()
	return p.Show(to)
}

// ToPoint goes to an event at a position that was known before; event is -1 for a thread.
func (p *Part) ToPoint(to lazy.Position, event int32) tea.Cmd {
	if to.At < 0 {
		if !p.tree.ToThread(to.Thread) {
			p.env.Warn((&lazy.NoPositionError{Position: to}).Error())
		}
		return nil
	}
	p.tree.Visit()
	return p.Reveal(to, func(n *lazy.Node) tea.Cmd {
		if p.tree.Out.Tree.Folded() {
			p.sayHidden(n, event, to)
		} else if n.ShowsEvent(event, to) != nil {
			p.env.Warn(lazy.EventHandle(event).String() + " is not there: this is what the trace has at its position")
		}
		return p.tree.Land(n)
	})
}

// Resume expands the nodes at some positions and goes to another. Then it calls then with the
// node there, nil if that failed. It says nothing about a failure.
func (p *Part) Resume(to lazy.Position, expanded []lazy.Position, then func(*lazy.Node)) tea.Cmd {
	ctx, id := p.Begin(p.env.Life, "going to where you were")
	t := p.tree.Out.Tree
	return p.soon(func() Msg {
		expand(ctx, t, expanded)
		n, err := t.Reveal(ctx, to)
		return resumed{id, n, err, then}
	})
}

// resumed is the result of Resume.
type resumed struct {
	id   int
	n    *lazy.Node
	err  error
	then func(*lazy.Node)
}

func (e resumed) apply(p *Part) tea.Cmd {
	if wanted := p.End(e.id); !wanted || e.err != nil {
		e.n = nil
	}
	e.then(e.n)
	return nil
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
