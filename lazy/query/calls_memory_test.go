package query

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/query/places"
)

// TestCallsMemory: what a listing keeps of a call fits the bound of an answer with as many as are listed.
func TestCallsMemory(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 3, Timed: true}))
	for _, sort := range []string{"event", "dur", "start", "arg.1", "ret"} {
		c, _ := limited(t, r, CallsOptions{What: "kind=call", Sort: sort}, usualCallsLimits)
		l := &c.list
		kept := 4*l.n + l.weight.bytes() + l.keys.bytes() // with the places
		if each := float64(kept) / float64(l.n); each*places.MaxPlaces > 60<<20 {
			t.Errorf("by %s: %.1f bytes a call", sort, each)
		}
		if texts := l.texts.table.bytes(); texts > 32*len(l.texts.table.list)+2*l.texts.table.size+packedTexts+4<<10 {
			t.Errorf("by %s: %d bytes for %d texts of %d bytes", sort, texts, len(l.texts.table.list), l.texts.table.size)
		}
	}
}

// TestPackedValues: values are found again, and compare as before.
func TestPackedValues(t *testing.T) {
	var list []callValue
	for i := range int64(3000) {
		list = append(list, callValue{kind: valueInteger, n: i - 1500}, callValue{kind: valueThread, n: i},
			callValue{kind: valueFraction, f: float64(i) / 7}, callValue{kind: valueCall, text: "Call", event: int32(i)},
			callValue{kind: valueOther, text: threadNumber(int32(i))}, callValue{kind: valueThrown, text: threadNumber(int32(i))})
	}
	list = append(list, callValue{kind: valueLiteral, text: "null"}, callValue{kind: valueString, text: `""`})
	var p packedValues
	for range 2 {
		for i := range list {
			if n := p.add(&list[i]); int(n) != i {
				t.Fatalf("%+v has number %d, not %d", list[i], n, i)
			}
		}
	}
	for i := range list {
		got, other := p.value(int32(i)), &list[(i*7+1)%len(list)]
		if got.compare(&list[i]) != 0 || got.compare(other) != list[i].compare(other) {
			t.Fatalf("%+v comes back as %+v", list[i], got)
		}
	}
}
