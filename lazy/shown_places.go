package lazy

// Places are the places that a tree shows, see [Shown.Only]: trace points that the view, folded
// or raw, shows. Any goroutine may call its methods, which must be fast and must not call the tree: it
// is locked. They may grow, but only at offsets that are not known yet.
type Places interface {
	// First returns the first place of a thread at an offset in [from, to).
	First(thread int32, from, to int64) (at int64, ok bool)
	// Last returns the last one.
	Last(thread int32, from, to int64) (at int64, ok bool)
	// NextThread returns the first thread with this id or a higher one that has places.
	NextThread(id int32) (next int32, ok bool)
	// PrevThread returns the last thread with this id or a lower one that has places.
	PrevThread(id int32) (prev int32, ok bool)
	// Known returns the offset in a thread before which all places are known;
	// [math.MaxInt64] if all of the thread's are.
	Known(thread int32) int64
}

// Left tells what a row stands for that shows no node of its own.
type Left int

const (
	LeftOut  Left = 1 + iota // rows without a place
	LeftOpen                 // rows that may have one: the places are still being looked for
)

// wanted are all places that are shown.
type wanted struct {
	places Places
	too    map[int32][]int64 // more places, by thread; sorted
}

// opened is a run of children, or of threads, that is shown as it is.
type opened struct {
	thread int32
	in     int64 // offset of the node; -1 for a thread, threadRun for threads
	from   int64
	to     int64
}

// threadRun is opened.in for a run of threads: from and to are indexes.
const threadRun = -2

// add adds a place.
func (v *wanted) add(p Position) {
	list := v.too[p.Thread]
	i := firstAt(list, p.At)
	if i < len(list) && list[i] == p.At {
		return
	}
	list = append(list, 0)
	copy(list[i+1:], list[i:])
	list[i] = p.At
	v.too[p.Thread] = list
}

// first returns the first place at an offset in [from, to).
func (v *wanted) first(thread int32, from, to int64) (int64, bool) {
	at, ok := v.places.First(thread, from, to)
	if list := v.too[thread]; len(list) > 0 {
		if i := firstAt(list, from); i < len(list) && list[i] < to && (!ok || list[i] < at) {
			return list[i], true
		}
	}
	return at, ok
}

// last returns the last place at an offset in [from, to).
func (v *wanted) last(thread int32, from, to int64) (int64, bool) {
	at, ok := v.places.Last(thread, from, to)
	if list := v.too[thread]; len(list) > 0 {
		if i := firstAt(list, to); i > 0 && list[i-1] >= from && (!ok || list[i-1] > at) {
			return list[i-1], true
		}
	}
	return at, ok
}

func firstAt(list []int64, x int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// shownCount is how many children of a node are shown, of those before an offset.
type shownCount struct {
	stamp uint32 // of the view
	upto  int64
	n     int64
}

// folds is which nodes around places the user has collapsed. They are not nodes, which can be
// forgotten, but offsets. The last key that concerned a node counts.
type folds struct {
	keys  int              // counts the keys
	nodes map[Position]int // the key that collapsed a node, or its negative if it expanded the node
	runs  []foldedRun
}

// foldedRun is a key that collapsed everything in a range of a thread.
type foldedRun struct {
	all      bool // in all threads
	thread   int32
	from, to int64
	key      int
}

func (f *folds) run(r foldedRun) {
	f.keys++
	r.key = f.keys
	kept := f.runs[:0]
	for _, old := range f.runs {
		if !r.all && (old.all || old.thread != r.thread || old.from < r.from || old.to > r.to) {
			kept = append(kept, old)
		}
	}
	f.runs = append(kept, r)
	if r.all {
		clear(f.nodes)
	}
}

// leftKey identifies a run of children that are left out.
type leftKey struct {
	thread   int32
	from, to int64
}

// nextThread returns the first thread with an id or a higher one that has a place.
func (v *wanted) nextThread(id int32) (next int32, ok bool) {
	next, ok = v.places.NextThread(id)
	for thread := range v.too {
		if thread >= id && (!ok || thread < next) {
			next, ok = thread, true
		}
	}
	return next, ok
}

// prevThread returns the last thread with an id or a lower one that has a place.
func (v *wanted) prevThread(id int32) (prev int32, ok bool) {
	prev, ok = v.places.PrevThread(id)
	for thread := range v.too {
		if thread <= id && (!ok || thread > prev) {
			prev, ok = thread, true
		}
	}
	return prev, ok
}
