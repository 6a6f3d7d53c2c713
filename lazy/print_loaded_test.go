package lazy

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/eager"
)

// TestPrintLoaded forgets the same children in a tree and in a forest.
func TestPrintLoaded(t *testing.T) {
	ctx := context.Background()
	corpus(t, func(t *testing.T, path string) {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Size() > 1<<20 {
			return
		}
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		forest, err := eager.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		r := ready(t, path, Options{NoWrite: true})
		tree := r.Tree(false)
		listing(t, tree)
		rng := rand.New(rand.NewPCG(1, 9))
		type pair struct {
			n     *Node
			nodes []*Node
			eager []eager.Node
		}
		var todo []pair
		for i, th := range tree.Threads() {
			kids, err := tree.Children(ctx, th)
			if err != nil {
				t.Fatal(err)
			}
			todo = append(todo, pair{th, kids, slices.Collect(forest.Threads[i].Roots())})
		}
		for len(todo) > 0 {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if len(p.nodes) != len(p.eager) {
				t.Fatalf("%d children, want %d", len(p.nodes), len(p.eager))
			}
			for i, c := range p.nodes {
				if rng.IntN(5) == 0 {
					p.eager[i].Forget()
					tree.ForgetNode(c)
					continue
				}
				kids, err := tree.Children(ctx, c)
				if err != nil {
					t.Fatal(err)
				}
				todo = append(todo, pair{c, kids, slices.Collect(p.eager[i].Children())})
			}
		}
		for _, o := range []PrintOptions{{}, {Verbose: true}, {MaxDepth: 2}} {
			var got, want bytes.Buffer
			if err := tree.PrintLoaded(ctx, &got, o); err != nil {
				t.Fatal(err)
			}
			if err := forest.Print(&want, o); err != nil {
				t.Fatal(err)
			}
			formattest.SameText(t, got.Bytes(), want.Bytes())
		}
		// Everything in a thread is forgotten: one line for its roots.
		for _, th := range tree.Threads() {
			tree.Forget(th)
		}
		var got bytes.Buffer
		if err := tree.PrintLoaded(ctx, &got, PrintOptions{}); err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(got.Bytes(), []byte("\n")); lines > 2*len(tree.Threads()) {
			t.Fatalf("%d lines of a tree without nodes", lines)
		}
	})
}
