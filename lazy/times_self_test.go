package lazy

import (
	"context"
	"testing"

	"tracex/format/formattest"
)

// TestSelf compares the self times of nodes with the sum over all raw children, also in
// the folded tree, and the longest child with all children.
func TestSelf(t *testing.T) {
	ctx := context.Background()
	for _, spec := range timedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
			want := make(map[int32]int64) // by event
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
					if _, _, known := n.Self(); known && (!timed || n.e.Load().hasContent()) && len(kids) > 0 {
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
					if !folded {
						self := took.Duration
						for _, c := range kids {
							self -= max(0, weightOf(c))
						}
						want[n.Point().Event] = self
					}
					if self := want[n.Point().Event]; got != self || !exact {
						t.Fatalf("event %d: self %d, exact %v, want %d", n.Point().Event, got, exact, self)
					}
				}
			}
		})
	}
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
		if e := want.e.Load(); p.At < e.at || p.At >= e.next {
			t.Fatalf("the longest is at %v, want %v", p, want.Position())
		}
	}
}
