package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/source"
)

// sources is the source code of the cursor's row, as far as it was found.
type sources struct {
	finder *source.Finder
	found  source.Found
	busy   bool // a search for a file is running
}

// spotOf returns the code location of a node.
func (m *Model) spotOf(n *lazy.Node) (s source.Spot, ok bool) {
	if n == nil || n.Point() == nil {
		return s, false
	}
	m.r.WithContext(func(c *format.Context) { s, ok = source.SpotOf(c, n.Point().Location) })
	return s, ok
}

// sourceVisible requests the source of the cursor's row if the details show it.
func (m *Model) sourceVisible() tea.Cmd {
	if !m.details.On() || len(m.o.Source) == 0 || m.source.busy {
		return nil
	}
	s, ok := m.spotOf(m.out.Cursor.Node)
	if !ok || s == m.source.found.Spot {
		return nil
	}
	return m.findSource(s, nil)
}

// findSource looks for a source file and reads the lines around a spot. then runs when they
// have been read.
func (m *Model) findSource(s source.Spot, then action) tea.Cmd {
	if m.source.finder == nil {
		m.source.finder = source.NewFinder(m.o.Source)
	}
	m.source.busy = true
	finder, life := m.source.finder, m.life
	e, cmd := m.soon(func() effect { return sourced{finder.Find(life, s), then} })
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// sourced is the result of looking for a source file.
type sourced struct {
	source.Found
	then action
}

func (f sourced) apply(m *Model) tea.Cmd {
	m.source.found, m.source.busy = f.Found, false
	return m.run(f.then)
}
