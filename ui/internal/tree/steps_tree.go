package tree

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
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

// ofTree returns those of the steps in force that the tree is made with. A range is about answers, and
// a focus on a row alone makes that the root of any tree.
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
	return !sameSteps(s.Now(), s.ofTree()) || s.edited.early && s.env.Trace.Settled() && s.edited.tree == s.tree.Out.Tree
}

func sameSteps(a, b query.Steps) bool {
	return slices.EqualFunc(a, b, func(x, y query.Step) bool { return x.Kind == y.Kind && x.Text == y.Text })
}

// maker returns how to make a tree with the steps in force. make may read the trace: it is called in the
// background. made is called when its tree is shown.
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
