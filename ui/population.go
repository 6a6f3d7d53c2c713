package ui

import (
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// population is what a thread holds, or all threads.
type population lazy.Population

// calls writes how many calls there are: at most as many as calls, loops and
// iterations together, while nobody has counted. least stands before a number
// that grows.
func (p population) calls(least string, g *screen.Glyphs) string {
	switch {
	case p.Counted:
		return least + screen.Calls(p.Calls)
	case p.Containers == 0:
		return screen.Calls(0)
	}
	return g.AtMost + " " + screen.Calls(p.Containers)
}

// describePopulation writes what a thread, or the trace, holds.
func (m *Model) describePopulation(s *sheet, p population) {
	least := ""
	if !m.settled() {
		least = m.g.AtLeast
	}
	if p.Counted {
		s.pair("calls", least+screen.Grouped(p.Calls), screen.Plain)
		s.pair("events", least+screen.Grouped(p.Events), screen.Plain)
		return
	}
	s.pair("calls", "at most "+screen.Grouped(p.Containers)+": with loops and iterations; tracex info counts them", screen.Plain)
}

// describeKept writes what memory is taken for.
func (m *Model) describeKept(s *sheet) {
	stats := m.out.t.Stats()
	text := screen.Size(stats.Bytes) + " for " + screen.Plural(stats.Loaded, "event") + " loaded"
	if n := m.search.Bytes(); n > 0 {
		text += ", " + screen.Size(n) + " for hits"
	}
	s.pair("memory", text, screen.Plain)
}
