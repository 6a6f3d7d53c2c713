package job

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// Why a descent ends where it begins.
var (
	errNoChildren  = errors.New(tree.NoChildren)
	errNoDurations = errors.New("no timed children")
)

// descent is a way down: how to find the next child, and what the user is told about it.
type descent struct {
	name string
	next func(t *lazy.Tree, ctx context.Context, n *lazy.Node, progress lazy.Progress) (lazy.Position, bool, error)
	none error // if there is no next child
}

var (
	toLongest = descent{"longest", longest, errNoDurations}
	toLargest = descent{"largest", (*lazy.Tree).Largest, errNoChildren}
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
func (p *Part) Largest(n int, arrived func()) tea.Cmd {
	from := p.tree.Out.Cursor.Node
	if from == nil {
		return p.tree.Again()
	}
	way := toLargest
	if p.timed() {
		way = toLongest
	}
	p.tree.Visit()
	ctx, id, progress := p.BeginLook(p.env.Life, "looking for the "+way.name+" child")
	t := p.tree.Out.Tree
	return p.soon(func() Msg {
		to, err := way.down(ctx, t, from, max(1, n), progress)
		return revealed{id: id, n: to, err: err, then: func(n *lazy.Node) tea.Cmd {
			arrived()
			cmd := p.tree.Land(n)
			p.sayWeight(n)
			return cmd
		}}
	})
}

// sayWeight tells how large the child just reached is, if there is no duration to show it.
func (p *Part) sayWeight(n *lazy.Node) {
	if _, timed := n.Time(); timed {
		return
	}
	bytes, of := n.Weight()
	if of <= 0 {
		return
	}
	why := "no times: "
	if p.timed() {
		why = "no duration: "
	}
	in := "the thread"
	if !n.Parent().IsThread() {
		in = p.tree.Out.ShortName(n.Parent())
	}
	p.env.Say(why + "this is the largest child, " + screen.Share(bytes, of) + " of the data in " + in)
}

// down returns the node that the given number of levels leads to, or fewer levels if there is
// nothing below.
func (d *descent) down(ctx context.Context, t *lazy.Tree, n *lazy.Node, levels int, progress lazy.Progress) (*lazy.Node, error) {
	for i := range levels {
		p, ok, err := d.next(t, ctx, n, progress)
		if err == nil && !ok && i == 0 {
			err = d.none
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if n, err = t.Reveal(ctx, p); err != nil {
			return nil, err
		}
	}
	return n, nil
}
