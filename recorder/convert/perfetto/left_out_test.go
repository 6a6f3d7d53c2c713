package perfetto

import (
	"slices"
	"testing"
)

// TestTallyAdd: what two conversions of one recording left out is told in one line a reason.
func TestTallyAdd(t *testing.T) {
	var a, b tally
	a.count(damaged, 1, 7)
	a.kind(&packet{kind: 300, offset: 9})
	b.count(damaged, 2, 1)
	b.count(withoutTime, 1, 40)
	b.kind(&packet{kind: 300, offset: 2})
	b.kind(&packet{kind: 301, offset: 4})
	a.add(&b)
	want := []LeftOut{
		{"damaged packets", 3, 7}, {"packets of kind 300 (unknown)", 2, 9},
		{"event without a time", 1, 40}, {"packet of kind 301 (unknown)", 1, 4},
	}
	if got := a.list(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a.add(new(tally)); !slices.Equal(a.list(), want) {
		t.Errorf("after nothing was added: %v", a.list())
	}
}
