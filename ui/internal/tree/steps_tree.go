package tree

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
)

// mostOpen is how many expanded nodes are kept while steps are in force.
const mostOpen = 1000

// editedTree is the tree of the explorer with steps.
type editedTree struct {
	tree    *lazy.Tree      // nil if it shows everything
	steps   query.Steps     // of tree
	settled query.Steps     // those in force when the tree last had them
	early   bool            // the trace has grown since, and the steps depend on how calls end
	asked   bool            // a job is to make the tree of the steps in force
	open    []lazy.Position // expanded in the trees before this one, without its steps: for when these are undone
	to      *lazy.Position  // where the cursor is to be in it; nil for where it is
}

// ofTree returns the steps in force that the tree is made with: none if all are ranges, which are about answers, or
// focus on a row, which makes that the root of any tree.
func (s *Steps) ofTree() (list query.Steps) {
	needed := false
	for _, step := range s.List {
		if step.Kind == query.Range {
			continue
		}
		_, place := step.Place()
		needed = needed || !place || step.Kind != query.Focus
		list = append(list, step)
	}
	if !needed {
		return nil
	}
	return list
}

// Now returns the steps that the tree on the screen was made with.
func (s *Steps) Now() query.Steps {
	if s.edited.tree != s.tree.Out.Tree {
		return nil
	}
	return s.edited.steps
}

// Pending reports whether the tree lacks steps that are in force.
func (s *Steps) Pending() bool {
	same := slices.EqualFunc(s.Now(), s.ofTree(), func(x, y query.Step) bool { return x.Kind == y.Kind && x.Text == y.Text })
	return !same || s.edited.early && s.env.Trace.Settled() && s.edited.tree == s.tree.Out.Tree
}

// maker returns how to make a tree with the steps in force, in the background; made is called when its tree is shown.
func (s *Steps) maker(folded bool) (make func(context.Context) (*lazy.Tree, error), made func(*lazy.Tree)) {
	steps, r := s.ofTree(), s.env.Trace.Reader
	early, growing := false, !s.env.Trace.Settled()
	make = func(ctx context.Context) (*lazy.Tree, error) {
		if len(steps) == 0 {
			return newTree(r, folded), nil
		}
		e, err := query.EditTree(ctx, r, steps, !folded)
		if err != nil {
			return nil, err
		}
		early = growing && e.Late()
		t := lazy.EditedTree(r, folded, e)
		lazy.Inline(t)
		return t, nil
	}
	return make, func(t *lazy.Tree) { s.edited.tree, s.edited.steps, s.edited.early = t, steps, early }
}

// Settle brings the tree up to date with the steps.
func (s *Steps) Settle() tea.Cmd {
	x := &s.edited
	switch {
	case !s.Pending():
		x.asked, x.to, x.settled = false, nil, s.List
	case x.asked && !s.tree.Jobs.Running():
		x.asked, x.early, s.List = false, false, x.settled // tables and tree say the same
		s.env.Say("stopped: the steps are as before")
	case !x.asked && (s.env.Trace.Settled() || s.env.Trace.Following()):
		return s.apply()
	}
	if !x.asked {
		s.focusTree()
	}
	return nil
}

// apply makes the tree of the steps in force.
func (s *Steps) apply() tea.Cmd {
	x := &s.edited
	x.asked = true
	open := s.tree.Out.Expanded()
	for _, at := range x.open {
		if len(open) < mostOpen && !slices.Contains(open, at) {
			open = append(open, at)
		}
	}
	return s.tree.Jobs.another(s.tree.Out.Tree.Folded(), "applying the steps", x.to, open, func(err error) {
		x.asked = false
		if x.open = open; err == nil && len(x.steps) == 0 {
			x.open = nil
		}
		if err != nil {
			s.List, x.early = x.settled, false
			s.Refuse(err)
			return
		}
		s.focusTree()
	})
}

// ToggleRaw switches between the trace as recorded and the folded view.
func (p *Jobs) ToggleRaw() tea.Cmd {
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

// another shows another tree, with the steps in force. The cursor stays on its node, which stays expanded, and the
// nodes around it keep their order; unless to is nil, it goes there. Of all other nodes those at the positions given
// are expanded: two whole trees would need twice the memory. If the other tree does not show the cursor's node, the
// cursor is on what follows, if the tree is edited, or else around it. then gets an error if there is no such tree.
func (p *Jobs) another(folded bool, doing string, to *lazy.Position, expanded []lazy.Position, then func(error)) tea.Cmd {
	old := p.tree.Out
	make, made := p.tree.Steps.maker(folded)
	here, ok := old.Here()
	on := old.Cursor.Node
	open := on != nil && old.Tree.IsExpanded(on)
	if to == nil {
		if at, is := p.meant(); is {
			to = &at
		}
	}
	if to != nil {
		here, ok, open = *to, true, false
	}
	sorted := sortedPath(old.Cursor)
	return p.Run(doing, "", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		t, err := make(ctx)
		var n *lazy.Node
		if err == nil && ok {
			expand(ctx, t, expanded)
			if n, err = t.Reveal(ctx, here); err == nil && len(sorted) > 0 {
				n, err = sortAgain(ctx, t, n, sorted, report)
			}
		}
		return env.Done(func() {
			if err == nil {
				made(t)
				p.tree.replace(t, here.Thread)
				if n != nil {
					p.arrive(n, here, open, old.Line)
				}
			}
			then(err)
		}), nil
	})
}

// arrive sets the cursor in another tree on a line, on the node to which the position here has led.
func (p *Jobs) arrive(n *lazy.Node, here lazy.Position, open bool, line int) {
	t, row := p.tree.Out.Tree, RowOf(n)
	switch exact := n.Position() == here || orderKey(n) == here; {
	case exact && open && !n.Leaf():
		t.Expand(n)
	case !exact && t.Edited():
		row = t.Resolve(lazy.Row{Parent: n, Depth: n.Depth() + 1, From: here.At})
		p.sent = sent{here, row.Node} // without the step the cursor is there again
	}
	p.tree.Out.Put(row, line)
}

// expand loads and expands the nodes at some positions, as far as a tree shows them.
func expand(ctx context.Context, t *lazy.Tree, at []lazy.Position) {
	for _, at := range at {
		if n, err := t.Reveal(ctx, at); err == nil && !n.Leaf() && (n.IsThread() || n.Position() == at) {
			t.Expand(n)
		}
	}
}
