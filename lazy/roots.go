package lazy

import "sort"

// roots are the threads of a tree, by id. A thread that no row has shown takes no
// memory: its id is in the view, and its node is made on demand.
type roots struct {
	n    int               // number of threads
	id   func(i int) int32 // the id of the i-th thread; ids rise
	made map[int32]*Node
	make func(id int32) *Node
	view *view // what is shown of them; nil for all
	// more: later views may lack some of the threads.
	more bool
}

func newRoots(make func(id int32) *Node) *roots {
	return &roots{made: map[int32]*Node{}, make: make}
}

// startOver keeps the threads, although the view that listed them was wrong.
func (r *roots) startOver() { r.more = true }

// add adds the n threads of a view, whose ids rise. The roots keep id and call it later.
// Usually a view has the threads of the previous one, followed by new ones: then only
// the last known thread is compared.
func (r *roots) add(n int, id func(i int) int32) {
	known := r.n
	if !r.more && known <= n && (known == 0 || id(known-1) == r.id(known-1)) {
		r.n, r.id = n, id
		return
	}
	all := make([]int32, 0, max(known, n))
	for i, j := 0, 0; i < known || j < n; {
		switch {
		case j == n || i < known && r.id(i) < id(j):
			all = append(all, r.id(i))
			i++
		case i == known || id(j) < r.id(i):
			all = append(all, id(j))
			j++
		default:
			all = append(all, r.id(i))
			i, j = i+1, j+1
		}
	}
	r.n, r.id, r.more = len(all), func(i int) int32 { return all[i] }, len(all) > n
}

func (r *roots) len() int { return r.n }

// index returns the index of the first thread with this id or a higher one.
func (r *roots) index(id int32) int {
	return sort.Search(r.n, func(i int) bool { return r.id(i) >= id })
}

// at returns the i-th thread; nil if there is none.
func (r *roots) at(i int) *Node {
	if i < 0 || i >= r.n {
		return nil
	}
	id := r.id(i)
	n := r.made[id]
	if n == nil {
		n = r.make(id)
		r.made[id] = n
	}
	return n
}

// of returns the thread with an id; nil if there is none.
func (r *roots) of(id int32) *Node {
	if n := r.made[id]; n != nil {
		return n
	}
	if i := r.index(id); i < r.n && r.id(i) == id {
		return r.at(i)
	}
	return nil
}
