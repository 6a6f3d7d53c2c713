package lazy

import (
	"context"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// TestTinyBudget walks all of a tree in both directions, expanding all nodes,
// with almost no memory: each iteration makes progress, and every node is seen.
func TestTinyBudget(t *testing.T) {
	ctx := context.Background()
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 1500, Seed: 3},
		{Shape: formattest.Random, N: 1200, Seed: 4, Wild: true},
		{Shape: formattest.WideLeaves, N: 5000, Seed: 5},
		{Shape: formattest.Deep, N: 400, Seed: 6},
	} {
		t.Run(spec.Name(), func(t *testing.T) {
			path := formattest.File(t, spec)
			for _, folded := range []bool{false, true} {
				want := listing(t, ready(t, path, Options{NoWrite: true}).Tree(folded))
				for _, screen := range []int{0, 5} {
					r := ready(t, path, Options{NoWrite: true, Memory: 64 << 10})
					tree := r.Tree(folded)
					seen := 0
					row, ok := tree.First()
					for loads := 0; ok; {
						if screen > 0 {
							tree.Rows(row, screen)
						}
						if row.Gap() {
							if loads++; loads > 100 {
								t.Fatalf("stuck at %+v after %d rows", row, seen)
							}
							if err := tree.Load(ctx, row, AtStart); err != nil {
								t.Fatal(err)
							}
							gap := row
							if row = tree.Resolve(gap); row.Parent == gap.Parent && row.From >= gap.From {
								continue
							}
							row, ok = tree.Next(row) // nothing was in the gap
							continue
						}
						loads = 0
						if !row.Node.IsThread() {
							if row.Node.Position() != want[seen].Position {
								t.Fatalf("row %d is at %+v, want %+v", seen, row.Node.Position(), want[seen].Position)
							}
							seen++
						}
						tree.Expand(row.Node)
						row, ok = tree.Next(row)
					}
					if seen != len(want) {
						t.Fatalf("%d rows, want %d", seen, len(want))
					}
					walkUp(t, tree, screen, want)
				}
			}
		})
	}
}

// walkUp goes from the last row to the first, expanding the nodes that it reaches from
// below.
func walkUp(t *testing.T, tree *Tree, screen int, want []shown) {
	t.Helper()
	row, ok := tree.Last()
	left, loads := len(want), 0
	for ok {
		if screen > 0 {
			tree.Rows(row, screen)
		}
		if row.Gap() {
			if loads++; loads > 100 {
				t.Fatalf("stuck at %+v, %d rows left", row, left)
			}
			if err := tree.Load(context.Background(), row, AtEnd); err != nil {
				t.Fatal(err)
			}
			// The row that ends where the gap ended.
			tree.mu.Lock()
			up, in := row.Parent.rowBefore(row.To)
			if in {
				row = tree.roots.deepest(up)
			} else {
				row = rowOf(row.Parent)
			}
			tree.mu.Unlock()
			continue
		}
		if !row.Node.Leaf() && !tree.IsExpanded(row.Node) {
			tree.Expand(row.Node)
			if in, ok := tree.LastChild(row.Node); ok {
				row = in
				continue
			}
		}
		loads = 0
		if !row.Node.IsThread() {
			left--
			if left < 0 || row.Node.Position() != want[left].Position {
				t.Fatalf("row %d from below is at %+v", left, row.Node.Position())
			}
		}
		row, ok = tree.Prev(row)
	}
	if left != 0 {
		t.Fatalf("%d rows were not seen on the way up", left)
	}
}

// TestBudgetWithoutScreen: the budget also holds for callers that never report which
// rows are on the screen.
func TestBudgetWithoutScreen(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 4})
	r := ready(t, path, Options{NoWrite: true, Memory: 1 << 20})
	tree := r.Tree(true)
	nodes := 0
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		kids, err := tree.Children(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		nodes += len(kids)
		todo = append(todo, kids...)
		if st := tree.Stats(); st.Bytes > st.Budget+st.Budget/8 {
			t.Fatalf("%+v after %d nodes", st, nodes)
		}
	}
	if nodes < 20_000 || tree.Stats().Forgotten == 0 {
		t.Fatalf("%d nodes, %+v", nodes, tree.Stats())
	}
}

// TestExpandForgetsCollapsed: where memory is short, what is below collapsed nodes goes before an expansion gives up,
// and nothing that is on a row does.
func TestExpandForgetsCollapsed(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 3})
	whole := ready(t, path, Options{NoWrite: true})
	tree := whole.Tree(false)
	if _, complete, err := tree.ExpandAll(t.Context(), tree.ThreadAt(0), 0, 1<<40, nil); err != nil || !complete {
		t.Fatal(complete, err)
	}
	all := tree.Stats()

	r := ready(t, path, Options{NoWrite: true, Memory: all.Bytes * 2 / 3})
	tree = r.Tree(false)
	th := tree.ThreadAt(0)
	tree.Expand(th)
	for kids := childrenOf(t, tree, th); len(kids) == 1; kids = childrenOf(t, tree, th) { // down to where there are several
		th = kids[0]
		tree.Expand(th)
	}
	kids := childrenOf(t, tree, th)
	var inner []*Node // the two largest
	for range 2 {
		var most *Node
		for _, c := range kids {
			if e := c.e.Load(); !slices.Contains(inner, c) && (most == nil || e.End-e.Start > most.e.Load().End-most.e.Load().Start) {
				most = c
			}
		}
		inner = append(inner, most)
	}
	for _, n := range inner {
		if _, _, err := tree.ExpandAll(t.Context(), n, 0, 1<<40, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, complete, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil || complete {
		t.Fatalf("%d of %d bytes hold all: %v, %v", all.Bytes*2/3, all.Bytes, complete, err)
	}
	full := tree.Stats()
	for _, c := range kids {
		tree.Collapse(c)
	}
	rows, complete, err := tree.ExpandAll(t.Context(), inner[1], 0, 1<<40, nil)
	if err != nil || !complete || rows == 0 {
		t.Errorf("%d rows, %v, %v: what is collapsed should make room", rows, complete, err)
	}
	if st := tree.Stats(); st.Forgotten <= full.Forgotten {
		t.Errorf("nothing was forgotten: %+v, before %+v", st, full)
	}
	for i, c := range childrenOf(t, tree, th) {
		if c != kids[i] {
			t.Fatalf("row %d is no longer in memory", i)
		}
	}
}

// TestExpandMore: each time one more level is open, until all is; and it tells how many rows came.
func TestExpandMore(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"), Options{NoWrite: true})
	tree := r.Tree(true)
	root := childrenOf(t, tree, tree.ThreadAt(0))[0]
	levels := func() map[int]int {
		n := make(map[int]int)
		tree.Focus(root)
		defer tree.Focus(nil)
		for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
			n[row.Depth-root.Depth()]++
		}
		return n
	}
	for level := 1; ; level++ {
		before := levels()
		rows, complete, err := ExpandMore(t.Context(), tree, root, 1<<40, nil)
		if err != nil || !complete {
			t.Fatal(complete, err)
		}
		after := levels()
		if rows != after[level] || after[level+1] != 0 {
			t.Fatalf("level %d: %d rows told, %v before, %v after", level, rows, before, after)
		}
		if rows == 0 {
			if level < 4 {
				t.Errorf("%d levels", level)
			}
			return
		}
	}
}
