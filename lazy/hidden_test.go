package lazy

import (
	"sync/atomic"
	"testing"

	"tracex/format/formattest"
)

// TestNestedShown: once it is known what folding hides, a node contains as many calls, loops and iterations as the
// tree of the explorer has rows for them below it, however the pass is cut.
func TestNestedShown(t *testing.T) {
	var hides, checked atomic.Int64
	check := func(t *testing.T, r *LazyTraceReader, share int64) {
		tree := r.Tree(true)
		Inline(tree)
		if err := tree.findHidden(t.Context(), Pass{Share: share}); err != nil {
			t.Fatal(err)
		}
		if ShownUncounted(tree) {
			t.Error("it is not known what is hidden")
		}
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
			if exact && got != count || !exact && n.State() == StateWhole && !n.IsThread() || AtMost(n) {
				t.Fatalf("%v, share %d: %d, exact %v, want %d", n.Position(), share, got, exact, count)
			}
			recorded, _ := nestedIn(n, nil)
			hides.Add(recorded - got)
			checked.Add(1)
			return count
		}
		for _, n := range tree.Threads() {
			below(n)
		}
	}
	for _, share := range []int64{0, 300, 2000} {
		eachFindable(t, func(t *testing.T, r *LazyTraceReader) { check(t, r, share) })
	}
	for _, name := range []string{"kotlin.stream.bin", "gson.dump.bin", "shapes.dump.bin", "threads.stream.bin"} {
		r := ready(t, formattest.Unpack(t, name), Options{NoWrite: true})
		tree := r.Tree(true)
		Inline(tree)
		before, _ := tree.ThreadAt(0).Nested()
		if !AtMost(tree.ThreadAt(0)) || !ShownUncounted(tree) {
			t.Errorf("%s: it is known before a pass", name)
		}
		check(t, r, 5000)
		if after, _ := tree.ThreadAt(0).Nested(); after > before {
			t.Errorf("%s: %d, of %d recorded", name, after, before)
		}
		if raw, _ := r.Tree(false).ThreadAt(0).Nested(); raw != before {
			t.Errorf("%s: the raw view has %d, recorded are %d", name, raw, before)
		}
	}
	if hides.Load() < 100 || checked.Load() < 1000 {
		t.Errorf("%d nodes, %d hidden: the test shows nothing", checked.Load(), hides.Load())
	}
}
