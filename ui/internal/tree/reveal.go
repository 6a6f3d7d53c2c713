package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
)

const cannotGo = "cannot go there"

// Reveal loads and expands the path to a position, then calls then with its node.
func (p *Jobs) Reveal(to lazy.Position, then func(*lazy.Node) tea.Cmd) tea.Cmd {
	t := p.tree.Out.Tree
	return p.Run("going there", cannotGo, func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		n, err := t.Reveal(ctx, to)
		left := err == nil && t.LeftOut(ctx, n, to)
		return func() tea.Cmd {
			cmd := then(n)
			if p.sent = (sent{}); left {
				p.sent = sent{to, n}
				text := "a step hides it: this is what is around it"
				if key := keys.ActionKey("undo-step", p.env.Glyphs); key != "" {
					text += "; " + key + " undoes the last step"
				}
				p.env.Say(text)
			}
			return cmd
		}, err
	})
}

// sent is where a job was to lead, and the node to which it led because a step hides that. The zero
// value is that of no such job.
type sent struct {
	to lazy.Position
	n  *lazy.Node
}

// meant returns the position that the user went to, if the cursor is only on what is around it, as a
// step hides it.
func (p *Jobs) meant() (to lazy.Position, ok bool) {
	n := p.tree.Out.Cursor.Node
	return p.sent.to, n != nil && p.sent.n == n
}

// HereToward is [Outline.HereToward], or the position that is meant.
func (p *Jobs) HereToward(dir int) (at lazy.Position, ok bool) {
	if at, ok = p.meant(); ok {
		return at, ok
	}
	return p.tree.Out.HereToward(dir)
}

// Show goes to a position and sets the cursor on it.
func (p *Jobs) Show(to lazy.Position) tea.Cmd { return p.Reveal(to, p.tree.land) }

// ToPoint goes to an event at a position that was known before; event is -1 for a thread.
func (p *Jobs) ToPoint(to lazy.Position, event int32) tea.Cmd {
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
		return p.tree.land(n)
	})
}

// Resume expands the nodes at some positions and goes to another. Then it calls then with the
// node there, unless that failed. It says nothing about a failure.
func (p *Jobs) Resume(to lazy.Position, expanded []lazy.Position, then func(*lazy.Node)) tea.Cmd {
	t := p.tree.Out.Tree
	return p.Run("going to where you were", "", func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		expand(ctx, t, expanded)
		n, err := t.Reveal(ctx, to)
		return env.Done(func() {
			if err == nil {
				then(n)
			}
		}), nil
	})
}
