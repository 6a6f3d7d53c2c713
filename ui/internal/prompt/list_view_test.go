package prompt

import (
	"slices"
	"testing"
)

// TestMerged: the ranges of a search and of a filter are highlighted together, in order.
func TestMerged(t *testing.T) {
	for _, c := range []struct{ a, b, want [][2]int }{
		{nil, [][2]int{{1, 2}}, [][2]int{{1, 2}}},
		{[][2]int{{1, 2}}, nil, [][2]int{{1, 2}}},
		{[][2]int{{5, 9}}, [][2]int{{1, 2}, {7, 12}}, [][2]int{{1, 2}, {5, 12}}},
		{[][2]int{{1, 20}}, [][2]int{{3, 4}, {30, 31}}, [][2]int{{1, 20}, {30, 31}}},
	} {
		if got := merged(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
