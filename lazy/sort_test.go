package lazy

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// byWeight sorts nodes as a sorted node shows them.
func byWeight(nodes []*Node) []*Node {
	out := slices.Clone(nodes)
	slices.SortStableFunc(out, func(a, b *Node) int { return cmp.Compare(weightOf(b), weightOf(a)) })
	return out
}

func weightOf(n *Node) int64 {
	if _, timed := n.loader.r.Times(); !timed {
		count, _ := n.Nested()
		return count
	}
	t, ok := n.Time()
	if !ok {
		return format.NoDuration
	}
	return t.Duration
}

// rowsOf walks over the rows of an expanded node, downward or upward, loads missing
// children, and returns the nodes from top to bottom.
func rowsOf(t *testing.T, tree *Tree, n *Node, down bool, rng *rand.Rand) (nodes []*Node) {
	t.Helper()
	first, next := tree.FirstChild, tree.NextSibling
	if !down {
		first, next = tree.LastChild, tree.PrevSibling
	}
	again := func() (Row, bool) {
		if len(nodes) == 0 {
			return first(n)
		}
		return next(rowOf(nodes[len(nodes)-1]))
	}
	loads := 0
	for r, ok := again(); ok; r, ok = again() {
		if !r.Gap() {
			nodes = append(nodes, r.Node)
			loads = 0
			continue
		}
		if loads++; loads > 1000 {
			t.Fatalf("the gap %+v does not go away", r)
		}
		if err := tree.Load(context.Background(), r, End(rng.IntN(2))); err != nil {
			t.Fatal(err)
		}
	}
	if !down {
		slices.Reverse(nodes)
	}
	return nodes
}

// sortedSpecs are traces with nodes of few and of many children.
func sortedSpecs() []formattest.Spec {
	var list []formattest.Spec
	seeds, n := uint64(4), 1000
	if formattest.Race {
		seeds, n = 2, 400
	}
	for seed := range seeds {
		s := formattest.Spec{Shape: formattest.Random, N: 700, Seed: seed, Wild: seed%2 == 1, Timed: true}
		s.BlockSize = 2048
		if s.Timed = seed != 1; !s.Timed {
			s.N = 2000 // several levels
		}
		list = append(list, s)
	}
	for _, shape := range []formattest.Shape{formattest.WideCalls, formattest.WideLeaves, formattest.Wide} {
		s := formattest.Spec{Shape: shape, N: n, Timed: true}
		s.BlockSize = 8192
		list = append(list, s)
	}
	return list
}

// TestSort compares the rows of sorted nodes, from both ends, with all children
// loaded and sorted.
func TestSort(t *testing.T) {
	ctx := context.Background()
	for _, spec := range sortedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(spec.Seed, 3))
			r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
			for _, folded := range []bool{false, true} {
				plain, tree := r.Tree(folded), r.Tree(folded)
				todo := plain.Threads()
				for len(todo) > 0 {
					n := todo[0]
					kids, err := plain.Children(ctx, n)
					if err != nil {
						t.Fatal(err)
					}
					todo = append(todo[1:], kids...)
					if n.Leaf() {
						continue
					}
					tree.sorter.maxRange = 3 + rng.IntN(300)
					same := tree.thread(n.Thread())
					if !n.IsThread() {
						if same, err = tree.Reveal(ctx, n.Position()); err != nil {
							t.Fatal(err)
						}
					}
					tree.Expand(same)
					if err := tree.Sort(ctx, same, OrderWeight, nil); err != nil {
						t.Fatal(err)
					}
					if same.Order() != OrderWeight {
						t.Fatal("not sorted")
					}
					want := byWeight(kids)
					for _, down := range []bool{true, false} {
						sameChildren(t, rowsOf(t, tree, same, down, rng), want)
					}
					if err := tree.Sort(ctx, same, OrderCalls, nil); err != nil {
						t.Fatal(err)
					}
					sameChildren(t, rowsOf(t, tree, same, true, rng), kids)
				}
			}
		})
	}
}

// sameChildren fails unless both lists have the same trace points.
func sameChildren(t *testing.T, got, want []*Node) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d children, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Position() != want[i].Position() {
			t.Fatalf("child %d of %d: at %v (%d), want %v (%d)", i, len(got),
				got[i].Position(), weightOf(got[i]), want[i].Position(), weightOf(want[i]))
		}
	}
}

// TestSortStopped: a canceled walk leaves the order as it was.
func TestSortStopped(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 3 * walkBatch, Timed: true}
	tree := ready(t, formattest.File(t, spec), Options{NoWrite: true}).Tree(true)
	root, err := tree.Child(context.Background(), tree.Threads()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, order := range []Order{OrderCalls, OrderWeight} {
		if err := tree.Sort(stopped, root, OrderWeight, nil); !errors.Is(err, context.Canceled) || root.Order() != order {
			t.Fatalf("stopped: %v, order %v, want %v", err, root.Order(), order)
		}
		if _, _, err := tree.Longest(stopped, root, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: %v", err)
		}
		if err := tree.Sort(context.Background(), root, OrderWeight, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProgressOverChildren: walks over all children of a node report their progress,
// up to the end.
func TestProgressOverChildren(t *testing.T) {
	const n = 3*walkBatch + 100
	ctx := context.Background()
	path := formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: n, Timed: true})
	tree := ready(t, path, Options{NoWrite: true}).Tree(true)
	root, err := tree.Child(ctx, tree.Threads()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func(Progress) error{
		"Sort":    func(p Progress) error { return tree.Sort(ctx, root, OrderWeight, p) },
		"Longest": func(p Progress) error { _, _, err := tree.Longest(ctx, root, p); return err },
		"Largest": func(p Progress) error { _, _, err := tree.Largest(ctx, root, p); return err },
	} {
		calls, last, all := 0, int64(0), int64(0)
		err := look(func(done, total int64) {
			if done <= 0 || done < last || done > total || all > 0 && total != all {
				t.Errorf("%s: from %d of %d to %d of %d", name, last, all, done, total)
			}
			calls, last, all = calls+1, done, total
		})
		if err != nil || calls < n/walkBatch || all == 0 || all-last > all/1000 {
			t.Errorf("%s: told %d times, at last %d of %d; %v", name, calls, last, all, err)
		}
	}
}

// TestCounting: the progress of counting rises, up to the end.
func TestCounting(t *testing.T) {
	const n = 5 * walk.TallyEvery
	ctx := context.Background()
	path := formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: n})
	tree := ready(t, path, Options{NoWrite: true}).Tree(true)
	root, err := tree.Child(ctx, tree.Threads()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	last, all := root.Counting()
	if last != 0 || all <= 0 {
		t.Fatalf("at first %d of %d", last, all)
	}
	for i := int64(1); i <= 5; i++ {
		if _, _, err := tree.CountChildren(ctx, root, i*walk.TallyEvery); err != nil {
			t.Fatal(err)
		}
		done, total := root.Counting()
		if done <= last || total != all || done > total {
			t.Errorf("after %d: %d of %d, before %d of %d", i*walk.TallyEvery, done, total, last, all)
		}
		last = done
	}
	if _, exact, err := tree.CountChildren(ctx, root, 0); err != nil || !exact {
		t.Fatal(exact, err)
	}
	if done, total := root.Counting(); done != total {
		t.Errorf("counted, but %d of %d", done, total)
	}
}

// TestSortForgotten: a node that was forgotten meanwhile is not sorted, and takes
// no memory.
func TestSortForgotten(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 300, Timed: true}
	tree := ready(t, formattest.File(t, spec), Options{NoWrite: true}).Tree(true)
	th := tree.Threads()[0]
	root, err := tree.Child(context.Background(), th, 0)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := tree.Child(context.Background(), root, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Sort(context.Background(), leaf, OrderWeight, nil); err != nil {
		t.Fatal(err)
	}
	if err := tree.Sort(context.Background(), root, OrderWeight, nil); err != nil {
		t.Fatal(err)
	}
	tree.Forget(th)
	for _, n := range []*Node{root, leaf} {
		if err := tree.Sort(context.Background(), n, OrderWeight, nil); !errors.Is(err, trace.ErrStale) {
			t.Errorf("a node that is forgotten is sorted: %v", err)
		}
	}
	if st := tree.Stats(); st.Bytes != 0 || st.Loaded != 0 {
		t.Errorf("all forgotten, but %+v", st)
	}
}
