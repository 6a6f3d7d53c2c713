package search

import (
	"cmp"
	"slices"
	"unsafe"

	"tracex/lazy"
)

// Hits are hits by thread and position. A search delivers them in its own order: from its origin
// to the end, then from the beginning to its origin. So there are two runs, which only ever
// grow at their ends: a slice of one stays valid.
type Hits struct {
	origin        lazy.Position
	before, after []lazy.Hit // of the origin
}

// compare orders positions by thread, then by offset.
func compare(a, b lazy.Position) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
}

// Len returns how many there are.
func (h *Hits) Len() int { return len(h.before) + len(h.after) }

// At returns the i-th hit, from 0.
func (h *Hits) At(i int) lazy.Hit {
	if i < len(h.before) {
		return h.before[i]
	}
	return h.after[i-len(h.before)]
}

// Find returns the index of the hit at a position, or where it would be.
func (h *Hits) Find(p lazy.Position) (i int, exact bool) {
	run, first := h.before, 0
	if compare(p, h.origin) >= 0 {
		run, first = h.after, len(h.before)
	}
	i, exact = slices.BinarySearchFunc(run, p, func(h lazy.Hit, p lazy.Position) int { return compare(h.Position, p) })
	return first + i, exact
}

// add adds hits, in the order of the search. Earlier hits from index first on have moved up
// by as many as by.
func (h *Hits) add(hits []lazy.Hit) (first, by int) {
	n := 0
	for n < len(hits) && compare(hits[n].Position, h.origin) >= 0 {
		n++
	}
	h.after = append(h.after, hits[:n]...)
	first = len(h.before)
	h.before = append(h.before, hits[n:]...)
	return first, len(hits) - n
}

// bytes returns the memory that the hits take.
func (h *Hits) bytes() int64 {
	return int64(cap(h.before)+cap(h.after)) * int64(unsafe.Sizeof(lazy.Hit{}))
}
