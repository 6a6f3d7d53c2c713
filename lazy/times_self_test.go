package lazy

import (
	"context"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestSelf compares the self times of nodes with the sum over the calls in them, those in loops included,
// and the longest child with all children.
func TestSelf(t *testing.T) {
	ctx := context.Background()
	for _, spec := range timedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
			for _, folded := range []bool{false, true} {
				tree := r.Tree(folded)
				todo := tree.Threads()
				for len(todo) > 0 {
					n := todo[0]
					kids, err := tree.Children(ctx, n)
					if err != nil {
						t.Fatal(err)
					}
					todo = append(todo[1:], kids...)
					sameLongest(t, tree, n, kids)
					took, timed := n.Time()
					if _, _, known := n.Self(); known && (!timed || n.e.Load().HasContent()) && len(kids) > 0 {
						if count, _, counted := n.Count(); !counted || count == 0 {
							t.Fatalf("self known of what has not been counted")
						}
					}
					if _, _, err := tree.CountChildren(ctx, n, 0); err != nil {
						t.Fatal(err)
					}
					got, exact, known := n.Self()
					if known != timed {
						t.Fatalf("%v: self known %v, time known %v", n.Position(), known, timed)
					}
					if !timed || n.IsThread() {
						continue
					}
					if self := took.Duration - callsIn(t, tree, kids); got != self || !exact {
						t.Fatalf("event %d: self %d, exact %v, want %d", n.Point().Event, got, exact, took.Duration-callsIn(t, tree, kids))
					}
				}
			}
		})
	}
}

// TestSelfOfLargeLoop: the calls in a large loop are not looked for; then the self time is an upper bound.
func TestSelfOfLargeLoop(t *testing.T) {
	for n, exact := range map[int]bool{100: true, 40_000: false} {
		r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Wide, N: n, Seed: 1, Timed: true}), Options{NoWrite: true})
		tree := r.Tree(false)
		var loop *Node
		for n := tree.Threads()[0]; loop == nil; {
			kids, err := tree.Children(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			if n = kids[0]; n.Point().Class == format.ClassLoop {
				loop = n
			}
		}
		in := loop.Parent()
		if _, _, err := tree.CountChildren(t.Context(), in, 0); err != nil {
			t.Fatal(err)
		}
		took, _ := in.Time()
		want := took.Duration - callsIn(t, tree, []*Node{loop})
		if self, isExact, known := in.Self(); !known || isExact != exact || self < want || exact && self != want {
			t.Errorf("%d iterations: self %d, exact %v, known %v; want %d, %v", n, self, isExact, known, want, exact)
		}
	}
}

// callsIn adds up the times of calls, and of those in loops.
func callsIn(t *testing.T, tree *Tree, list []*Node) (ns int64) {
	t.Helper()
	for _, n := range list {
		if n.Point().Class == format.ClassCall {
			ns += max(0, weightOf(n))
			continue
		}
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		ns += callsIn(t, tree, kids)
	}
	return ns
}

// sameLongest compares Longest with all children.
func sameLongest(t *testing.T, tree *Tree, n *Node, kids []*Node) {
	t.Helper()
	p, ok, err := tree.Longest(context.Background(), n, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want *Node
	for _, c := range kids {
		if weightOf(c) >= 0 && (want == nil || weightOf(c) > weightOf(want)) {
			want = c
		}
	}
	if ok != (want != nil) {
		t.Fatalf("longest found %v, want %v", ok, want != nil)
	}
	if ok {
		if e := want.e.Load(); p.At < e.At || p.At >= e.Next {
			t.Fatalf("the longest is at %v, want %v", p, want.Position())
		}
	}
}
