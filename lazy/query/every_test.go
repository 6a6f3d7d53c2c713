package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// whole is what a reader knows of a trace, to compare answers about it with plain calculations.
type whole struct {
	r   *lazy.TraceReader
	raw bool
	rng *rand.Rand
}

// everyAnswer compares each answer with its plain calculation, by the name of its command. A trace
// that is damaged, cut or still being recorded is what its tree shows.
var everyAnswer = []struct {
	name    string
	compare func(w *whole, t *testing.T)
}{
	{"top", (*whole).top},
	{"find", (*whole).find},
	{"calls", (*whole).calls},
	{"history", (*whole).history},
	{"state", (*whole).state},
	{"throws", (*whole).throws},
	{"callers", (*whole).callers},
	{"around", (*whole).around},
	{"log", (*whole).log},
}

// compareEvery compares all answers about what a reader knows, in parts of any size.
func compareEvery(t *testing.T, r *lazy.TraceReader, raw bool, seed uint64) {
	t.Helper()
	for _, a := range everyAnswer {
		t.Run(a.name, func(t *testing.T) { a.compare(&whole{r, raw, rand.New(rand.NewPCG(seed, 1))}, t) })
	}
}

// share returns a size of parts, so that there are not too many.
func (w *whole) share() int64 {
	size, _ := w.r.Size()
	return max(shares[w.rng.IntN(len(shares))], size/60)
}

func (w *whole) top(t *testing.T) {
	by := By(w.rng.IntN(len(Bys)))
	want := plainly(w.r, forest(t, w.r, w.raw), by)
	for range 2 {
		share := w.share()
		sameTop(t, fmt.Sprintf("raw %v, by %v, share %d", w.raw, by, share), counted(t, w.r, Scope{Raw: w.raw}, by, share), want)
	}
}

func (w *whole) find(t *testing.T) {
	all := load(t, w.r, w.raw)
	if len(all) == 0 {
		return
	}
	_, timed := w.r.Times()
	for _, text := range append(filters(w.r, all, w.rng, timed), "status=unfinished", "kind=call -threw") {
		compareFind(t, w.r, w.raw, all, text, w.share())
	}
}

func (w *whole) calls(t *testing.T) {
	if all := load(t, w.r, w.raw); len(all) > 0 {
		for _, text := range callFilters(w.r, all, w.rng) {
			compareCalls(t, w.r, w.raw, all, text, w.rng)
		}
	}
}

func (w *whole) history(t *testing.T) {
	roots, all := plainPoints(t, w.r, w.raw)
	var c *format.Context
	w.r.WithContext(func(x *format.Context) { c = x })
	for try, compared := 0, 0; try < 100 && compared < 2 && len(all) > 0; try++ {
		for _, l := range plainAt(c, all[w.rng.IntN(len(all))]) {
			compareHistory(t, w.r, w.raw, &l, l.history(c, roots))
			compared++
		}
	}
}

func (w *whole) state(t *testing.T) {
	roots, all := plainPoints(t, w.r, w.raw)
	var c *format.Context
	w.r.WithContext(func(x *format.Context) { c = x })
	for range min(3, len(all)) {
		compareState(t, w.r, w.raw, w.share(), c, roots, all[w.rng.IntN(len(all))])
	}
}

func (w *whole) throws(t *testing.T) {
	var p plainThrows
	p.in(nil, forest(t, w.r, w.raw), nil)
	slices.SortStableFunc(p.list, func(a, b *flight) int { return cmp.Compare(a.thread, b.thread) })
	share := w.share()
	sameThrows(t, fmt.Sprintf("raw %v, share %d", w.raw, share), threw(t, w.r, Scope{Raw: w.raw}, share), p.list)
}

func (w *whole) callers(t *testing.T) {
	roots := calls(forest(t, w.r, w.raw))
	plain(w.r, ByMethod).estimate(roots)
	for i, method := range methodsOf(w.r, roots) {
		o := []CallersOptions{{Depth: 3}, {Depth: 40, Self: true}, {Depth: 4, Callees: true}}[(i+w.rng.IntN(3))%3]
		o.Method = method
		checkCallers(t, w.r, roots, Scope{Raw: w.raw}, o, w.share())
	}
}

func (w *whole) around(t *testing.T) {
	timeline, err := lazy.TimelineOf(t.Context(), w.r)
	if err != nil {
		t.Fatal(err)
	}
	x := plainAround(t, w.r, w.raw, timeline)
	if len(x.list) == 0 || timeline == lazy.TimelineEvents && !rises(x.list) {
		return
	}
	for i := range 3 {
		at := x.list[w.rng.IntN(len(x.list))].Position
		o := AroundOptions{Raw: w.raw, N: []int{1, 7, 40, 400}[w.rng.IntN(4)]}
		pass := func(*Moment) bool { return true }
		if i == 1 {
			o.Where, _ = filter.Parse("kind=call")
			pass = func(m *Moment) bool { return m.Class == format.ClassCall }
		}
		compareAround(t, w.r, x, at, o, pass)
	}
}

func (w *whole) log(t *testing.T) { compareLog(t, w.r, w.raw, w.share()) }

// sameAnswers compares what scripts get of two readers of the same data.
func sameAnswers(t *testing.T, a, b *lazy.TraceReader) {
	t.Helper()
	for _, raw := range []bool{false, true} {
		got, want := answers(t, a, raw), answers(t, b, raw)
		for name, text := range want {
			if text == "" || got[name] != text {
				t.Errorf("%s, raw %v:\n%s\nwant\n%s", name, raw, got[name], text)
			}
		}
	}
}

// answers returns what scripts get of each answer.
func answers(t *testing.T, r *lazy.TraceReader, raw bool) map[string]string {
	t.Helper()
	out := make(map[string]string)
	add := func(name string, x *table.Table) {
		var b bytes.Buffer
		if _, err := table.WriteJSON(&b, x, 200); err != nil {
			t.Fatal(err)
		}
		if err := RowsErr(x); err != nil {
			t.Fatal(err)
		}
		out[name] = x.Title + "\n" + b.String()
	}
	run := func(x interface {
		Run(context.Context, lazy.Progress) error
	}, err error) {
		t.Helper()
		if err == nil {
			err = x.Run(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	g := &display.Unicode
	scope := Scope{Raw: raw}
	all := load(t, r, raw)
	roots := calls(forest(t, r, raw))
	add("top", counted(t, r, scope, ByMethod, 0).Table(TopView{Done: 1, G: g}))
	add("throws", threw(t, r, scope, 0).Table(ThrowsView{Done: 1, G: g}))
	e, _ := filter.Parse("kind=call")
	f := NewFind(r, lazy.Pass{Raw: raw}, e, 0)
	run(f, nil)
	add("find", f.Table(t.Context(), FindView{Done: 1, G: g}))
	c, err := NewCalls(r, scope, CallsOptions{What: "kind=call"})
	run(c, err)
	add("calls", c.Table(CallsView{Done: 1, Read: t.Context(), G: g}))
	l := logOf(t, r, scope, "kind=call", "kind=write")
	run(l, nil)
	add("log", l.Table(t.Context(), LogView{Done: 1, G: g}))
	middle := all[len(all)/2]
	s := NewState(r, raw, HistoryPoint{middle.at, middle.point.Event})
	run(s, nil)
	add("state", s.Table(1, g))
	x, err := FindAround(t.Context(), r, middle.at, AroundOptions{Raw: raw, N: 60})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := x.Table(t.Context(), AroundView{Width: 100, G: g})
	if err != nil {
		t.Fatal(err)
	}
	add("around", shown)
	for _, method := range methodsOf(r, roots)[:1] {
		c, err := NewCallers(r, scope, CallersOptions{Method: method, Depth: 5})
		if err != nil {
			t.Fatal(err)
		}
		pass := scope.Over(c)
		if err := r.Pass(t.Context(), pass); err != nil {
			t.Fatal(err)
		}
		add("callers", c.Table(CallersView{Done: 1, G: g}))
	}
	var names []string
	_, points := plainPoints(t, r, raw)
	r.WithContext(func(c *format.Context) {
		for _, p := range points {
			for _, l := range plainAt(c, p) {
				if names = append(names, l.text); len(names) > 2 {
					return
				}
			}
		}
	})
	for _, name := range names {
		h := historyOf(t, r, scope, HistoryOptions{}, name, 0)
		add("history of "+name, h.Table(HistoryView{Done: 1, G: g}))
	}
	return out
}
