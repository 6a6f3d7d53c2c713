package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// plainIteration calculates the row of an iteration by its definition.
func plainIteration(n *node, timed bool) string {
	var count, threw int64
	var below func(n *node)
	below = func(n *node) {
		for _, c := range n.kids {
			if c.class == format.ClassCall {
				count++
				threw += int64(b2i(c.threw))
			}
			below(c)
		}
	}
	below(n)
	text := fmt.Sprint(n.at.At, " ", n.event, " ", count, " ", threw, " ", n.unended)
	if !timed {
		return text + fmt.Sprint(" ", n.points)
	}
	if !n.timed || n.unended {
		return text + " - -"
	}
	self, known := n.time.Duration, true
	for _, c := range calls(n.kids) {
		self -= c.time.Duration
		known = known && c.timed && !c.unended
	}
	if !known {
		return text + fmt.Sprint(" ", n.time.Duration, " -")
	}
	return text + fmt.Sprint(" ", n.time.Duration, " ", max(0, self))
}

// TestIterations compares the iterations of loops with those of the tree, read in parts of several
// sizes, and their orders.
func TestIterations(t *testing.T) {
	paths := map[string]string{"recorded": formattest.Unpack(t, "gson.stream.bin")}
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 700, Seed: 3, Timed: true}, {Shape: formattest.Wide, N: 300, Seed: 1, Timed: true},
		{Shape: formattest.Calls, N: 1500, Seed: 7, Crash: formattest.CrashPartial},
		{Shape: formattest.Random, N: 1500, Seed: 3, Wild: true, Timed: true}, {Shape: formattest.Random, N: 1500, Seed: 4},
	} {
		spec.BlockSize = 3000
		paths[spec.Name()] = formattest.File(t, spec)
	}
	tested := 0
	for name, path := range paths {
		if formattest.Race && name == "recorded" {
			continue // the largest
		}
		r := opened(t, path)
		for _, raw := range []bool{false, true} {
			loops := loopsOf(forest(t, r, raw))
			for i, n := range loops[:min(len(loops), 3)] {
				t.Run(name, func(t *testing.T) {
					x := compareIterations(t, r, raw, n, shares[(i+1)%len(shares)])
					if tested += len(x.rows); x.timed {
						iterationsBetween(t, r, x.scope, x.loop, n)
					}
				})
			}
		}
	}
	if tested < 500 {
		t.Errorf("%d iterations: the test shows nothing", tested)
	}
}

// iterationsBetween compares the iterations that begin in a span of time with those of the tree: parts may
// begin within others.
func iterationsBetween(t *testing.T, r *lazy.LazyTraceReader, scope Scope, loop Loop, n *node) {
	t.Helper()
	middle := n.kids[len(n.kids)/2].time
	scope.Timed, scope.From, scope.To = true, n.kids[len(n.kids)/4].time.Start+1, middle.Start+middle.Duration/2
	var want []string
	for _, c := range n.kids {
		if c.class == format.ClassIteration && c.timed && c.time.Start >= scope.From && c.time.Start < scope.To {
			want = append(want, plainIteration(c, true))
		}
	}
	for _, share := range sharesOf(r, math.MaxInt64) {
		for _, most := range []int{mostIterations, 2} {
			x := NewIterations(r, scope, loop)
			x.most = most
			pass := scope.Over(x)
			pass.Share = share
			if err := r.Pass(t.Context(), pass); err != nil {
				t.Fatalf("%d bytes a part: %v", share, err)
			}
			if got := iterationTexts(x); !slices.Equal(got, want[:min(most, len(want))]) || x.Found() != int64(len(want)) {
				t.Fatalf("%d bytes a part, loop %d: %d\n%q\nwant\n%q", share, n.event, x.Found(), got, want)
			}
		}
	}
}

// loopsOf returns all loops, those with most iterations first.
func loopsOf(roots []*node) (loops []*node) {
	var find func(list []*node)
	find = func(list []*node) {
		for _, n := range list {
			if n.class == format.ClassLoop {
				loops = append(loops, n)
			}
			find(n.kids)
		}
	}
	find(roots)
	slices.SortStableFunc(loops, func(a, b *node) int { return cmp.Compare(len(b.kids), len(a.kids)) })
	return loops
}

// compareIterations compares the iterations of a loop with those of the tree, and returns them.
func compareIterations(t *testing.T, r *lazy.LazyTraceReader, raw bool, n *node, share int64) *Iterations {
	t.Helper()
	_, timed := r.Times()
	loop, ok, err := LoopAt(t.Context(), r, raw, n.at)
	if err != nil || !ok || loop.Event != n.event || loop.Position != n.at {
		t.Fatalf("the loop at %v is %v: %v", n.at, loop, err)
	}
	var want []string
	for _, c := range n.kids {
		if c.class == format.ClassIteration {
			want = append(want, plainIteration(c, timed))
		}
	}
	scope := Scope{Raw: raw}
	if err := scope.In(t.Context(), r, lazy.PositionHandle(n.at)); err != nil {
		t.Fatal(err)
	}
	x := NewIterations(r, scope, loop)
	pass := scope.Over(x)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	if got := iterationTexts(x); !slices.Equal(got, want) {
		t.Fatalf("raw %v, %d bytes a part, loop %d:\n%q\nwant\n%q", raw, pass.Share, n.event, got, want)
	}
	sameIterationOrder(t, x, timed)
	return x
}

// iterationTexts returns the rows as plainIteration writes them.
func iterationTexts(x *Iterations) (list []string) {
	for i := range x.rows {
		row := &x.rows[i]
		text := fmt.Sprint(row.at, " ", row.event, " ", row.calls, " ", row.threw, " ", !row.whole)
		self, ok := row.self()
		switch {
		case !x.timed:
			text += fmt.Sprint(" ", row.events)
		case row.duration < 0:
			text += " - -"
		case !ok:
			text += fmt.Sprint(" ", row.duration, " -")
		default:
			text += fmt.Sprint(" ", row.duration, " ", self)
		}
		list = append(list, text)
	}
	return list
}

// sameIterationOrder compares the orders of the table with those of a table in memory.
func sameIterationOrder(t *testing.T, x *Iterations, timed bool) {
	t.Helper()
	events := func(made *table.Table) (list []int32) {
		for i := range made.Rows.Len() {
			list = append(list, int32(made.Rows.Row(i)[made.Column("event")].Int()))
			if at, ok := PointAt(made, i); !ok || at.At != made.Rows.(*iterationRows).list[i].at {
				t.Errorf("row %d is at %v", i, at)
			}
		}
		return list
	}
	plain := x.Table(View{Done: 1, G: &display.Unicode}).Rows.(*iterationRows)
	for _, key := range IterationSorts(timed) {
		for _, rising := range []bool{false, true} {
			want := slices.Clone(plain.list)
			plain.columns.Sort(want, key, rising)
			if got := x.Table(View{Sort: key, Rising: rising, Done: 1, G: &display.Unicode}); !slices.Equal(events(got), eventsOf(want)) {
				t.Errorf("by %s, rising %v: %v, want %v", key, rising, events(got), eventsOf(want))
			}
		}
	}
}

func eventsOf(rows []*iteration) (list []int32) {
	for _, row := range rows {
		list = append(list, row.event)
	}
	return list
}

// TestMostIterations: iterations beyond those that are kept are counted, and the table says so.
func TestMostIterations(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"))
	var at lazy.Position
	most := int32(0)
	tree := r.Tree(true)
	if _, _, err := tree.ExpandAll(t.Context(), tree.ThreadAt(0), 0, 1<<40, nil); err != nil {
		t.Fatal(err)
	}
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		if p := row.Node.Point(); p != nil && p.Class == format.ClassLoop && row.Node.Footer().Iterations > most {
			at, most = row.Node.Position(), row.Node.Footer().Iterations
		}
	}
	loop, _, err := LoopAt(t.Context(), r, false, at)
	if err != nil || loop.In == "" {
		t.Fatal(loop, err)
	}
	for _, share := range sharesOf(r, math.MaxInt64) {
		var scope Scope
		if err := scope.In(t.Context(), r, lazy.PositionHandle(at)); err != nil {
			t.Fatal(err)
		}
		x := NewIterations(r, scope, loop)
		x.most = 5
		pass := scope.Over(x)
		pass.Share = share
		if err := r.Pass(t.Context(), pass); err != nil {
			t.Fatal(err)
		}
		made := x.Table(View{Done: 1, G: &display.Unicode})
		if n, _ := x.Set.Count(); x.Found() != int64(most) || n != int(most) || made.Rows.Len() != 5 {
			t.Errorf("%d iterations, %d places, %d rows; want %d", x.Found(), n, made.Rows.Len(), most)
		}
		if want := fmt.Sprintf("%d more were counted and are not listed", most-5); !slices.Contains(made.Notes, want) {
			t.Errorf("%q, want %q", made.Notes, want)
		}
	}
}
