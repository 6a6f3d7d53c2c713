package ui

import (
	"unsafe"

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

// bytes is how much memory hits take.
func (h *hitSet) bytes() int64 {
	return int64(cap(h.before)+cap(h.after)) * int64(unsafe.Sizeof(lazy.Hit{}))
}

// kept is how much memory is taken by what is kept besides what was opened, in
// bytes: the hits of a search, and their list.
func (m *Model) kept() int64 {
	var n int64
	if s := m.search; s != nil {
		n += s.hits.bytes() + s.others.bytes()
	}
	if h := m.hitList(); h != nil {
		if h.sift != nil {
			n += h.sift.passed.bytes()
		}
		for place, p := range h.seen {
			n += int64(unsafe.Sizeof(place)) + int64(unsafe.Sizeof(p)) + int64(len(p.text)+len(p.path))
		}
	}
	return n
}

// describeKept writes what memory is taken for.
func (m *Model) describeKept(s *sheet) {
	stats := m.out.t.Stats()
	text := screen.Size(stats.Bytes) + " for " + screen.Plural(stats.Loaded, "event") + " loaded"
	if n := m.kept(); n > 0 {
		text += ", " + screen.Size(n) + " for hits"
	}
	s.pair("memory", text, screen.Plain)
}
