package format

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTable: a table has what was put, whatever the ids and their order, and keeps the first
// object of an id.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, ids := range []int32{10, 1000, 1 << 16, math.MaxInt32} {
		var table table[*int32]
		want := map[int32]bool{}
		for range 3000 {
			id := r.Int32N(ids)
			if r.IntN(50) == 0 {
				id = -1 - id
			}
			v, other := id, id+1
			table.put(id, &v)
			table.put(id, &other)
			want[id] = true
		}
		seen := 0
		for v := range table.all() {
			if seen++; !want[*v] {
				t.Fatalf("ids below %d: %d was not put", ids, *v)
			}
		}
		if seen != len(want) || table.n != len(want) {
			t.Errorf("ids below %d: %d objects of %d, counted as %d", ids, seen, len(want), table.n)
		}
		for id := range want {
			if v := table.get(id); v == nil || *v != id {
				t.Fatalf("ids below %d: %d is %v", ids, id, v)
			}
		}
		if v := table.get(-1 << 31); v != nil {
			t.Errorf("ids below %d: found %d", ids, *v)
		}
		if room := tableRoom * (table.n + 64); len(table.dense) > room {
			t.Errorf("ids below %d: %d places for %d objects", ids, len(table.dense), table.n)
		}
	}
}

// TestTableSettles: objects whose ids were too large when they came are in the slice once
// there are enough, as those of a recorder that writes a few of its code locations: most
// lookups do not search a map.
func TestTableSettles(t *testing.T) {
	var table table[*int32]
	for i := range int32(4000) {
		id := 9*(i*1237%4000) + i%7 // every ninth id or so, in disorder
		table.put(id, &id)
	}
	if len(table.sparse) > table.n/10 {
		t.Errorf("%d of %d objects are in the map", len(table.sparse), table.n)
	}
}
