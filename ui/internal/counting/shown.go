package counting

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// Shown finds out which of the containers recorded the tree has rows for, once for each generation of the trace: until
// then nested numbers are upper bounds. The zero value has counted nothing.
type Shown struct {
	busy   bool
	failed bool // in generation of
	of     int
}

// Begin returns the work if the tree needs it, or nil if it does not or if it is under way. idle means that nothing else
// is running. The caller passes its message to Update.
func (s *Shown) Begin(life context.Context, t *lazy.Tree, generation int, idle bool) func() tea.Msg {
	if s.of != generation {
		s.of, s.failed = generation, false
	}
	if s.busy || s.failed || !idle || !lazy.ShownUncounted(t) {
		return nil
	}
	s.busy = true
	return func() tea.Msg { return ShownCounted{lazy.CountShown(life, t, true)} }
}

// ShownCounted is its result.
type ShownCounted struct{ err error }

func (m ShownCounted) apply(p *Part) { p.Shown.busy, p.Shown.failed = false, m.err != nil }
