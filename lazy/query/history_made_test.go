package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// locationTexts returns locations of a trace: at most a few.
func locationTexts(c *format.Context, all []*plainPoint) (list []string) {
	random := rand.New(rand.NewPCG(3, 4))
	for try := 0; try < 200 && len(list) < 8 && len(all) > 0; try++ {
		for _, l := range plainAt(c, all[random.IntN(len(all))]) {
			if !slices.Contains(list, l.text) {
				list = append(list, l.text)
			}
		}
	}
	return list
}

// TestHistorySkips: a history is the same with a summary, by which a pass skips parts, as without.
func TestHistorySkips(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		data, _ := r.Size()
		if data > 100<<10 {
			return
		}
		unit := max(300, data/20)
		var c *format.Context
		r.WithContext(func(x *format.Context) { c = x })
		want := make(map[string]string)
		key := func(raw bool, text string) string { return fmt.Sprint(raw, " ", text) }
		texts := make(map[bool][]string)
		for _, raw := range []bool{false, true} {
			_, all := plainPoints(t, r, raw)
			texts[raw] = locationTexts(c, all)
			for _, text := range texts[raw] {
				want[key(raw, text)] = fmt.Sprintf("%+v", historyOf(t, r, Scope{Raw: raw}, HistoryOptions{}, text, 0).List())
			}
		}
		if !summarized(t, r, unit) {
			return
		}
		for raw, list := range texts {
			for i, text := range list {
				share := []int64{unit, unit/2 + 33}[i%2]
				got := fmt.Sprintf("%+v", historyOf(t, r, Scope{Raw: raw}, HistoryOptions{}, text, share).List())
				if got != want[key(raw, text)] {
					t.Errorf("raw %v: %s: with a summary\n     %s\nwant %s", raw, text, got, want[key(raw, text)])
				}
			}
		}
	})
}

// TestHistoryMade: a constructor between two values of an object is known where the part of the trace that
// it is in has no value; a part is read that has a value only in what was recorded with an object.
func TestHistoryMade(t *testing.T) {
	b := formattest.NewBuilder(t)
	b.Thread(1)
	made, other := b.Method("demo.Box", "<init>", formattest.IntType), b.Method("demo.Main", "run", formattest.IntType)
	size := b.Field("demo.Box", "size")
	box := func(hash int64) format.Value { return format.Value{ClassID: b.Class("demo.Box"), Bits: hash} }
	write := func(hash, value int64) {
		b.Point(&format.Point{Class: format.ClassFieldWrite, Diff: format.DiffNone, Location: -1, Ref: size, Target: box(hash), Value: formattest.IntValue(value)})
	}
	construct := func(hash int64) {
		b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: made, Target: box(hash)})
		b.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}})
	}
	pad := func() {
		for range 100 {
			b.Call(-1, other, nil)
		}
	}
	b.Call(-1, other, func() {
		for hash := range int64(3) {
			write(100+hash, hash)
			pad()
		}
		within := box(102)
		within.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "size", Value: formattest.IntValue(3)}}}
		list := format.Value{Kind: format.ValueArray, ClassID: b.Class("demo.Box"), Captured: &format.Captured{Elements: []format.Value{within}}}
		b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: other, Target: list})
		b.Footer(format.ClassCall, &format.Footer{Result: within})
		pad()
		construct(101)
		construct(103)
		pad()
		for hash := range int64(4) {
			write(100+hash, 10*hash)
			pad()
		}
	})
	r := opened(t, b.File())
	want := historyOf(t, r, Scope{}, HistoryOptions{}, "Box.size", 0).List()
	var reborn []string
	seen := 0
	for _, s := range want {
		if s.Kind == Seen {
			seen++
		}
		if s.Reborn {
			reborn = append(reborn, s.Name)
		}
	}
	if fmt.Sprint(reborn) != "[Box@101]" || seen != 2 {
		t.Errorf("made again: %v; %d seen inside", reborn, seen)
	}
	if !summarized(t, r, 500) {
		t.Fatal("no summary")
	}
	h := historyOf(t, r, Scope{}, HistoryOptions{}, "Box.size", 500)
	if got := h.List(); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	data, _ := r.Size()
	skipped, skip := 0, h.skip()
	for at := int64(0); at < data; at += 500 {
		if skip(lazy.PassRange{Thread: 1, From: at, To: at + 500}) {
			skipped++
		}
	}
	if skipped < 10 {
		t.Errorf("only %d parts skipped", skipped)
	}
}

// TestHistoryOfResults: an object that is one of several results is known as a result.
func TestHistoryOfResults(t *testing.T) {
	b := formattest.NewBuilder(t)
	b.Thread(1)
	find := b.Method("demo.Main", "find", formattest.IntType)
	box := func(hash int64) format.Value { return format.Value{ClassID: b.Class("demo.Box"), Bits: hash} }
	for _, list := range [][]format.Value{{box(7), format.Null()}, {formattest.IntValue(7), box(7)}, {box(8), format.Null()}} {
		results := format.Value{ClassID: b.Class(format.ResultsClass), Captured: &format.Captured{}}
		for i, v := range list {
			results.Captured.Fields = append(results.Captured.Fields, format.CapturedField{Name: strconv.Itoa(i + 1), Value: v})
		}
		b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: find})
		b.Footer(format.ClassCall, &format.Footer{Result: results})
	}
	r := opened(t, b.File())
	var seen []string
	for _, s := range historyOf(t, r, Scope{}, HistoryOptions{}, "Box@7", 0).List() {
		seen = append(seen, fmt.Sprint(s.Event, " ", s.Kind == Result))
	}
	if got := fmt.Sprint(seen); got != "[0 true 1 true]" {
		t.Errorf("the object is seen at %s", got)
	}
}
