package query

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// whole is what a reader knows of a trace, to compare answers about it with plain calculations.
type whole struct {
	r   *lazy.LazyTraceReader
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
	{"lines", (*whole).lines},
	{"throws", (*whole).throws},
	{"callers", (*whole).callers},
	{"around", (*whole).around},
	{"log", (*whole).log},
	{"iterations", (*whole).iterations},
	{"columns", (*whole).columns},
	{"steps", (*whole).steps},
	{"at", (*whole).at},
	{"overview", (*whole).overview},
}

// compareEvery compares all answers about what a reader knows, in parts of any size.
func compareEvery(t *testing.T, r *lazy.LazyTraceReader, raw bool, seed uint64) {
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

// iterations compares those of the longest loop.
func (w *whole) iterations(t *testing.T) {
	if loops := loopsOf(forest(t, w.r, w.raw)); len(loops) > 0 {
		compareIterations(t, w.r, w.raw, loops[0], w.share())
	}
}

func (w *whole) columns(t *testing.T) {
	calls, values := plainColumns(t, w.r, w.raw)
	names := slices.Sorted(maps.Keys(values))
	w.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, col := range names[:min(2, len(names))] {
		compareColumn(t, w.r, w.raw, col, calls, values[col], w.share())
	}
}

// steps compares numbers, exceptions and rows with steps.
func (w *whole) steps(t *testing.T) {
	roots := forest(t, w.r, w.raw)
	plain(w.r, ByMethod).estimate(roots)
	m := caseMakerOf(t, w.r, roots)
	if m == nil {
		return
	}
	for range 2 {
		list := slices.Concat(stepCases, onlyCases, kindCases)
		text := list[w.rng.IntN(len(list))]
		compareSteps(t, w.r, w.raw, roots, m.make(text), text, w.share())
		compareEditTree(t, w.r, w.raw, roots, m.make(text), text, lazy.AtStart)
	}
}
