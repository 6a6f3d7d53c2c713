package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Why a descent ends where it begins.
var (
	errNoChildren  = errors.New("no children")
	errNoDurations = errors.New("no timed children")
)

// descent is a way down: how to find the next child, and what to tell about it.
type descent struct {
	what string
	next func(t *lazy.Tree, ctx context.Context, n *lazy.Node, progress lazy.Progress) (lazy.Place, bool, error)
	none error // if there is no next child
}

var (
	toLongest = descent{"longest", longest, errNoDurations}
	toLargest = descent{"largest", (*lazy.Tree).Largest, errNoChildren}
)

// longest finds the longest child. In a call that did not end, no child may have a duration, as
// the one still running did not end either. Then it returns the largest child, which leads there.
func longest(t *lazy.Tree, ctx context.Context, n *lazy.Node, progress lazy.Progress) (lazy.Place, bool, error) {
	p, ok, err := t.Longest(ctx, n, progress)
	if err == nil && !ok && n.State() == lazy.StateUnfinished {
		return t.Largest(ctx, n, progress)
	}
	return p, ok, err
}

// largest goes n levels down, each time to the child that took longest, or, in a trace without
// times, to the one that holds most: where the work was done.
func (m *Model) largest(n int) tea.Cmd {
	from := m.out.Cursor.Node
	if from == nil {
		return m.again()
	}
	way := toLargest
	if m.timed() {
		way = toLongest
	}
	m.visit()
	ctx, id, progress := m.jobs.BeginLook(m.life, "looking for the "+way.what+" child")
	t := m.out.Tree
	e, cmd := m.soon(func() effect {
		to, err := way.down(ctx, t, from, max(1, n), progress)
		return revealed{id, to, err, func(n *lazy.Node) tea.Cmd {
			if m.tour.Arrived("L") {
				m.tour = nil
			}
			cmd := m.land(n)
			m.sayWeight(n)
			return cmd
		}}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// sayWeight tells how heavy the child just reached is, if there is no duration to show it.
func (m *Model) sayWeight(n *lazy.Node) {
	if _, timed := n.Time(); timed {
		return
	}
	bytes, of := n.Weight()
	if of <= 0 {
		return
	}
	why := "no times: "
	if m.timed() {
		why = "no duration: "
	}
	in := "the thread"
	if !n.Parent().IsThread() {
		in = m.shortName(n.Parent())
	}
	m.say(why + "this is the largest child, with " + screen.Percent(bytes, of) + " of what is recorded in " + in)
}

// down returns the node that the given number of steps leads to, or fewer steps if there
// is nothing below.
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
