package query

import (
	"cmp"
	"math"
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
		kept := 4*l.n + l.weight.Bytes() + l.keys.Bytes() // with the places
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

// TestValueOrder: what rows are sorted by is in the order of their values: integers and fractions by their size,
// before texts; equal ones are equal, whichever was seen first.
func TestValueOrder(t *testing.T) {
	var list []callValue
	for _, n := range []int64{math.MinInt64, -1 << 53, -6, -5, 0, 1, 2, 3, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1<<20, math.MaxInt64} {
		list = append(list, callValue{kind: valueInteger, n: n})
	}
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 2)
	for _, f := range []float64{2.5, math.NaN(), 0, -5.5, 2, -1e300, 1 << 53, math.Copysign(0, -1), 0.25, 1e300, math.Inf(-1), other, -0.25, 1 << 63, math.Inf(1)} {
		list = append(list, callValue{kind: valueFraction, f: f})
	}
	for _, text := range []string{"x", "", "a", "null"} {
		list = append(list, callValue{kind: valueOther, text: text}, callValue{kind: valueLiteral, text: text}, callValue{kind: valueThrown, text: text})
	}
	integer := func(n int64) callValue { return callValue{kind: valueInteger, n: n} }
	fraction := func(f float64) callValue { return callValue{kind: valueFraction, f: f} }
	rising := []callValue{fraction(math.Inf(-1)), integer(math.MinInt64), integer(-6), fraction(-5.5), integer(-5), fraction(-0.25), integer(0), fraction(0.25),
		integer(2), fraction(2), fraction(2.5), integer(3), integer(1 << 53), fraction(1 << 53), integer(1<<53 + 1), integer(math.MaxInt64), fraction(1 << 63)}
	for i := range rising {
		for k := range rising {
			if got := rising[i].compare(&rising[k]); got != cmp.Compare(i, k) {
				t.Errorf("%+v compares to %+v as %d", rising[i], rising[k], got)
			}
		}
	}
	s := sortTexts{limit: &usualCallsLimits}
	keys := make([]int64, len(list))
	for i := range list {
		keys[i] = s.keyOf(list[i], true)
	}
	order := s.inOrder()
	for i := range list {
		for k := range list {
			if got, want := cmp.Compare(order.of(keys[i]), order.of(keys[k])), list[i].compare(&list[k]); got != want {
				t.Errorf("%+v and %+v are in order %d, want %d", list[i], list[k], got, want)
			}
		}
		if key := order.of(keys[i]); key >= afterKey {
			t.Errorf("%+v is among those that are not sorted", list[i])
		}
	}
}
