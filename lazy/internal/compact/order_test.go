package compact

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRowOrder compares an order with sorted rows, whether it has parts or not.
func TestRowOrder(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := rng.IntN(3000)
		keys := make([]int64, n)
		for i := range keys {
			switch seed % 4 {
			case 0:
				keys[i] = rng.Int64N(1 << 40)
			case 1:
				keys[i] = rng.Int64N(5)
			case 2:
				keys[i] = int64(i / 7)
			}
		}
		key := func(row uint32) int64 { return keys[row] }
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortFunc(want, func(a, b uint32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
		most := n
		if seed%3 == 0 {
			most = rng.IntN(n + 1)
		}
		ordered := 1 + rng.IntN(400)
		o := NewOrder(n, most, ordered, key)
		if got := o.AppendRows(nil, 0, n+5); !slices.Equal(got, want[:most]) {
			t.Fatalf("seed %d: %d rows of %d in parts of %d are not in order", seed, most, n, ordered)
		}
		for range 20 {
			from := rng.IntN(most + 1)
			to := from + rng.IntN(n+1)
			if got := o.AppendRows(nil, from, to); !slices.Equal(got, want[from:min(to, most)]) {
				t.Fatalf("seed %d: rows %d to %d are not in order", seed, from, to)
			}
		}
		if kept := len(o.first) + cap(o.rows); o.parts != nil && seed%4 == 0 && kept > 8*ordered+1000 {
			t.Errorf("seed %d: %d rows are kept, in parts of %d", seed, kept, ordered)
		}
	}
}
