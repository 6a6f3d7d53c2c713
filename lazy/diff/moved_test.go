package diff

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestJoin(t *testing.T) {
	tree := func(step int64, v, s, inner int) subtree {
		return subtree{step: step, v: uint64(v), s: uint32(s), inner: uint64(inner), points: 5}
	}
	tests := []struct {
		name           string
		removed, added []subtree
		want           []match
	}{
		{"nothing", nil, []subtree{tree(1, 1, 1, 1)}, nil},
		{"equal", []subtree{tree(1, 1, 1, 1)}, []subtree{tree(9, 1, 1, 1)}, []match{{1, 9, alikeWhole}}},
		{"the same structure", []subtree{tree(9, 1, 1, 1)}, []subtree{tree(1, 2, 1, 2)}, []match{{9, 1, alikeStructure}}},
		{"equal children", []subtree{tree(1, 1, 1, 7)}, []subtree{tree(2, 2, 2, 7)}, []match{{1, 2, alikeInner}}},
		{"no children", []subtree{tree(1, 1, 1, 0)}, []subtree{tree(2, 2, 2, 0)}, nil},
		{"small", []subtree{{step: 1, v: 1, points: 2}}, []subtree{{step: 2, v: 1, points: 2}}, nil},
		{"equal before nearer", []subtree{tree(1, 1, 1, 1)}, []subtree{tree(2, 2, 1, 1), tree(50, 1, 1, 1)}, []match{{1, 50, alikeWhole}}},
		{"nearest", []subtree{tree(1, 1, 1, 1), tree(20, 1, 1, 1)}, []subtree{tree(10, 1, 1, 1), tree(21, 1, 1, 1), tree(99, 1, 1, 1)},
			[]match{{1, 10, alikeWhole}, {20, 21, alikeWhole}}},
		{"around another match", []subtree{tree(1, 1, 1, 1), tree(5, 1, 1, 1)}, []subtree{tree(6, 1, 1, 1), tree(12, 1, 1, 1)},
			[]match{{1, 12, alikeWhole}, {5, 6, alikeWhole}}},
	}
	for _, tt := range tests {
		if got := join(tt.removed, tt.added); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		if got := mirrored(join(tt.added, tt.removed)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, turned round: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func mirrored(list []match) []match {
	for i, m := range list {
		list[i].removed, list[i].added = m.added, m.removed
	}
	return list
}

// TestJoinRandom compares with a search of all pairs, the best first.
func TestJoinRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 33))
	for range 300 {
		var sides [2][]subtree
		for i, step := range r.Perm(r.IntN(60)) {
			v := r.IntN(20)
			sides[i%2] = append(sides[i%2], subtree{step: int64(step), v: uint64(v), s: uint32(v / 2), inner: uint64(v % 5), points: 3 + int64(v/2)})
		}
		want := joinPlainly(sides[0], sides[1])
		if got := join(sides[0], sides[1]); !slices.Equal(got, want) {
			t.Fatalf("%v:\ngot  %v\nwant %v", sides, got, want)
		}
		if got := mirrored(join(sides[1], sides[0])); !slices.Equal(got, want) {
			t.Fatalf("%v, turned round:\ngot  %v\nwant %v", sides, got, want)
		}
	}
}

func joinPlainly(removed, added []subtree) []match {
	type try struct {
		level int
		far   int64
		first int64
		m     match
	}
	var all []try
	for _, x := range removed {
		for _, y := range added {
			level := 3
			switch {
			case x.v == y.v && x.v != 0:
				level = 0
			case x.s == y.s && x.points == y.points:
				level = 1
			case x.inner == y.inner && x.inner != 0:
				level = 2
			}
			if level < 3 {
				all = append(all, try{level, max(x.step-y.step, y.step-x.step), min(x.step, y.step), match{x.step, y.step, alike(level)}})
			}
		}
	}
	slices.SortFunc(all, func(x, y try) int {
		return slices.Compare([]int64{int64(x.level), x.far, x.first}, []int64{int64(y.level), y.far, y.first})
	})
	taken := make(map[int64]bool)
	var list []match
	for _, c := range all {
		if !taken[c.m.removed] && !taken[c.m.added] {
			taken[c.m.removed], taken[c.m.added] = true, true
			list = append(list, c.m)
		}
	}
	slices.SortFunc(list, func(x, y match) int { return int(min(x.removed, x.added) - min(y.removed, y.added)) })
	return list
}

// TestJoinMany has more subtrees than are compared: the largest are.
func TestJoinMany(t *testing.T) {
	removed := make([]subtree, movedCap+10)
	for i := range removed {
		removed[i] = subtree{step: int64(i), v: uint64(i + 1), s: uint32(i + 1), points: 5}
	}
	removed[movedCap+1].points = 6
	added := []subtree{{step: 1 << 40, v: movedCap + 2, points: 6}, {step: 1<<40 + 1, v: movedCap + 5, s: movedCap + 5, points: 5}}
	if got, want := join(removed, added), []match{{movedCap + 1, 1 << 40, alikeWhole}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
