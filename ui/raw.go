package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
)

// toggleRaw switches between the trace as recorded and the folded view. The cursor keeps its
// place, its node stays open, and the nodes around it keep their order. All other loaded nodes
// are dropped: two views would need twice the memory.
func (m *Model) toggleRaw(int) tea.Cmd {
	old := m.out
	t := m.r.Tree(!old.Tree.Folded())
	place, ok := m.out.Here()
	on := old.Cursor.Node
	thread := on != nil && on.IsThread()
	open := on != nil && old.Tree.IsExpanded(on)
	name := map[bool]string{true: "folded", false: "raw: every event as it was recorded"}[t.Folded()]
	if !ok {
		m.swap(t, place.Thread)
		m.follow.rebase(m.out.Cursor)
		m.say(name)
		return nil
	}
	ctx, id, progress := m.jobs.BeginLook(m.life, "changing the view")
	sorted := m.sortedPath()
	e, cmd := m.soon(func() effect {
		n, err := revealIn(ctx, t, place, thread)
		if err == nil && len(sorted) > 0 {
			n, err = sortAgain(ctx, t, n, sorted, progress)
		}
		return revealed{id, n, err, func(n *lazy.Node) tea.Cmd {
			m.swap(t, place.Thread)
			if open && (thread || n.Place() == place) && !n.Leaf() {
				t.Expand(n)
			}
			m.out.Put(outline.RowOf(n), old.Line)
			m.follow.rebase(m.out.Cursor)
			m.say(name)
			return nil
		}}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// revealIn returns the node at a place in a tree, or the thread itself if thread is true.
func revealIn(ctx context.Context, t *lazy.Tree, p lazy.Place, thread bool) (*lazy.Node, error) {
	if thread {
		if n, _ := t.Thread(p.Thread); n != nil {
			return n, nil
		}
	}
	return t.Reveal(ctx, p)
}

// swap replaces the tree shown by another one, with the cursor on a thread.
func (m *Model) swap(t *lazy.Tree, thread int32) {
	m.loads.stop()
	clear(m.loads.failed)
	clear(m.loads.underWay)
	m.counting.children.Anew()
	old := m.out
	m.out = outline.New(t)
	m.out.Height, m.out.Line, m.out.Wide = old.Height, old.Line, old.Wide
	if n, _ := t.Thread(thread); n != nil {
		m.out.Cursor = outline.RowOf(n)
	}
	if m.search.Begun() {
		m.search.Forget() // its hits belong to the other view
	}
}
