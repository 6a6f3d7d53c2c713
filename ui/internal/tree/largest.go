package tree

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/keys"
)

// longest finds the longest child. In a call that did not end, no child may have a duration, as
// the one still running did not end either. Then it returns the largest child, which leads there.
func longest(t *lazy.Tree, ctx context.Context, n *lazy.Node, progress lazy.Progress) (lazy.Position, bool, error) {
	p, ok, err := t.Longest(ctx, n, progress)
	if err == nil && !ok && n.State() == lazy.StateUnfinished {
		return t.Largest(ctx, n, progress)
	}
	return p, ok, err
}

// Largest goes n levels down, each time to the child that took longest, or, in a trace without
// times, to the one that holds most: where the work was done. It calls arrived once it is there.
func (p *Jobs) Largest(n int, arrived func()) tea.Cmd {
	from := p.tree.Out.Cursor.Node
	if from == nil {
		return p.tree.Again()
	}
	name, next, none := "largest", (*lazy.Tree).Largest, noChildren
	if p.env.Trace.Timed() {
		name, next, none = "longest", longest, "no timed children"
	}
	if from.Leaf() {
		g := p.env.Glyphs
		return p.env.Say(noChildren + ": " + keys.ActionKey("collapse", g) + " goes to the parent, then " + keys.ActionKey("longest", g) + " to its " + name + " child")
	}
	p.tree.Visit()
	t := p.tree.Out.Tree
	return p.Run("looking for the "+name+" child", cannotGo, func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		to := from
		for i := range max(1, n) { // or fewer levels if there is nothing below
			at, ok, err := next(t, ctx, to, report)
			if err == nil && !ok && i == 0 {
				err = errors.New(none)
			}
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if to, err = t.Reveal(ctx, at); err != nil {
				return nil, err
			}
		}
		return func() tea.Cmd {
			p.sent = sent{}
			arrived()
			cmd := p.tree.land(to)
			p.sayWeight(to)
			return cmd
		}, nil
	})
}

// sayWeight tells how large the child just reached is, if there is no duration to show it.
func (p *Jobs) sayWeight(n *lazy.Node) {
	if _, timed := n.Time(); timed {
		return
	}
	bytes, of := n.Weight()
	if of <= 0 {
		return
	}
	why := "no times: "
	if p.env.Trace.Timed() {
		why = "no duration: "
	}
	in := "the thread"
	if !n.Parent().IsThread() {
		in = p.tree.Out.ShortName(n.Parent())
	}
	p.env.Say(why + "this is the largest child, " + display.Share(bytes, of) + " of the data in " + in)
}
