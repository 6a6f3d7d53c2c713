package lazy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// TestShownCount: the children of nodes around places that are shown are as many as there are rows for
// them, also while not all places are known, where the user has opened what is left out, and in what
// never ended, and where containers are merged or dropped.
func TestShownCount(t *testing.T) {
	counted := 0
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 500, Seed: 1}, {Shape: formattest.Calls, N: 700, Seed: 7, Crash: formattest.CrashPartial},
		{Shape: formattest.Random, N: 600, Seed: 3, Wild: true}, {Shape: formattest.Wide, N: 300, Seed: 1},
	} {
		spec.BlockSize = 3000
		r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 1))
			tree := r.Tree(true)
			if seed >= 4 {
				tree = EditedTree(r, seed%2 == 0, hashEdits{merge: 2 * (seed - 3), drop: seed % 3})
			}
			Inline(tree)
			var nodes []*Node
			kids := make(map[*Node][]*Node)
			var below func(n *Node)
			below = func(n *Node) {
				list, err := tree.Children(t.Context(), n)
				if err != nil {
					t.Fatal(err)
				}
				nodes, kids[n] = append(nodes, n), list
				for _, c := range list {
					below(c)
				}
			}
			for _, n := range tree.Threads() {
				below(n)
			}
			places := &somePlaces{at: make(map[int32][]int64), all: true}
			for _, n := range nodes {
				if !n.IsThread() && rng.IntN(10) == 0 {
					places.at[n.thread] = append(places.at[n.thread], n.Position().At)
				}
			}
			for id, list := range places.at {
				slices.Sort(list)
				places.ids = append(places.ids, id)
			}
			slices.Sort(places.ids)
			shown := ShownIn(tree)
			shown.Only(places)
			check := func(what string) {
				t.Helper()
				for _, n := range nodes {
					if !shown.around(n) || n.IsThread() && !shown.Has(n) {
						continue
					}
					if err := shown.CountIn(t.Context(), n); err != nil {
						t.Fatal(err)
					}
					want := int64(0)
					for _, c := range kids[n] {
						if shown.Has(c) {
							want++
						}
					}
					tree.mu.Lock()
					got, exact, more := tree.roots.view.shownSoFar(n)
					tree.mu.Unlock()
					if got != want || more || !exact && places.all && n.State() != StatePending {
						t.Fatalf("%s, %s, seed %d: %d children of %v are shown, exact %v, want %d of %d", spec.Name(), what, seed, got, n.Position(), exact, want, len(kids[n]))
					}
					counted++
				}
			}
			half := nodes[len(nodes)/2]
			places.all, places.upto = false, Position{Thread: half.thread, At: max(half.Position().At, 0)}
			check("half of the places")
			places.all = true
			check("all places")
			for _, n := range nodes {
				if list := kids[n]; len(list) > 2 && shown.around(n) && rng.IntN(3) == 0 {
					i := rng.IntN(len(list) - 1)
					shown.Open(Row{Parent: n, From: list[i].e.Load().At, To: list[i+1].e.Load().Next, Left: LeftOut})
				}
			}
			check("opened")
		}
	}
	if counted < 1000 {
		t.Errorf("%d nodes: the test shows nothing", counted)
	}
}
