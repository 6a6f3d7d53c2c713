package live

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// No two used regions overlap, each is aligned to its size, and after all are given back there
// is as much room as before.
func TestRegions(t *testing.T) {
	l := create(t, 8<<20)
	random := rand.New(rand.NewPCG(1, 2))
	owner := map[int64]int{} // of each 256 bytes
	var held []*Region
	for round := range 20_000 {
		if random.IntN(5) < 3 {
			p, err := l.Alloc(1 + random.Int64N(1<<(8+random.IntN(10))))
			if errors.Is(err, ErrFull) {
				continue
			}
			if err != nil || p.Off%int64(len(p.Mem)) != 0 {
				t.Fatalf("a region of %d bytes at %d: %v", len(p.Mem), p.Off, err)
			}
			for at := p.Off; at < p.Off+int64(len(p.Mem)); at += least {
				if other, ok := owner[at]; ok {
					t.Fatalf("round %d: %d is in use since round %d", round, at, other)
				}
				owner[at] = round
			}
			held = append(held, p)
		} else if n := len(held); n > 0 {
			i := random.IntN(n)
			p := held[i]
			held[i], held = held[n-1], held[:n-1]
			for at := p.Off; at < p.Off+int64(len(p.Mem)); at += least {
				delete(owner, at)
			}
			l.Free(p)
		}
	}
	for _, p := range held {
		l.Free(p)
	}
	for i := range l.segments {
		s := &l.segments[i]
		if s.from == 1<<firstSegment {
			continue // the transaction is in it
		}
		if _, ok := l.regions.free[s.order][s.from]; !ok {
			t.Errorf("the segment at %d is not one region again", s.from)
		}
	}
}
