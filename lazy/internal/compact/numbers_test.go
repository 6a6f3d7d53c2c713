package compact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumbers: numbers are kept as they were set, in the memory that their sizes need.
func TestNumbers(t *testing.T) {
	const text = math.MaxInt64 - 1 - 1<<20 // the first key that the answer calls gives a text
	const n = 2*chunkNumbers + 100
	for _, x := range []struct {
		name string
		most float64 // bytes a number
		make func(rng *rand.Rand, i int) int64
	}{
		{"small", 2, func(rng *rand.Rand, _ int) int64 { return rng.Int64N(100) }},
		{"a few large", 2.2, func(rng *rand.Rand, i int) int64 { return rng.Int64N(100) + max(0, int64(1-i%20))<<40 }},
		{"short times", 3, func(rng *rand.Rand, _ int) int64 { return rng.Int64N(32_000) }},
		{"long times", 6, func(rng *rand.Rand, _ int) int64 { return rng.Int64N(1 << 31) }},
		{"moments", 6, func(rng *rand.Rand, i int) int64 { return 1<<50 + int64(i)*1000 + rng.Int64N(1<<20) }},
		{"below 0", 3, func(rng *rand.Rand, _ int) int64 { return -1<<50 - rng.Int64N(10_000) }},
		{"integers", 6, func(rng *rand.Rand, _ int) int64 { return int64(int32(rng.Uint32())) }},
		{"any", 9, func(rng *rand.Rand, _ int) int64 { return rng.Int64() - rng.Int64() }},
		{"keys", 9, func(rng *rand.Rand, i int) int64 {
			return [...]int64{text + int64(i), math.MaxInt64 - 1, math.MinInt64 + 3, text, 0, math.MinInt64, -1, 1<<32 - 2}[rng.IntN(8)]
		}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var l Numbers
		want := make([]int64, n)
		for i := range want {
			if i%1000 == 0 {
				l.Grow(min(1000, n-i))
			}
			want[i] = Unknown
		}
		for range 2 { // the second time numbers are changed
			for i := range want {
				if k := i ^ 37; k < n && i%50 > 0 {
					want[k] = x.make(rng, k)
					l.Set(k, want[k])
				}
			}
			for i, v := range want {
				if got := l.At(i); got != v {
					t.Fatalf("%s: %d: %d, want %d", x.name, i, got, v)
				}
			}
		}
		if size := float64(l.Bytes()) / float64(3*chunkNumbers); size > x.most {
			t.Errorf("%s: %.1f bytes a number, want %.1f", x.name, size, x.most)
		}
	}
}
