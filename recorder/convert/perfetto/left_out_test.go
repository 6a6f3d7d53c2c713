package perfetto

import (
	"slices"
	"testing"

	"tracex/recorder/convert/fit"
)

// TestTallyAdd: what two conversions of one recording left out is told in one line a reason.
func TestTallyAdd(t *testing.T) {
	var a, b fit.Tally
	kinds := unknownKinds{}
	a.Count(damaged, 1, 7)
	a.Count(kinds.reason(300), 1, 9)
	b.Count(damaged, 2, 1)
	b.Count(withoutTime, 1, 40)
	b.Count(kinds.reason(300), 1, 2)
	b.Count(kinds.reason(301), 1, 4)
	a.Add(&b)
	want := []LeftOut{
		{What: "damaged packets", Count: 3, First: 7}, {What: "packets of kind 300 (unknown)", Count: 2, First: 9},
		{What: "event without a time", Count: 1, First: 40}, {What: "packet of kind 301 (unknown)", Count: 1, First: 4},
	}
	if got := a.List(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a.Add(new(fit.Tally)); !slices.Equal(a.List(), want) {
		t.Errorf("after nothing was added: %v", a.List())
	}
}
