package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/front"
	"tracex/ui/internal/threads"
	"tracex/ui/internal/tree"
)

// threadList is the list of threads.
type threadList struct {
	threads.Part
	tree  *tree.Part
	front *front.Front
}

// show shows the threads to choose from.
func (t *threadList) show(int) tea.Cmd {
	id, _ := t.tree.Out.Thread()
	l := t.Open(id)
	t.front.Show(l, func(i int) tea.Cmd {
		t.tree.ToThread(l.ID(i))
		return nil
	})
	return nil
}

// settle brings the list up to date, as many lines as height, and closes it if it is no longer in front.
func (t *threadList) settle(height int) tea.Cmd {
	if shown := t.List(); shown != nil && t.front.List() != front.List(shown) {
		t.Close()
	}
	return t.Settle(height)
}
