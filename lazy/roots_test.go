package lazy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rootsOf returns roots that count the nodes that they make.
func rootsOf() (r *roots, made *int) {
	made = new(int)
	return newRoots(func(id int32) *Node {
		*made++
		return &Node{thread: id}
	}), made
}

// added adds ids and returns how many of them were looked at.
func added(r *roots, ids []int32) (looks int) {
	r.add(len(ids), func(i int) int32 {
		looks++
		return ids[i]
	})
	return looks
}

func TestRootsAreAllThreadsByID(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r, _ := rootsOf()
	want, all := map[int32]bool{}, []int32{}
	for range 200 {
		if rng.IntN(10) == 0 { // the new view lacks some of the threads
			r.startOver()
			all = slices.DeleteFunc(all, func(int32) bool { return rng.IntN(3) == 0 })
		}
		for range rng.IntN(5) {
			all = append(all, rng.Int32N(1000))
		}
		slices.Sort(all)
		all = slices.Compact(all)
		ids := all
		added(r, slices.Clone(ids))
		for _, id := range ids {
			want[id] = true
		}
		got := make([]int32, r.len())
		for i := range got {
			got[i] = r.id(i)
		}
		if !slices.IsSorted(got) || len(got) != len(want) {
			t.Fatalf("%d threads of %d, sorted %v", len(got), len(want), slices.IsSorted(got))
		}
		for i, id := range got {
			if n := r.of(id); n == nil || n.thread != id || r.at(i) != n || r.index(id) != i {
				t.Fatalf("thread %d is not found", id)
			}
		}
		if r.of(-1) != nil || r.at(-1) != nil || r.at(r.len()) != nil {
			t.Fatal("a thread that is not there")
		}
	}
}

// TestRootsLookAtWhatIsNew: adding a view with the threads of the previous one and new
// ones looks at none of them.
func TestRootsLookAtWhatIsNew(t *testing.T) {
	r, made := rootsOf()
	ids := make([]int32, 100_000)
	for i := range ids {
		ids[i] = int32(2 * i)
	}
	added(r, ids[:99_990])
	if looks := added(r, ids); looks > 1 {
		t.Errorf("%d threads looked at for 10 new ones", looks)
	}
	if looks := added(r, ids); looks > 1 {
		t.Errorf("%d threads looked at for none", looks)
	}
	if r.at(50_000); *made != 1 {
		t.Errorf("%d nodes made for one", *made)
	}
}
