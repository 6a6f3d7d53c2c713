package lazy

import (
	"context"
	"testing"

	"tracex/format/formattest"
)

// TestLargest compares the results with all children loaded, on all levels.
func TestLargest(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(4) {
		spec := formattest.Spec{Shape: formattest.Random, N: 1500, Seed: seed}
		spec.BlockSize = 4096
		for _, folded := range []bool{false, true} {
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
			tree := r.Tree(folded)
			if seed%2 == 0 {
				Inline(tree)
			}
			todo := tree.Threads()
			for len(todo) > 0 {
				n := todo[0]
				nodes, err := tree.Children(ctx, n)
				if err != nil {
					t.Fatal(err)
				}
				todo = append(todo[1:], nodes...)
				position, ok, err := tree.Largest(ctx, n, nil)
				if err != nil || ok != (len(nodes) > 0) {
					t.Fatalf("%d children, but found %v: %v", len(nodes), ok, err)
				}
				if !ok {
					continue
				}
				got, err := tree.Reveal(ctx, position)
				if err != nil {
					t.Fatal(err)
				}
				size := func(n *Node) (nested, bytes int64) {
					nested, _ = n.Nested()
					e := n.e.Load()
					return nested, e.Next - e.At
				}
				for got.Parent() != n && got.Parent() != nil {
					got = got.Parent()
				}
				nested, bytes := size(got)
				for _, c := range nodes {
					if in, of := size(c); in > nested || in == nested && of > bytes {
						t.Fatalf("a child of %d bytes with %d in it, but the largest has %d and %d", of, in, bytes, nested)
					}
				}
			}
		}
	}
}
