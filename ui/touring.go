package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tour"
	"tracex/ui/internal/tree"
)

// touring is the tour, if it is on.
type touring struct {
	*tour.Tour // nil if it is not on
	env        *env.Env
	keyboard   *keyboard
	tree       *tree.Part
	jobs       *job.Part
	front      *front.Front
}

// on reports whether the tour is on.
func (t *touring) on() bool { return t.Tour != nil }

// end ends the tour, and reports whether it was on.
func (t *touring) end() bool {
	was := t.on()
	t.Tour = nil
	return was
}

// names returns the names of the key that the tour is about.
func (t *touring) names() string {
	name := t.Action()
	if name == "" {
		return ""
	}
	if b := action(t.keyboard.keys, name); len(b.keys) > 0 {
		return b.names(t.env.Glyphs)
	}
	return screen.ActionKey(name, t.env.Glyphs)
}

// did tells the tour that an action of the key map ran.
func (t *touring) did(action string) {
	if action != t.Action() {
		return
	}
	seen := tour.Seen{Hits: hitsShown(t.front)}
	if n := t.tree.Out.Cursor.Node; n != nil && !n.Leaf() {
		seen.Container, seen.Expanded = true, t.tree.Out.Tree.IsExpanded(n)
	}
	if t.Did(seen) {
		t.end()
	}
}

// largest goes to the longest or largest child, and tells the tour.
func (t *touring) largest(n int) tea.Cmd {
	return t.jobs.Largest(n, func() {
		if t.Arrived("longest") {
			t.end()
		}
	})
}
