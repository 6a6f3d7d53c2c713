package query

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
	"tracex/lazy/literal"
	"tracex/lazy/query/filter"
)

// wordTrace makes a trace of nested calls whose arguments and results are words, each of a few calls. Some calls fold to
// the only one in them.
func wordTrace(t *testing.T, v format.Version, rng *rand.Rand) string {
	w := formattest.NewBuilderOf(t, v)
	text := format.Type{Kind: format.TypeObject, Class: "string"}
	plain, wrapped := w.Method("shop.Cart", "add", text, text), w.Method("shop.Cart", "add$default", text, text)
	word := func() format.Value {
		return format.Value{Kind: format.ValueString, Text: fmt.Sprintf("q%dz %s", rng.IntN(400), []string{"", "\n", "\tq7y"}[rng.IntN(3)])}
	}
	var call func(method int32, depth int)
	call = func(method int32, depth int) {
		p := &format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: format.Null()}
		if rng.IntN(2) == 0 {
			p.Args = []format.Value{word()}
		}
		w.Point(p)
		switch {
		case method == wrapped:
			call(plain, depth+1)
		case depth < 14:
			for range rng.IntN(4) {
				call([]int32{plain, plain, wrapped}[rng.IntN(3)], depth+1)
			}
		}
		foot := &format.Footer{Result: word()}
		if rng.IntN(3) == 0 {
			foot.Result = formattest.IntValue(int64(rng.IntN(1000)))
		}
		w.Footer(format.ClassCall, foot)
	}
	for range 15 {
		call(plain, 0)
	}
	return w.File()
}

// TestFindAtEnds: what is looked for is in the footer of a call, and the call begins in a part of the trace without it.
func TestFindAtEnds(t *testing.T) {
	for i, v := range []format.Version{format.V22, format.V27} {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		r := opened(t, wordTrace(t, v, rng))
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			if len(all) < 500 {
				t.Fatalf("%d points: the test tests little", len(all))
			}
			for _, share := range []int64{150, 900} {
				for range 8 {
					text := fmt.Sprintf("q%dz", rng.IntN(400))
					compareFind(t, r, raw, all, fmt.Sprintf([]string{"ret:%s", "%s", "ret~(?i)%sz*", "in(arg:q1) %s", "kind=call arg:%s", "obj:%s or ret:" + text, "depth>3 %s"}[rng.IntN(7)], text), share)
				}
				compareFind(t, r, raw, all, "ret:q7y", share)
				searchedLikeFound(t, r, raw, share, fmt.Sprintf("q%dz", rng.IntN(400)))
			}
		}
	}
}

// searchedLikeFound compares the hits of a search for a text with what a filter finds.
func searchedLikeFound(t *testing.T, r *lazy.LazyTraceReader, raw bool, share int64, text string) {
	t.Helper()
	need := literal.Exact(text)
	s := lazy.Search{Folded: !raw, From: lazy.Position{At: -1}, Needs: []literal.Text{need}, Limits: lazy.Limits{NoParen: true, NoDot: true, OneDot: true},
		Find: func(b []byte) (int, int) { at := need.Index(b); return at, at + need.Len() }}
	var got []lazy.Position
	search := walk.CutSearch(s, walk.PassCut{Bytes: share, Approach: 512, Width: 2})
	if err := r.Search(t.Context(), search, func(f lazy.Found) {
		for _, h := range f.Hits {
			got = append(got, h.Position)
		}
	}); err != nil {
		t.Fatal(err)
	}
	where, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	find := NewFind(r, lazy.Pass{Raw: raw}, where, 0)
	if err := find.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	n, _ := find.Set.Count()
	ok := n == len(got)
	for i := 0; i < n && ok; i++ {
		at, _ := find.Set.Place(i)
		ok = at == got[i]
	}
	if !ok {
		t.Errorf("%s, raw %v: searched %v, found %d", text, raw, got, n)
	}
}
