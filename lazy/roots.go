package lazy

import (
	"slices"
	"sort"
)

// roots are the threads of a tree, by id. A thread that no row has shown takes four
// bytes: its node is made when it is asked for.
type roots struct {
	ids  []int32
	made map[int32]*Node
	make func(id int32) *Node
	// more: some of them may be in none of the views to come.
	more bool
}

func newRoots(make func(id int32) *Node) *roots {
	return &roots{made: map[int32]*Node{}, make: make}
}

// startOver keeps the threads, although what named them was wrong.
func (r *roots) startOver() { r.more = true }

// add adds the threads of a view: n, whose ids rise. Usually they are those of the
// view before and new ones behind: then only the latter are looked at.
func (r *roots) add(n int, id func(i int) int32) {
	known := len(r.ids)
	if !r.more && known <= n && (known == 0 || id(known-1) == r.ids[known-1]) {
		// A view has all threads of the one before, so that these are the same up to
		// the last.
		r.ids = slices.Grow(r.ids, n-known)
		for i := known; i < n; i++ {
			r.ids = append(r.ids, id(i))
		}
		return
	}
	all := make([]int32, 0, max(known, n))
	for i, j := 0, 0; i < known || j < n; {
		switch {
		case j == n || i < known && r.ids[i] < id(j):
			all = append(all, r.ids[i])
			i++
		case i == known || id(j) < r.ids[i]:
			all = append(all, id(j))
			j++
		default:
			all = append(all, r.ids[i])
			i, j = i+1, j+1
		}
	}
	r.ids, r.more = all, len(all) > n
}

func (r *roots) len() int { return len(r.ids) }

// index returns the index of the first thread of this id or a higher one.
func (r *roots) index(id int32) int {
	return sort.Search(len(r.ids), func(i int) bool { return r.ids[i] >= id })
}

// at returns the i-th thread; nil where there is none.
func (r *roots) at(i int) *Node {
	if i < 0 || i >= len(r.ids) {
		return nil
	}
	id := r.ids[i]
	n := r.made[id]
	if n == nil {
		n = r.make(id)
		r.made[id] = n
	}
	return n
}

// of returns the thread of an id; nil where there is none.
func (r *roots) of(id int32) *Node {
	if n := r.made[id]; n != nil {
		return n
	}
	if i := r.index(id); i < len(r.ids) && r.ids[i] == id {
		return r.at(i)
	}
	return nil
}
