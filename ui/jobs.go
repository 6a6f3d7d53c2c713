package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// expandLimit is the largest number of rows that one key opens.
const expandLimit = 50_000

func (m *Model) expandOne(n int) tea.Cmd {
	if n == 0 {
		n = 2
	}
	return m.expand(n)
}

func (m *Model) expandAll(int) tea.Cmd { return m.expand(0) }

// toDepth shows exactly n levels below the cursor's node.
func (m *Model) toDepth(n int) tea.Cmd {
	if node := m.out.Cursor.Node; node != nil {
		m.out.Tree.CollapseAll(node)
	}
	return m.expand(n)
}

// expand opens the nodes below the cursor's node, depth levels deep; 0 means all.
func (m *Model) expand(depth int) tea.Cmd {
	n := m.out.Cursor.Node
	if n == nil {
		return m.again()
	}
	if n.Leaf() {
		m.say("no children")
		return nil
	}
	ctx, id, tell := m.jobs.BeginRows(m.life, "expanding")
	t := m.out.Tree
	e, cmd := m.soon(func() effect {
		opened, complete, err := t.ExpandAll(ctx, n, depth, expandLimit, tell)
		return expanded{id, opened, complete, err}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// expanded is the result of expanding many nodes.
type expanded struct {
	id       int
	rows     int
	complete bool
	err      error
}

func (e expanded) apply(m *Model) tea.Cmd {
	if !m.jobs.End(e.id) {
		return nil
	}
	switch {
	case e.err != nil:
		m.fail("cannot expand all", e.err)
	case e.complete:
		m.say("expanded " + screen.Plural(int64(e.rows), "row"))
	case e.rows >= expandLimit:
		m.say("stopped at " + screen.Plural(int64(e.rows), "row") + "; press E on one of them to go on")
	default:
		m.say("stopped at " + screen.Plural(int64(e.rows), "row") + ": the memory's budget is used up (x unloads, --memory gives more)")
	}
	return nil
}

// reveal loads and opens the path to a place, then runs then with its node.
func (m *Model) reveal(p lazy.Place, then func(*lazy.Node) tea.Cmd) tea.Cmd {
	ctx, id := m.jobs.Begin(m.life, "going there")
	t := m.out.Tree
	e, cmd := m.soon(func() effect {
		n, err := t.Reveal(ctx, p)
		return revealed{id, n, err, then}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// revealed is the result of a reveal.
type revealed struct {
	id   int
	n    *lazy.Node
	err  error
	then func(*lazy.Node) tea.Cmd
}

func (e revealed) apply(m *Model) tea.Cmd {
	if !m.jobs.End(e.id) {
		return nil
	}
	if e.err != nil {
		m.fail("cannot go there", e.err)
		return nil
	}
	return e.then(e.n)
}

// show goes to a place and sets the cursor on it.
func (m *Model) show(p lazy.Place) tea.Cmd {
	return m.reveal(p, m.land)
}

// land sets the cursor on a revealed node.
func (m *Model) land(n *lazy.Node) tea.Cmd {
	m.out.Settle()
	m.out.Jump(outline.RowOf(n))
	m.out.Packed = true
	return nil
}

// escape stops what is running; if nothing is, it goes back a step.
func (m *Model) escape(n int) tea.Cmd {
	if n > 0 {
		return nil // it canceled the number
	}
	stopped := m.jobs.Stop()
	stopped = m.search.Stop() || stopped
	if m.out.Goal != nil || len(m.loads.underWay) > 0 {
		m.out.Goal = nil
		stopped = m.loads.stop() || stopped
	}
	if !stopped {
		stopped = m.counting.children.Stop(m.countingFacts()) || m.counting.calls.Stop()
	}
	switch {
	case stopped:
		m.say("stopped")
	case m.tour != nil:
		m.tour = nil
		m.say("the tour is over; ? lists the keys")
	case m.search.Forget():
	case m.details.Hide():
	case m.follow.on:
		return m.toggleFollow(0)
	case m.known.Growth.On:
		m.r.Unfollow()
		m.say("not followed any more: shown as a recording without its end; " + screen.KeyName("F", m.g) + " follows it again")
	}
	return nil
}

// fail shows an error, unless a person stopped the work.
func (m *Model) fail(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		m.warn(what + ": " + screen.ErrorLine(err))
	}
}
