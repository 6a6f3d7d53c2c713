package query

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// TestNextWrite: the write next to a point is the one that all values tell, with a summary and without.
func TestNextWrite(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		data, _ := r.Size()
		if data > 60<<10 {
			return
		}
		var c *format.Context
		r.WithContext(func(x *format.Context) { c = x })
		_, all := plainPoints(t, r, true)
		if len(all) == 0 {
			return
		}
		texts := locationTexts(c, all)
		random := rand.New(rand.NewPCG(5, 6))
		check := func(text string, at *HistoryPoint) {
			l, err := ParseLocation(t.Context(), r, text, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, before := range []bool{false, true} {
				want, wantErr := amongAll(t.Context(), r, Scope{Raw: true}, l, at, before, nil)
				got, err := nextWriteFrom(t.Context(), r, Scope{Raw: true}, l, at, before, nil, 700)
				if fmt.Sprint(got) != fmt.Sprint(want) || errors.Is(err, ErrNoWrite) != errors.Is(wantErr, ErrNoWrite) {
					t.Errorf("%s at %v, before %v: %v, %v; want %v, %v", text, at, before, got, err, want, wantErr)
				}
			}
		}
		for round := range 2 {
			if round == 1 && !summarized(t, r, max(300, data/20)) {
				return
			}
			for _, text := range texts[:min(4, len(texts))] {
				for range 3 {
					x := all[random.IntN(len(all))]
					check(text, &HistoryPoint{x.Position(), x.Point().Event})
				}
			}
		}
	})
}
