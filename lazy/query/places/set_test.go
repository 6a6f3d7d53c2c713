package places

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/lazy"
)

// TestSet compares a set with a plain list of its places.
func TestSet(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := New()
		if seed%2 == 1 {
			s.most = 100
		}
		var all []lazy.Position
		for thread := int32(-1); thread < 40; thread += 1 + int32(rng.IntN(3)) {
			at := int64(0)
			for range rng.IntN(6) {
				var some []int64
				for range rng.IntN(5 + 60*int(seed%5/4)) { // more than a chunk has
					at += 1 + rng.Int64N(9)
					if seed%4 == 2 && rng.IntN(3) == 0 {
						at += rng.Int64N(3 << 30)
					}
					some = append(some, at)
					all = append(all, lazy.Position{Thread: thread, At: at})
				}
				s.Add(thread, some...)
			}
		}
		kept, beyond := s.Count()
		if want := min(len(all), s.most); kept != want || int(beyond) != len(all)-want {
			t.Fatalf("seed %d: kept %d, beyond %d of %d", seed, kept, beyond, len(all))
		}
		for i, want := range all[:kept] {
			if p, ok := s.Place(i); !ok || p != want {
				t.Fatalf("place %d is %v, %v, want %v", i, p, ok, want)
			}
		}
		if _, ok := s.Place(kept); ok {
			t.Error("a place too many")
		}
		for range 200 {
			p := lazy.Position{Thread: int32(rng.IntN(44)) - 2, At: rng.Int64N(150)}
			if rng.IntN(2) == 0 {
				p.At = max(0, all[rng.IntN(len(all))].At-rng.Int64N(9))
			}
			to := p.At + rng.Int64N(60)
			before := func(q lazy.Position) bool {
				return q.Thread < p.Thread || q.Thread == p.Thread && q.At < p.At
			}
			index := 0
			var within []int64
			for _, q := range all[:kept] {
				if before(q) {
					index++
				}
				if q.Thread == p.Thread && q.At >= p.At && q.At < to {
					within = append(within, q.At)
				}
			}
			if got := s.Index(p); got != index {
				t.Fatalf("index of %v is %d, want %d", p, got, index)
			}
			n, first := s.Within(p.Thread, p.At, to)
			first2, some := s.First(p.Thread, p.At, to)
			last, also := s.Last(p.Thread, p.At, to)
			if some != (n > 0) || also != some || some && (first2 != within[0] || last != within[len(within)-1]) {
				t.Fatalf("in %v to %d: first %d %v, last %d %v, want of %v", p, to, first2, some, last, also, within)
			}
			if n != len(within) || n > 0 && first != within[0] {
				t.Fatalf("within %v to %d: %d from %d, want %v", p, to, n, first, within)
			}
		}
		var ids []int32
		for _, p := range all[:kept] {
			if n := len(ids); n == 0 || ids[n-1] != p.Thread {
				ids = append(ids, p.Thread)
			}
		}
		for id := int32(-3); id < 45; id++ {
			i, _ := slices.BinarySearch(ids, id)
			next, ok := s.NextThread(id)
			if ok != (i < len(ids)) || ok && next != ids[i] {
				t.Fatalf("after thread %d is %d, %v", id, next, ok)
			}
			if i == len(ids) || ids[i] != id {
				i--
			}
			prev, ok := s.PrevThread(id)
			if ok != (i >= 0) || ok && prev != ids[i] {
				t.Fatalf("before thread %d is %d, %v", id, prev, ok)
			}
		}
		upto, done := s.Frontier()
		after := all[kept-1]
		after.At++
		if beyond > 0 && upto != after || done {
			t.Errorf("frontier %v %v", upto, done)
		}
		s.Reset()
		if n, more := s.Count(); n != 0 || more != 0 {
			t.Error("not empty")
		}
	}
}
