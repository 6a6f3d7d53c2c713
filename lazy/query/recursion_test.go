package query

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
)

// TestCallersNested: paths are as those of [TestCallers] where calls are deep within one another and most of the open
// ones are in a file, with recursions that overlap.
func TestCallersNested(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 300, Seed: 5, Timed: true}))
	roots := calls(forest(t, r, true))
	count := make(map[string]int)
	r.WithContext(func(c *format.Context) {
		for list := roots; len(list) > 0; list = calls(list[0].kids) {
			count[c.Method(list[0].ref).Name]++
		}
	})
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	if count[names[3]] < 5 {
		t.Fatalf("the methods are called %v times", count)
	}
	defer spill.SetChunk(64)()
	var steps []Step
	for i := range 5 {
		var scope Scope
		if err := scope.Edit(t.Context(), r, steps); err != nil {
			t.Fatal(err)
		}
		scope.Raw = true
		for _, o := range []CallersOptions{{Depth: 3}, {Depth: 40, Self: true}, {Depth: 4, Callees: true}, {Depth: 100, Callees: true}} {
			for _, o.Method = range []string{names[0], names[4]} {
				checkCallers(t, r, roots, scope, o, 0)
				checkCallers(t, r, roots, scope, o, 5000)
			}
		}
		step, err := ParseStep(Recursion, names[i])
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
}

// TestCollapsed: what is left of a stack, and the first call asked for in that, is what is left when each recursion takes its
// calls out one after another.
func TestCollapsed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	defer spill.SetChunk(16)()
	for range 3000 {
		p := &focusPart{recursions: []*recursion{{}, {}, {}}}
		var left, asked []int
		of := make([]uint64, 1+rng.IntN(14))
		for n := range of {
			of[n] = 1 << rng.IntN(4) & 7
			for i, r := range p.recursions {
				if of[n]&(1<<i) != 0 {
					r.open.Push(n)
				}
			}
			if rng.IntN(3) == 0 {
				p.open.Push(n)
				asked = append(asked, n)
			}
			p.stack.Push(focusCall{of: of[n]})
			left = append(left, n)
		}
		for i := range p.recursions {
			is := func(n int) bool { return of[n]&(1<<i) != 0 }
			if first := slices.IndexFunc(left, is); first >= 0 {
				last := len(left) - 1
				for !is(left[last]) {
					last--
				}
				left = slices.Delete(left, first+1, last+1)
			}
		}
		calls := p.collapsed()
		var got []int
		for i := range calls.len() {
			got = append(got, calls.number(i))
		}
		want := slices.IndexFunc(left, func(n int) bool { return slices.Contains(asked, n) })
		if first := calls.asked(); !slices.Equal(got, left) || first != want {
			t.Fatalf("of %v with %v asked for, %v is left and asked is %d, want %v and %d", of, asked, got, first, left, want)
		}
		p.leaveAll()
	}
}

// TestStackedRecursions: the stack of each call that begins is that of a plain copy of the stack around it, whatever calls
// began and ended before.
func TestStackedRecursions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	defer spill.SetChunk(100)()
	p := newStacksPart(&StacksOptions{Deep: 1000}, nil)
	const methods = 4
	for of := range int32(2) { // the first methods are those of recursions
		known := make(map[int32]bool)
		for m := range int32(methods) {
			known[m] = m == of
		}
		p.recursions, p.outer = append(p.recursions, &recursion{methodTest: methodTest{known: known}}), append(p.outer, stackCall{})
	}
	type call struct {
		path  []int32
		outer [2]int // by recursion: the index in path of its outermost call
	}
	for range 300 {
		p.begin(7)
		open := []call{{outer: [2]int{-1, -1}}}
		for range 40 {
			if len(open) > 1 && rng.IntN(3) == 0 {
				p.pop()
				open = open[:len(open)-1]
				continue
			}
			method, in := rng.Int32N(methods), open[len(open)-1]
			path := append(slices.Clone(in.path), method)
			if method < 2 && in.outer[method] >= 0 {
				path = path[:in.outer[method]+1]
			}
			for i := range in.outer {
				if in.outer[i] >= len(path) {
					in.outer[i] = -1
				}
				if int(method) == i && in.outer[i] < 0 {
					in.outer[i] = len(path) - 1
				}
			}
			open = append(open, call{path, in.outer})
			node, _ := p.push(&lazy.PassFrame{Ref: method}, method)
			var got []int32
			for ; p.tree.Nodes[node].At != AtThread; node = p.tree.Nodes[node].Parent {
				got = append(got, p.tree.Nodes[node].What)
			}
			if slices.Reverse(got); !slices.Equal(got, path) {
				t.Fatalf("the stack is %v, want %v", got, path)
			}
		}
		p.clear()
	}
}
