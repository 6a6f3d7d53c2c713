package lazy

import (
	"context"
	"testing"

	"tracex/format/formattest"
)

// TestFocus: the rows of a tree with one root are those that are in that node otherwise, from both
// ends; other rows give way to the root.
func TestFocus(t *testing.T) {
	for seed := range uint64(3) {
		for _, folded := range []bool{false, true} {
			spec := formattest.Spec{Shape: formattest.Random, N: 400, Seed: seed, Threads: 2}
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
			tree := r.Tree(folded)
			for _, th := range tree.Threads() {
				if _, complete, err := tree.ExpandAll(context.Background(), th, 0, 1<<30, nil); err != nil || !complete {
					t.Fatal(complete, err)
				}
			}
			var all []Row
			for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
				all = append(all, row)
			}
			for i, row := range all {
				if row.Node.IsThread() || row.Node.Leaf() || i%7 != 0 {
					continue
				}
				n := 1
				for i+n < len(all) && all[i+n].Depth > row.Depth {
					n++
				}
				focusOn(t, tree, all, i, n)
			}
			tree.Focus(nil)
			if first, _ := tree.First(); first != all[0] || !tree.InFocus(all[len(all)-1]) {
				t.Error("the focus has not ended")
			}
		}
	}
}

// focusOn focuses the i-th row, which has n with those in it.
func focusOn(t *testing.T, tree *Tree, all []Row, i, n int) {
	t.Helper()
	want, root := all[i:i+n], all[i].Node
	tree.Focus(root)
	if tree.Focused() != root {
		t.Fatal("no focus")
	}
	k := 0
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		if k == n || row != want[k] {
			t.Fatalf("row %d of %d is %+v", k, n, row)
		}
		if !tree.InFocus(row) || tree.Resolve(row) != row {
			t.Fatalf("row %d is not in focus", k)
		}
		k++
	}
	if k != n {
		t.Fatalf("%d rows, want %d", k, n)
	}
	for row, ok := tree.Last(); ok; row, ok = tree.Prev(row) {
		if k--; k < 0 || row != want[k] {
			t.Fatalf("from the end, row %d is %+v", k, row)
		}
	}
	if k != 0 {
		t.Errorf("from the end, %d rows are missing", k)
	}
	if rows := tree.Rows(want[0], n+5); len(rows) != n {
		t.Errorf("%d rows on a screen, want %d", len(rows), n)
	}
	if _, ok := tree.NextSibling(want[0]); ok {
		t.Error("the root has a sibling")
	}
	if _, ok := tree.PrevSibling(want[0]); ok {
		t.Error("the root has a sibling before it")
	}
	for _, other := range []int{0, i - 1, i + n} {
		if other < 0 || other >= len(all) {
			continue
		}
		if row := all[other]; tree.InFocus(row) || tree.Resolve(row) != want[0] {
			t.Errorf("row %d, outside, is %+v", other, tree.Resolve(row))
		}
	}
}

// TestFocusCollapse: what is around the root stays expanded.
func TestFocusCollapse(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 40}), Options{NoWrite: true})
	tree := r.Tree(true)
	if _, _, err := tree.ExpandAll(context.Background(), tree.Threads()[0], 0, 1<<30, nil); err != nil {
		t.Fatal(err)
	}
	row, _ := tree.First()
	for range 9 {
		row, _ = tree.Next(row)
	}
	tree.CollapseAll(tree.Threads()[0])
	tree.Focus(row.Node)
	if got := tree.Resolve(row); got != row {
		t.Errorf("the root is %+v", got)
	}
	tree.Expand(row.Node)
	below, ok := tree.Next(row)
	if !ok || below.Parent != row.Node {
		t.Fatalf("below the root is %+v", below)
	}
	tree.CollapseEverything()
	if got := tree.Resolve(below); got != row {
		t.Errorf("all is collapsed: %+v", got)
	}
	tree.Focus(nil)
	if got := tree.Resolve(row); got != row {
		t.Errorf("without focus: %+v", got)
	}
}
