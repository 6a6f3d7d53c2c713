package lazy

import (
	"testing"

	"tracex/format/formattest"
)

// TestNested: what the index tells about a node's contents is the number of containers that a
// walk over everything below finds.
func TestNested(t *testing.T) {
	eachFindable(t, func(t *testing.T, r *LazyTraceReader) {
		tree := r.Tree(false)
		checked := 0
		var below func(n *Node) int64
		below = func(n *Node) (count int64) {
			children, err := tree.Children(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range children {
				if c.Point().Class.Container() {
					count += 1 + below(c)
				}
			}
			got, exact := n.Nested()
			switch {
			case n.IsThread() && r.Status().Unfinished > 0, !n.IsThread() && n.State() != StateWhole && n.Point().Class.Container():
				if exact || got > count {
					t.Fatalf("%v did not end: %d, exact %v, of %d", n.Position(), got, exact, count)
				}
			default:
				if !exact || got != count {
					t.Fatalf("%v: %d, exact %v, want %d", n.Position(), got, exact, count)
				}
				checked++
			}
			return count
		}
		for _, n := range tree.Threads() {
			below(n)
		}
		if checked < 2 && r.Status().Unfinished == 0 {
			t.Errorf("%d nodes: the test shows nothing", checked)
		}
	})
}

// TestNestedIsFolded: a node of the folded view contains what was recorded, too.
func TestNestedIsFolded(t *testing.T) {
	r := open(t, formattest.Unpack(t, "kotlin.dump.bin", "kotlin.dump.bin.idx"), Options{NoWrite: true})
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, folded := r.Tree(false).ThreadAt(0), r.Tree(true).ThreadAt(0)
	a, _ := raw.Nested()
	if b, exact := folded.Nested(); a != b || !exact || a == 0 {
		t.Errorf("%d and %d", a, b)
	}
}
