package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// The order of a node's children: that of the calls, or the longest first. A node keeps its
// order until a person changes it.

// byDuration reports whether the children that sort would change are sorted by duration.
func (m *Model) byDuration() bool {
	n := m.out.Sortable()
	return n != nil && n.Order() == lazy.OrderDuration
}

// sort changes the order of children. When it sorts by duration, the cursor moves to the longest
// child. Back in the order of the calls, the cursor stays on its row, and the row on its line.
func (m *Model) sort(int) tea.Cmd {
	n := m.out.Sortable()
	switch {
	case !m.timed():
		m.say("no timing data in this trace")
		return nil
	case n == nil:
		m.say("threads stay in their order; " + screen.KeyName("right", m.g) + " expands this one, s then sorts what is in it")
		return nil
	}
	to, name := lazy.OrderDuration, "sorting by duration"
	if n.Order() == lazy.OrderDuration {
		to, name = lazy.OrderCalls, "sorting by call"
	}
	ctx, id, progress := m.jobs.BeginLook(m.life, name)
	t, on := m.out.Tree, m.out.Cursor.Node
	if on == n {
		on = nil // nothing above the node's children moves
	}
	e, cmd := m.soon(func() effect { return reorder(ctx, t, progress, sorted{id: id, n: n, to: to, from: on, on: on}) })
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// reorder sorts, and loads the cursor's node in its new position.
func reorder(ctx context.Context, t *lazy.Tree, progress lazy.Progress, s sorted) sorted {
	if s.err = t.Sort(ctx, s.n, s.to, progress); s.err == nil && s.on != nil && s.to == lazy.OrderCalls {
		s.on, s.err = t.Reveal(ctx, s.on.Place())
	}
	return s
}

// sorted is the result of sorting.
type sorted struct {
	id   int
	n    *lazy.Node // the node whose children were sorted
	to   lazy.Order
	from *lazy.Node // the cursor's node at the start, if among the children; otherwise nil
	on   *lazy.Node // the same node, loaded in its new position
	err  error
}

func (s sorted) apply(m *Model) tea.Cmd {
	if !m.jobs.End(s.id) {
		return nil
	}
	if s.err != nil {
		m.fail("cannot sort", s.err)
		return nil
	}
	// A person may have moved the cursor meanwhile.
	var cmd tea.Cmd
	if at := m.out.Cursor; s.on != nil && (at.Node == s.from || at.Gap() && at.Parent == s.n) {
		if s.to == lazy.OrderCalls {
			m.out.Put(outline.RowOf(s.on), m.out.Line)
		} else {
			m.visit()
			m.out.Jump(outline.RowOf(s.n))
			cmd = m.aim(outline.ToFirstChild(s.n))
		}
	}
	m.retry(s.n)
	name := screen.CutMiddle(m.shortName(s.n), max(16, m.width-52), m.g)
	if s.to == lazy.OrderCalls {
		m.say(name + ": in call order")
	} else {
		m.say(name + ": sorted by duration (s: call order)")
	}
	return cmd
}

// orderKey identifies a node with sorted children in every tree of a trace. A thread has no
// place of its own.
func orderKey(n *lazy.Node) lazy.Place {
	if n.IsThread() {
		return lazy.Place{Thread: n.Thread(), At: -1}
	}
	return n.Place()
}

// sortedPath returns which nodes around the cursor have sorted children.
func (m *Model) sortedPath() map[lazy.Place]bool {
	places := make(map[lazy.Place]bool)
	for _, n := range nodetext.Path(m.out.Cursor) {
		if n.Order() == lazy.OrderDuration {
			places[orderKey(n)] = true
		}
	}
	return places
}

// sortAgain sorts these nodes around n in another tree. It returns n's node there, loaded again.
func sortAgain(ctx context.Context, t *lazy.Tree, n *lazy.Node, sorted map[lazy.Place]bool, progress lazy.Progress) (*lazy.Node, error) {
	for in := n; in != nil; in = in.Parent() {
		if !sorted[orderKey(in)] {
			continue
		}
		if err := t.Sort(ctx, in, lazy.OrderDuration, progress); err != nil {
			return nil, err
		}
	}
	return revealIn(ctx, t, n.Place(), n.IsThread())
}
