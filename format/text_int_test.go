package format

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestAppendInt(t *testing.T) {
	var list []int64
	for p := int64(1); p <= 1e18; p *= 10 {
		list = append(list, p-1, p, p+1, 5*p)
	}
	for i := range 64 {
		list = append(list, 1<<i-1, 1<<i)
	}
	for i := range int64(1100) {
		list = append(list, i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		list = append(list, r.Int64()>>r.IntN(64))
	}
	list = append(list, math.MinInt64, math.MaxInt64)
	for _, n := range list {
		for _, n := range []int64{n, -n} {
			want := strconv.AppendInt([]byte("@"), n, 10)
			if got := appendInt([]byte("@"), n); string(got) != string(want) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
}
