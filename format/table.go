package format

import "iter"

// table maps ids to objects, of which the zero value is none. Recorders count ids up from 0 but write only the objects that a
// trace refers to, so most objects are in a slice with gaps. The others are in a map; only odd
// input has many there in the end.
type table[T comparable] struct {
	dense  []T
	sparse map[int32]T
	n      int
	settle int // number of objects at which those in the map are tried again
}

// tableRoom is how many places of the slice there may be for each object: 128 bytes, about what
// an object itself takes.
const tableRoom = 16

func (t *table[T]) get(id int32) (none T) {
	if uint(id) < uint(len(t.dense)) {
		if v := t.dense[id]; v != none {
			return v
		}
	}
	if len(t.sparse) == 0 {
		return none
	}
	return t.sparse[id]
}

func (t *table[T]) put(id int32, v T) {
	var none T
	if t.get(id) != none {
		return
	}
	t.n++
	if !t.place(id, v) {
		if t.sparse == nil {
			t.sparse = make(map[int32]T)
		}
		t.sparse[id] = v
	}
	if len(t.sparse) > 0 && t.n >= t.settle {
		t.settleSparse()
	}
}

// settleSparse moves objects from the map for which the slice has room now. The next attempt
// is due when there are a quarter more objects: so all attempts together take linear time.
func (t *table[T]) settleSparse() {
	t.settle = t.n + t.n/4 + 1
	for id, v := range t.sparse {
		if t.place(id, v) {
			delete(t.sparse, id)
		}
	}
}

// place puts an object into the slice, if its id is small enough for the number of objects.
func (t *table[T]) place(id int32, v T) bool {
	if id < 0 || int(id) >= tableRoom*(t.n+64) {
		return false
	}
	for int(id) >= len(t.dense) {
		var none T
		t.dense = append(t.dense, none)
	}
	t.dense[id] = v
	return true
}

func (t *table[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		var none T
		for _, v := range t.dense {
			if v != none && !yield(v) {
				return
			}
		}
		for _, v := range t.sparse {
			if !yield(v) {
				return
			}
		}
	}
}
