package query

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// matching returns the points of a trace that match a filter, by its definition.
func matching(t *testing.T, r *lazy.LazyTraceReader, all []*point, e *filter.Expr) map[lazy.Position]bool {
	t.Helper()
	f, err := bound(r, e)
	if err != nil {
		t.Fatal(err)
	}
	match := make(map[lazy.Position]bool)
	r.WithContext(func(*format.Context) {
		for _, p := range all {
			if p.matches(f) {
				match[p.at] = true
			}
		}
	})
	return match
}

// filtered calls f with traces, the filters to try, and the roots of their trees, with the points that
// match marked.
func filtered(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader, raw bool, e *filter.Expr, roots []*node, share int64)) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 100_000 {
			return // long enough
		}
		_, timed := r.Times()
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			if len(all) == 0 {
				return
			}
			rng := rand.New(rand.NewPCG(uint64(len(all)), 2))
			list := filters(r, all, rng, timed)
			rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
			roots := forest(t, r, raw)
			for _, text := range append(list[:min(len(list), 3)], "kind=call depth>1", "has(kind=call)", "in(depth=2)") {
				e, err := filter.Parse(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				match := matching(t, r, all, e)
				var mark func(list []*node)
				mark = func(list []*node) {
					for _, n := range list {
						n.match = match[n.at]
						mark(n.kids)
					}
				}
				mark(roots)
				shares := []int64{0, max(150, size/60)}
				f(t, r, raw, e, roots, shares[rng.IntN(2)])
			}
		}
	})
}

// where returns a scope with a filter.
func where(t *testing.T, r *lazy.LazyTraceReader, raw bool, e *filter.Expr) Scope {
	t.Helper()
	scope := Scope{Raw: raw}
	if err := scope.Where(t.Context(), r, e); err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	return scope
}

// TestTopWhere: with a filter, a row has the calls that match it, by a plain recursion over the tree.
func TestTopWhere(t *testing.T) {
	filtered(t, func(t *testing.T, r *lazy.LazyTraceReader, raw bool, e *filter.Expr, roots []*node, share int64) {
		by := By(len(e.String()) % len(Bys))
		if e.Empty() {
			return // TestTop has it
		}
		want := plain(r, by)
		want.filtered = true
		want.estimate(roots)
		want.sum(roots)
		got := counted(t, r, where(t, r, raw, e), by, share)
		sameTop(t, fmt.Sprintf("%s, raw %v, by %v, share %d", e, raw, by, share), got, want)
	})
}

// TestCallersWhere: with a filter, paths lead to the calls that match it, by a plain recursion.
func TestCallersWhere(t *testing.T) {
	filtered(t, func(t *testing.T, r *lazy.LazyTraceReader, raw bool, e *filter.Expr, roots []*node, share int64) {
		roots = calls(roots)
		if _, timed := r.Times(); e.Empty() || timed && slices.ContainsFunc(roots, func(n *node) bool { return n.unended }) {
			return
		}
		scope := where(t, r, raw, e)
		for i, method := range methodsOf(r, roots) {
			o := []CallersOptions{{Depth: 3}, {Depth: 40, Self: true}, {Depth: 4, Callees: true}}[(i+len(e.String()))%3]
			o.Method = method
			checkCallers(t, r, roots, scope, o, share)
		}
	})
}

// moment is when a point happened, as far as is known.
type moment struct {
	at, end int64 // end: of a container whose time is known
	known   bool
}

// momentsOf returns when the points of a trace happened, by recursion over the tree.
func momentsOf(r *lazy.LazyTraceReader, all []*point) map[lazy.Position]moment {
	m := make(map[lazy.Position]moment)
	now, known := int64(0), false
	var walk func(p *point)
	walk = func(p *point) {
		if p.timed {
			now, known = p.time.Start, true
		}
		here := moment{at: now, known: known}
		for _, c := range p.children {
			walk(c)
		}
		if p.timed {
			now = p.time.End()
		}
		here.end = now
		m[p.at] = here
	}
	thread := int32(-1)
	for _, p := range all {
		if p.parent != nil {
			continue
		}
		if p.at.Thread != thread {
			thread = p.at.Thread
			t, ok := r.ThreadTime(thread)
			now, known = t.Start, ok
		}
		walk(p)
	}
	return m
}

// spanOf returns a span of time within a trace.
func spanOf(rng *rand.Rand, all []*point) (from, to int64) {
	pick := func() int64 {
		for range 100 {
			if p := all[rng.IntN(len(all))]; p.timed {
				return p.time.Start + rng.Int64N(2)*p.time.Duration
			}
		}
		return 1000
	}
	from, to = pick(), pick()
	if from > to {
		from, to = to, from
	}
	return from, to + 1
}

// TestFindSpan: what is found in a span of time is what a recursion over the tree finds there.
func TestFindSpan(t *testing.T) {
	some := 0
	for _, spec := range timedSpecs() {
		r := opened(t, formattest.File(t, spec))
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			when := momentsOf(r, all)
			rng := rand.New(rand.NewPCG(uint64(len(all)), 3))
			for _, text := range []string{"", "kind=write", "kind=call", "-kind=call depth>1"} {
				e, err := filter.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				match := matching(t, r, all, e)
				for _, share := range sharesOf(r, math.MaxInt64) {
					from, to := spanOf(rng, all)
					var want []lazy.Position
					for _, p := range all {
						if m := when[p.at]; match[p.at] && m.known && m.at >= from && m.at < to {
							want = append(want, p.at)
						}
					}
					some += len(want)
					scope := Scope{Raw: raw, Timed: true, From: from, To: to}
					pass := scope.Pass()
					pass.Share = share
					find := NewFind(r, pass, e, 0)
					find.Edit(scope)
					if err := find.Run(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					n, _ := find.Set.Count()
					for i := range min(n, len(want)) {
						if got, _ := find.Set.Place(i); got != want[i] {
							t.Errorf("%s: %q raw %v share %d: place %d is %v, want %v", spec.Name(), text, raw, share, i, got, want[i])
							break
						}
					}
					if n != len(want) {
						t.Errorf("%s: %q raw %v share %d, %d to %d: found %d, want %d", spec.Name(), text, raw, share, from, to, n, len(want))
					}
				}
			}
		}
	}
	if some == 0 {
		t.Error("nothing was found")
	}
}

// timedSpecs are traces with times and exceptions.
func timedSpecs() (list []formattest.Spec) {
	for i, shape := range []formattest.Shape{formattest.Random, formattest.Calls, formattest.Threads, formattest.Goroutines} {
		spec := formattest.Spec{Shape: shape, N: 600, Seed: uint64(4 + i), Timed: true, Options: formattest.Options{BlockSize: 3000}}
		if list = append(list, spec); !formattest.Race {
			spec.Crash, spec.Seed = formattest.CrashPartial, 9
			list = append(list, spec)
		}
	}
	return list
}

// TestThrowsWhere: with a filter or in a span of time, exceptions are those of a plain recursion whose
// throw, or the call that it was thrown in, matches.
func TestThrowsWhere(t *testing.T) {
	some := 0
	for _, spec := range timedSpecs() {
		r := opened(t, formattest.File(t, spec))
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			when := momentsOf(r, all)
			rng := rand.New(rand.NewPCG(uint64(len(all)), 4))
			list := filters(r, all, rng, true)
			for i, text := range append([]string{"", "kind=throw", "kind=catch", "threw", "kind=call depth>1"}, list[max(0, len(list)-5):]...) {
				e, err := filter.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				match := matching(t, r, all, e)
				scope := where(t, r, raw, e)
				if i%2 == 0 {
					scope.Timed = true
					scope.From, scope.To = spanOf(rng, all)
				}
				var p plainThrows
				p.in(nil, forest(t, r, raw), nil)
				slices.SortStableFunc(p.list, func(a, b *flight) int { return cmp.Compare(a.thread, b.thread) })
				p.list = slices.DeleteFunc(p.list, func(f *flight) bool {
					m := when[f.at]
					at := m.at
					if !f.recorded && f.in != nil {
						at = m.end // the first call that ended by it
					}
					return !(match[f.at] || f.in != nil && match[f.in.at]) || scope.Timed && !(m.known && at >= scope.From && at < scope.To)
				})
				some += len(p.list)
				share := shares[rng.IntN(len(shares))]
				sameThrows(t, fmt.Sprintf("%s: %q raw %v share %d %+v", spec.Name(), text, raw, share, scope.Timed), threw(t, r, scope, share), p.list)
			}
		}
	}
	if some == 0 {
		t.Error("no exceptions")
	}
}

// TestWhereUnprepared: a scope that only knows the title of its filter is no good for a pass.
func TestWhereUnprepared(t *testing.T) {
	e, err := filter.Parse("threw")
	if err != nil {
		t.Fatal(err)
	}
	var scope Scope
	scope.Titled(e)
	defer func() {
		if recover() == nil {
			t.Error("it counts all")
		}
	}()
	NewThrows(kotlin(t), scope, 0).Visitor()
}
