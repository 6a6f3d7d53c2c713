package lazy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
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

// TestPrintDepth: where levels are left out, a line has the number of children, as the eager loader counts them; as
// JSON the numbers add up to the points of the next level.
func TestPrintDepth(t *testing.T) {
	corpus(t, func(t *testing.T, path string) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if st, err := f.Stat(); err != nil || st.Size() > 1<<20 {
			return
		}
		forest, err := eager.Load(f)
		if err != nil {
			t.Fatal(err)
		}
		r := ready(t, path, Options{NoWrite: true})
		var all bytes.Buffer
		for _, o := range []PrintOptions{{MaxDepth: 1}, {MaxDepth: 2, Folded: true}, {MaxDepth: 3}, {MaxDepth: 4, Folded: true, Values: true}} {
			var got, want, asJSON bytes.Buffer
			if err := r.Print(t.Context(), &got, o, PrintRange{}); err != nil {
				t.Fatal(err)
			}
			if err := forest.Print(&want, o); err != nil {
				t.Fatal(err)
			}
			formattest.SameText(t, got.Bytes(), want.Bytes())

			o.JSON, all = true, bytes.Buffer{}
			if err := r.Print(t.Context(), &asJSON, o, PrintRange{}); err != nil {
				t.Fatal(err)
			}
			below := o.MaxDepth + 1
			o.MaxDepth = 0
			if err := r.Print(t.Context(), &all, o, PrintRange{}); err != nil {
				t.Fatal(err)
			}
			if told, there := unloadedIn(t, &asJSON), pointsAt(t, &all, below); told != there {
				t.Errorf("depth %d: %d left out, and %d points below", below-1, told, there)
			}
		}
	})
}

// jsonLine is what these tests read of a line.
type jsonLine struct {
	Kind     string
	Event    *int32
	Depth    int
	Unloaded int
}

func eachLine(t *testing.T, b *bytes.Buffer, use func(jsonLine)) {
	t.Helper()
	for d := json.NewDecoder(b); ; {
		var l jsonLine
		if err := d.Decode(&l); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		use(l)
	}
}

// unloadedIn adds up what lines say is left out.
func unloadedIn(t *testing.T, b *bytes.Buffer) (n int) {
	eachLine(t, b, func(l jsonLine) { n += l.Unloaded })
	return n
}

// pointsAt counts the points of a depth.
func pointsAt(t *testing.T, b *bytes.Buffer, depth int) (n int) {
	eachLine(t, b, func(l jsonLine) {
		if l.Event != nil && l.Depth == depth {
			n++
		}
	})
	return n
}

// TestPrintLoadedNodes: a node, given or in focus, is printed as an event with all below it is, once all of that is
// loaded; and with its children forgotten, as one that leaves out all levels.
func TestPrintLoadedNodes(t *testing.T) {
	for _, folded := range []bool{false, true} {
		r := ready(t, formattest.Unpack(t, "shapes.stream.bin", "shapes.stream.bin.idx"), Options{NoWrite: true})
		tree := r.Tree(folded)
		listing(t, tree)
		var nodes []*Node
		for _, th := range tree.Threads() {
			for _, root := range childrenOf(t, tree, th) {
				nodes = append(nodes, root)
				nodes = append(nodes, childrenOf(t, tree, root)...)
			}
		}
		if len(nodes) < 5 {
			t.Fatalf("%d nodes", len(nodes))
		}
		for _, o := range []PrintOptions{{}, {JSON: true}, {Verbose: true, MaxDepth: 2}} {
			o.Folded = folded
			var all, want bytes.Buffer
			for _, n := range nodes {
				var one, event bytes.Buffer
				if err := r.PrintEvent(t.Context(), &event, o, n.Point().Event, true, PrintRange{}); err != nil {
					t.Fatal(err)
				}
				tree.Focus(n)
				if err := tree.PrintLoaded(t.Context(), &one, o); err != nil {
					t.Fatal(err)
				}
				tree.Focus(nil)
				formattest.SameText(t, one.Bytes(), event.Bytes())
				want.Write(event.Bytes())
			}
			if o.JSON {
				continue // a head for each above, one for all below
			}
			if err := tree.PrintLoaded(t.Context(), &all, o, nodes...); err != nil {
				t.Fatal(err)
			}
			formattest.SameText(t, all.Bytes(), want.Bytes())
		}
		n := nodes[slices.IndexFunc(nodes, func(n *Node) bool { return len(childrenOf(t, tree, n)) > 1 })]
		count := len(childrenOf(t, tree, n))
		tree.Forget(n)
		var got bytes.Buffer
		if err := tree.PrintLoaded(t.Context(), &got, PrintOptions{}, n); err != nil {
			t.Fatal(err)
		}
		if _, last, _ := strings.Cut(got.String(), "\n"); last != fmt.Sprintf("  ... <%d unloaded children>\n", count) {
			t.Errorf("%d children forgotten: %q", count, got.String())
		}
	}
}

// childrenOf returns all children of a node.
func childrenOf(t *testing.T, tree *Tree, n *Node) []*Node {
	t.Helper()
	list, err := tree.Children(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
