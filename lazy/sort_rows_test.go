package lazy

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// sortedNode is an expanded node whose rows a test changes at random, with the expected
// result.
type sortedNode struct {
	t    *testing.T
	tree *Tree
	n    *Node
	all  []*Node       // sorted, from another tree
	rank map[int64]int // indexes in all, by logical offset
}

func newSortedNode(t *testing.T, tree *Tree, n *Node) *sortedNode {
	t.Helper()
	ctx := context.Background()
	other := newTree(tree.r, tree.Folded(), nil)
	same := other.thread(n.Thread())
	if !n.IsThread() {
		var err error
		if same, err = other.Reveal(ctx, n.Position()); err != nil {
			t.Fatal(err)
		}
	}
	kids, err := other.Children(ctx, same)
	if err != nil {
		t.Fatal(err)
	}
	s := &sortedNode{t: t, tree: tree, n: n, all: byWeight(kids), rank: make(map[int64]int)}
	for i, c := range s.all {
		s.rank[c.Position().At] = i
	}
	tree.Expand(n)
	if err := tree.Sort(ctx, n, OrderWeight, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// rows returns the current rows of the node, and checks that they are the
// same from both ends and represent all children in their order.
func (s *sortedNode) rows() []Row {
	s.t.Helper()
	var down, up []Row
	for r, ok := s.tree.FirstChild(s.n); ok; r, ok = s.tree.NextSibling(r) {
		if down = append(down, r); len(down) > 2*len(s.all)+2 {
			s.t.Fatalf("the rows do not end")
		}
	}
	for r, ok := s.tree.LastChild(s.n); ok; r, ok = s.tree.PrevSibling(r) {
		if up = append(up, r); len(up) > 2*len(s.all)+2 {
			s.t.Fatalf("the rows do not end upwards")
		}
	}
	slices.Reverse(up)
	if !slices.Equal(down, up) {
		s.t.Fatalf("%d rows downwards, %d upwards:\n%+v\n%+v", len(down), len(up), down, up)
	}
	at := int64(0)
	for _, r := range down {
		if !r.Gap() {
			if want := s.all[at].Position(); r.Node.Position() != want {
				s.t.Fatalf("child %d at %v, want %v", at, r.Node.Position(), want)
			}
			at++
			continue
		}
		missing, known := r.Missing()
		if !known || missing <= 0 {
			s.t.Fatalf("a gap of %d children, known %v", missing, known)
		}
		at += missing
	}
	if at != int64(len(s.all)) {
		s.t.Fatalf("rows for %d children, want %d", at, len(s.all))
	}
	return down
}

// change does something random that changes rows.
func (s *sortedNode) change(rng *rand.Rand, rows []Row) {
	s.t.Helper()
	ctx := context.Background()
	var err error
	switch r := rows[rng.IntN(len(rows))]; rng.IntN(8) {
	case 0, 1, 2:
		err = s.tree.Load(ctx, r, End(rng.IntN(2)))
	case 3, 4:
		c := s.all[rng.IntN(len(s.all))]
		var n *Node
		if n, err = s.tree.Reveal(ctx, c.Position()); err == nil && n.Position() != c.Position() {
			s.t.Fatalf("revealed %v, want %v", n.Position(), c.Position())
		}
		if !slices.Contains(s.rows(), rowOf(n)) {
			s.t.Fatalf("what was revealed has no row")
		}
	case 5:
		if r.Node != nil {
			s.tree.ForgetNode(r.Node)
		}
	case 6:
		s.tree.Rows(r, 10)
		_, err = s.tree.Range(ctx, s.n, int64(rng.IntN(len(s.all))), 5)
	case 7:
		if rng.IntN(4) == 0 {
			s.tree.Forget(s.n)
			s.tree.Expand(s.n)
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestSortedRows changes the loaded part of sorted nodes in all ways: the rows represent
// all children, and earlier rows can be resolved.
func TestSortedRows(t *testing.T) {
	for _, spec := range sortedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(spec.Seed, 8))
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true, Memory: 256 << 10})
			for _, folded := range []bool{false, true} {
				tree := r.Tree(folded)
				tree.sorter.maxRange = 1 + rng.IntN(40)
				kids, err := tree.Children(context.Background(), tree.Threads()[0])
				if err != nil {
					t.Fatal(err)
				}
				n, err := tree.Reveal(context.Background(), largestOf(tree, kids).Position())
				if err != nil {
					t.Fatal(err)
				}
				s := newSortedNode(t, tree, n)
				rows := s.rows()
				for range 120 {
					s.change(rng, rows)
					now := s.rows()
					for _, old := range rows {
						at := tree.Resolve(old)
						if !slices.Contains(now, at) {
							t.Fatalf("%+v is resolved to %+v, which is no row", old, at)
						}
						if old.Node != nil && at.Node != nil && at.Node.Position() != old.Node.Position() {
							t.Fatalf("the node at %v is resolved to the one at %v", old.Node.Position(), at.Node.Position())
						}
					}
					rows = now
				}
				if len(n.kids.sorted.ranges) > maxRanges {
					t.Fatalf("%d ranges", len(n.kids.sorted.ranges))
				}
				tree.Forget(tree.Threads()[0])
				for _, th := range tree.Threads() {
					tree.Forget(th)
				}
				if st := tree.Stats(); st.Bytes != 0 || st.Loaded != 0 {
					t.Fatalf("all forgotten, but %+v", st)
				}
			}
		})
	}
}

// largestOf returns the node with the most children, among some nodes and their first
// descendants.
func largestOf(tree *Tree, nodes []*Node) *Node {
	most, best := int64(-1), nodes[0]
	for len(nodes) > 0 {
		n := nodes[0]
		nodes = nodes[1:]
		count, _, err := tree.CountChildren(context.Background(), n, 0)
		if err == nil && count > most {
			most, best = count, n
		}
		if first, err := tree.Range(context.Background(), n, 0, 1); err == nil && n.Depth() < 4 {
			nodes = append(nodes, first...)
		}
	}
	return best
}
