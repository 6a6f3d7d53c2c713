package ui

import "tracex/ui/internal/tour"

// toured tells the tour that a key was used.
func (m *Model) toured(b *binding) {
	key := m.tour.Key()
	if key == "" || find(m.keys, key) != b {
		return
	}
	seen := tour.Seen{Hits: m.hitList() != nil}
	if n := m.out.Cursor.Node; n != nil && !n.Leaf() {
		seen.Container, seen.Expanded = true, m.out.Tree.IsExpanded(n)
	}
	if m.tour.Did(seen) {
		m.tour = nil
	}
}

// tourNames returns the names of the key that the tour is about.
func (m *Model) tourNames() string {
	if b := find(m.keys, m.tour.Key()); b != nil {
		return b.names(m.g)
	}
	return ""
}
