package lazy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// outlined is a node with its path, for comparing trees.
type outlined struct {
	depth int
	text  string
	at    Position
}

// outlineOf returns all nodes of a tree in their order. With skip, an iteration that is the only child of
// its loop is left out, and what it contains is one level up.
func outlineOf(t *testing.T, tree *Tree, skip bool) (list []outlined) {
	t.Helper()
	var below func(n *Node, depth int)
	below = func(n *Node, depth int) {
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if count, _, err := tree.CountChildren(t.Context(), n, 0); err != nil || count != int64(len(kids)) {
			t.Fatalf("%d children are counted of %d: %v", count, len(kids), err)
		}
		for _, c := range kids {
			if skip && len(kids) == 1 && c.Point().Class == format.ClassIteration && c.Point().Number == 0 &&
				!n.IsThread() && n.Point().Class == format.ClassLoop && n.Footer().Iterations == 1 &&
				(c.Point().Diff == format.DiffNone || c.Point().Diff == n.Point().Diff) {
				below(c, depth)
				continue
			}
			list = append(list, outlined{depth, string(tree.AppendText(nil, c, false)), c.Position()})
			below(c, depth+1)
		}
	}
	for _, n := range tree.Threads() {
		below(n, 1)
	}
	return list
}

// TestInline: a tree with loops of one iteration inline has the nodes of the plain tree without these
// iterations, each can be revealed, and the iterations' positions lead to the
// loops. A raw tree is as it was.
func TestInline(t *testing.T) {
	for name, path := range map[string]string{
		"gson":      formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"),
		"generated": formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1, Timed: true}),
		"random":    formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 3}),
	} {
		t.Run(name, func(t *testing.T) {
			r := ready(t, path, Options{NoWrite: true})
			for _, folded := range []bool{true, false} {
				plain, tree := r.Tree(folded), r.Tree(folded)
				Inline(tree)
				want, got := outlineOf(t, plain, folded), outlineOf(t, tree, false)
				if !slices.Equal(got, want) {
					for i := range min(len(got), len(want)) {
						if got[i] != want[i] {
							t.Fatalf("folded %v: node %d after %v is %v, want %v", folded, i, got[i-1], got[i], want[i])
						}
					}
					t.Fatalf("folded %v: %d nodes, want %d", folded, len(got), len(want))
				}
				if !folded {
					continue
				}
				inlined := 0
				again := r.Tree(true)
				Inline(again)
				rnd := rand.New(rand.NewPCG(1, 2))
				for _, o := range outlineOf(t, plain, false) {
					if rnd.IntN(4) > 0 {
						continue
					}
					n, err := again.Reveal(t.Context(), o.at)
					if err != nil {
						t.Fatal(err)
					}
					if inner, ok := Inlined(n); ok && inner == o.at {
						inlined++
					} else if n.Position() != o.at {
						t.Fatalf("the way to %v leads to %v", o, n.Position())
					}
				}
				if inlined == 0 && name == "gson" {
					t.Error("no loop has one iteration: the test shows nothing")
				}
			}
		})
	}
}

// TestInlineShown: an iteration that has no row of its own, and is a place, is shown by its loop.
func TestInlineShown(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"), Options{NoWrite: true})
	tree := r.Tree(true)
	Inline(tree)
	places := &somePlaces{at: make(map[int32][]int64), all: true}
	var want []Position
	var below func(n *Node)
	below = func(n *Node) {
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range kids {
			if p, ok := Inlined(c); ok && len(want) < 20 {
				places.at[p.Thread] = append(places.at[p.Thread], p.At)
				want = append(want, c.Position())
			}
			below(c)
		}
	}
	below(tree.ThreadAt(0))
	places.ids = []int32{tree.ThreadAt(0).Thread()}
	slices.Sort(places.at[places.ids[0]])
	if len(want) < 5 {
		t.Fatal("the test shows nothing")
	}
	ShownIn(tree).Only(places)
	var got []Position
	row, ok := tree.First()
	for ; ok; row, ok = tree.Next(row) {
		for row.Gap() {
			if err := tree.Load(t.Context(), row, AtStart); err != nil {
				t.Fatal(err)
			}
			row = tree.Resolve(row)
		}
		if l := tree.Lines([]Row{row}, false)[0]; l.Place {
			got = append(got, row.Node.Position())
			row.Node.kids = nil
		}
	}
	for _, p := range want {
		if !slices.Contains(got, p) {
			// A loop within another that is a place is shown as it is.
			n, err := tree.Reveal(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			in := false
			for up := n.Parent(); up != nil; up = up.Parent() {
				in = in || slices.Contains(got, up.Position())
			}
			if !in {
				t.Error(fmt.Sprint(p, " is not shown"))
			}
		}
	}
}

// TestInlineBegun: a loop of one iteration in which a second began has no row for either; one in which many did
// is not read for its row.
func TestInlineBegun(t *testing.T) {
	for begun, inline := range map[int]bool{0: true, 1: true, walk.MostBegun: true, walk.MostBegun + 1: false, 500: false} {
		w := formattest.NewBuilder(t)
		w.Thread(0)
		w.Loop(int32(1+min(begun, 1)), w.Variable("v"), append([]int{3}, make([]int, begun)...)...)
		tree := ready(t, w.File(), Options{NoWrite: true}).Tree(true)
		Inline(tree)
		list, err := tree.Children(t.Context(), tree.ThreadAt(0))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if _, ok := Inlined(list[0]); ok != inline {
			t.Errorf("%d more iterations begin: inline %v", begun, ok)
		}
	}
}
