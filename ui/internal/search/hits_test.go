package search

import (
	"testing"

	"tracex/lazy"
)

// TestHitsKeepOrder adds hits from a search that began in the middle.
func TestHitsKeepOrder(t *testing.T) {
	at := func(thread int32, at int64) lazy.Hit {
		return lazy.Hit{Position: lazy.Position{Thread: thread, At: at}}
	}
	h := Hits{origin: lazy.Position{Thread: 1, At: 50}}
	h.add([]lazy.Hit{at(1, 50), at(1, 70), at(3, -1)})
	kept := h
	if first, by := h.add([]lazy.Hit{at(3, 5), at(0, -1), at(0, 9), at(1, 2)}); first != 0 || by != 3 {
		t.Errorf("moved %d from %d", by, first)
	}
	for i := range h.Len() {
		if j, exact := h.Find(h.At(i).Position); j != i || !exact {
			t.Errorf("hit %d is found at %d", i, j)
		}
		if i > 0 && compare(h.At(i-1).Position, h.At(i).Position) >= 0 {
			t.Errorf("hit %d is out of order", i)
		}
	}
	if i, exact := h.Find(lazy.Position{Thread: 2}); i != 5 || exact {
		t.Errorf("where none is: %d", i)
	}
	if kept.Len() != 3 || kept.At(2) != at(3, -1) {
		t.Error("a copy of hits has changed")
	}
}
