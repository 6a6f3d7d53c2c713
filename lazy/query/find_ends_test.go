package query

import (
	"bytes"
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
		return format.Value{Kind: format.ValueString, Text: fmt.Sprintf("q%dz %s", rng.IntN(400), []string{"", "", "", "", "", "\n", "\tq7y"}[rng.IntN(7)])}
	}
	list, pair := w.Class("[]string"), w.Class("shop.Pair")
	held := func() format.Value {
		a := format.Value{Kind: format.ValueArray, ClassID: list, Bits: format.ArrayBits(int32(500+rng.IntN(50)), int32(2+rng.IntN(90))), Captured: &format.Captured{Elements: []format.Value{word(), word()}}}
		o := format.Value{Kind: format.ValueObject, ClassID: pair, Bits: int64(rng.IntN(2) * (700 + rng.IntN(90))), Captured: &format.Captured{Fields: []format.CapturedField{{Name: fmt.Sprintf("f%d", rng.IntN(300)), Value: a}, {Name: "n", Value: formattest.IntValue(int64(rng.IntN(5000)))}}}}
		return []format.Value{a, o}[rng.IntN(2)]
	}
	var call func(method int32, depth int)
	call = func(method int32, depth int) {
		p := &format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: format.Null()}
		if rng.IntN(2) == 0 {
			p.Args = []format.Value{word()}
		}
		if rng.IntN(3) == 0 {
			p.Args = append(p.Args, held())
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
		switch rng.IntN(4) {
		case 0:
			foot.Result = formattest.IntValue(int64(rng.IntN(1000)))
		case 1:
			foot.Result = held()
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
	few := 8
	if formattest.Race {
		few = 2
	}
	for i, v := range []format.Version{format.V22, format.V27} {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		r := opened(t, wordTrace(t, v, rng))
		for _, raw := range []bool{false, true} {
			if formattest.Race && raw != (i == 0) {
				continue
			}
			all := load(t, r, raw)
			if len(all) < 500 {
				t.Fatalf("%d points: the test tests little", len(all))
			}
			for _, share := range []int64{150, 900} {
				for range few {
					text := fmt.Sprintf("q%dz", rng.IntN(400))
					compareFind(t, r, raw, all, fmt.Sprintf([]string{"ret:%s", "%s", "ret~(?i)%sz*", "in(arg:q1) %s", "kind=call arg:%s", "obj:%s or ret:" + text, "depth>3 %s"}[rng.IntN(7)], text), share)
				}
				compareFind(t, r, raw, all, "ret:q7y", share)
				for _, text := range []string{fmt.Sprintf("f%d", rng.IntN(300)), fmt.Sprintf("+%d", 1+rng.IntN(80)), fmt.Sprint(rng.IntN(5000)), fmt.Sprintf("@%d{", 500+rng.IntN(50)), "Pair{f1"} {
					compareFind(t, r, raw, all, fmt.Sprintf("%q", text), share)
				}
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
	if n, same := samePlaces(find.Set, got); !same {
		t.Errorf("%s, raw %v: searched %v, found %d", text, raw, got, n)
	}
}

// TestFindNamedTexts: parts of the full name of a call with its arguments, also of nested classes, are found as the filter has it.
func TestFindNamedTexts(t *testing.T) {
	nested := 0
	for _, name := range []string{"gson.stream.bin", "kotlin.v27.stream.bin"} {
		r := opened(t, formattest.Unpack(t, name))
		all := load(t, r, false)
		size, _ := r.Size()
		rng := rand.New(rand.NewPCG(uint64(len(all)), 5))
		for tried := 0; tried < 12; {
			p := all[rng.IntN(len(all))]
			var text []byte
			r.WithContext(func(c *format.Context) {
				n := walk.NamedPoint(c, p.point, p.foot, format.Parent{}, false)
				if n.Full != "" && n.At >= 0 && n.FullClass > 0 {
					text = n.AppendFull(nil)[rng.IntN(n.FullClass):]
				}
			})
			paren := bytes.IndexByte(text, '(')
			if paren < 0 || bytes.ContainsAny(text, "\"\\\n➜") || tried%2 == 0 && !bytes.ContainsRune(text[:paren], '$') {
				continue
			}
			text = text[:min(len(text), paren+1+rng.IntN(6))]
			if bytes.ContainsRune(text, '$') {
				nested++
			}
			tried++
			compareFind(t, r, false, all, fmt.Sprintf("%q", text), size/60)
		}
	}
	if nested < 8 {
		t.Errorf("%d names of nested classes: the test tests little", nested)
	}
}
