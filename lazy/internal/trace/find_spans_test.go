package trace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEventSpans compares what the spans find with a loop over all of them.
func TestEventSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, spanGroup, spanGroup + 1, 3 * spanGroup * spanGroup, 40_000} {
		list := make([]EventSpan, n)
		for i := range list {
			first := int32(rng.IntN(2 * n))
			list[i] = EventSpan{first, first + int32(rng.IntN(1+rng.IntN(1+rng.IntN(2*n)))), int32(rng.IntN(n))}
		}
		for _, i := range rng.Perm(n)[:n/1000] {
			list[i].First, list[i].Last = math.MinInt32, math.MaxInt32
		}
		s := NewEventSpans(slices.Clone(list))
		for range 100 {
			event := int32(rng.IntN(3*n+2) - 1)
			var want []int32
			for _, e := range list {
				if e.First <= event && event <= e.Last {
					want = append(want, e.Stream)
				}
			}
			slices.Sort(want)
			if want = slices.Compact(want); !slices.Equal(s.streams(event), want) {
				t.Fatalf("%d spans: event %d is in %v, want %v", n, event, s.streams(event), want)
			}
		}
	}
}

// TestEventSpansLookAtFew: spans are passed in groups, also those before a long one.
func TestEventSpansLookAtFew(t *testing.T) {
	const n = 500_000
	list := make([]EventSpan, n)
	for i := range list {
		list[i] = EventSpan{int32(4 * i), int32(4*i + 2), int32(i)}
	}
	list[0].Last = 4 * n // as of a thread that runs all the time
	s := NewEventSpans(list)
	for _, event := range []int32{0, 2, 3, 4 * n / 3, 4*n - 2, 4*n - 1} {
		looked := 0
		s.near(event, func(*EventSpan) { looked++ })
		if looked > 4*spanGroup {
			t.Errorf("event %d: looked at %d of %d spans", event, looked, n)
		}
	}
}
