package ui

import (
	"unsafe"

	"tracex/lazy"
)

// population is what a thread holds, or all threads.
type population lazy.ThreadInfo

// sumOf adds up what threads hold.
func sumOf(threads []lazy.ThreadInfo) population {
	all := population{Counted: true}
	for _, t := range threads {
		all.Calls += t.Calls
		all.Events += t.Events
		all.Containers += t.Containers
		all.Counted = all.Counted && t.Counted
	}
	return all
}

// calls writes how many calls there are: at most as many as calls, loops and
// iterations together, while nobody has counted. least stands before a number
// that grows.
func (p population) calls(least string, g *glyphs) string {
	switch {
	case p.Counted:
		return least + calls(p.Calls)
	case p.Containers == 0:
		return calls(0)
	}
	return g.atMost + " " + calls(p.Containers)
}

// describePopulation writes what a thread, or the trace, holds.
func (m *Model) describePopulation(s *sheet, p population) {
	least := ""
	if !m.settled() {
		least = m.g.atLeast
	}
	if p.Counted {
		s.pair("calls", least+grouped(p.Calls), plain)
		s.pair("events", least+grouped(p.Events), plain)
		return
	}
	s.pair("calls", "at most "+grouped(p.Containers)+": with loops and iterations; tracex info counts them", plain)
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
	if h, ok := m.overlay.(*hitList); ok {
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
	text := size(stats.Bytes) + " for " + plural(stats.Loaded, "event") + " loaded"
	if n := m.kept(); n > 0 {
		text += ", " + size(n) + " for hits"
	}
	s.pair("memory", text, plain)
}
