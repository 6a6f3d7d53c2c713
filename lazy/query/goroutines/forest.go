package goroutines

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// Forest knows which thread started which, for the threads of a [lazy.ThreadList], by their numbers
// there. The main of a process is below the thread that started the process, or below the main of the parent process if the
// trace does not tell which thread did. A Forest takes 36 bytes for each thread. It is safe for concurrent use.
//
// The forest orders the threads: each is followed by those that it started, in order of their goroutines'
// numbers, each with its own descendants. So a thread and its descendants are next to each other.
type Forest struct {
	of     *lazy.ThreadList
	parent []int32 // -1 for a root
	order  []int32
	place  []int32 // in the order
	below  []int32 // by place: how many threads are below
	depth  []int32 // by place: how many are above
	index  []numbered
	ids    map[string]int32 // of programs
	linked bool
	// goroutines: see Goroutines
	goroutines bool
	adopted    map[int32]bool // see Adopted
}

// numbered is a goroutine with a number.
type numbered struct {
	program int32
	thread  int32
	number  int64
}

// compare orders by program, number and thread.
func (a numbered) compare(b numbered) int {
	return cmp.Or(cmp.Compare(a.program, b.program), cmp.Compare(a.number, b.number), cmp.Compare(a.thread, b.thread))
}

// mostPrograms bounds the programs that are told apart. Goroutines of further programs have no parent.
const mostPrograms = 1 << 12

// batch is how many threads are read between two checks of the context.
const batch = 1 << 12

// probed is how many threads Likely reads.
const probed = 1 << 10

// Likely reports whether one of the first threads is a goroutine whose name tells which goroutine started
// it, or the trace tells which process started one.
func Likely(list *lazy.ThreadList) (likely bool) {
	if list.Reader().WithContext(func(c *format.Context) { likely = format.CountProcesses(c) > 1 }); likely {
		return true
	}
	list.Plain(0, min(list.Len(), probed), func(_ int, name string) bool {
		n, ok := Parse(name)
		likely = ok && n.Parent != 0
		return !likely
	})
	return likely
}

// NewForest reads the names of a list's threads. tell gets its progress; it may be nil. The only error
// is that of ctx.
func NewForest(ctx context.Context, list *lazy.ThreadList, tell lazy.Progress) (*Forest, error) {
	n := list.Len()
	f := &Forest{of: list, parent: make([]int32, n), ids: make(map[string]int32)}
	m := maker{f: f, parents: make([]int64, n), program: make([]int32, n)}
	for from := 0; from < n; from += batch {
		list.Plain(from, min(n, from+batch), m.read)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if tell != nil {
			tell(int64(from), 2*int64(n))
		}
	}
	slices.SortFunc(f.index, numbered.compare)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.link()
	if tell != nil {
		tell(int64(n+n/2), 2*int64(n))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.arrange()
	return f, nil
}

// Linked reports whether any thread has a known parent. Otherwise the forest has only roots.
func (f *Forest) Linked() bool { return f.linked }

// Goroutines reports whether any name tells which goroutine started the thread. Without such a name, a
// thread called main need not be a goroutine.
func (f *Forest) Goroutines() bool { return f.goroutines }

// Of returns the list that f was made for.
func (f *Forest) Of() *lazy.ThreadList { return f.of }

// Parent returns the thread that started another; ok is false if that is not known, or not in the trace.
func (f *Forest) Parent(thread int) (parent int, ok bool) {
	p := f.parent[thread]
	return int(p), p >= 0
}

// Adopted reports whether a thread is the main of a process that another process of the trace started.
func (f *Forest) Adopted(thread int) bool { return f.adopted[int32(thread)] }

// At returns the thread at a place of the order.
func (f *Forest) At(place int) int { return int(f.order[place]) }

// Place returns the place of a thread in the order.
func (f *Forest) Place(thread int) int { return int(f.place[thread]) }

// Below returns how many threads are below one: those that it started, that they started, and so on.
// They follow it in the order.
func (f *Forest) Below(thread int) int { return int(f.below[f.place[thread]]) }

// Depth returns how many threads are above one.
func (f *Forest) Depth(thread int) int { return int(f.depth[f.place[thread]]) }

// Find returns the thread of a goroutine of a program.
func (f *Forest) Find(program string, number int64) (thread int, ok bool) {
	id, ok := f.ids[program]
	if !ok {
		return 0, false
	}
	i := f.search(id, number)
	return i, i >= 0
}

// Threads returns the ids of the threads of a goroutine in a list: several if several programs have one of that number.
func Threads(ctx context.Context, list *lazy.ThreadList, number int64) (ids []int32, err error) {
	for from := 0; from < list.Len() && err == nil; from += batch {
		list.Plain(from, min(list.Len(), from+batch), func(i int, name string) bool {
			if n, ok := Parse(name); ok && n.Number == number {
				ids = append(ids, list.ID(i))
			}
			return true
		})
		err = ctx.Err()
	}
	return ids, err
}

// search is Find; -1 if there is none.
func (f *Forest) search(program int32, number int64) int {
	i, _ := slices.BinarySearchFunc(f.index, numbered{program, -1, number}, numbered.compare)
	if i < len(f.index) && f.index[i].program == program && f.index[i].number == number {
		return int(f.index[i].thread)
	}
	return -1
}

// Ancestors calls yield with the thread that started another, with the one that started that, and so on,
// while yield returns true.
func (f *Forest) Ancestors(thread int, yield func(thread int) bool) {
	for p := f.parent[thread]; p >= 0 && yield(int(p)); p = f.parent[p] {
	}
}

// maker makes a Forest.
type maker struct {
	f       *Forest
	parents []int64 // numbers of the parents; 0 if there is none
	program []int32 // -1 for no goroutine
}

// read reads the name of a thread.
func (m *maker) read(i int, text string) bool {
	m.program[i] = -1
	n, ok := Parse(text)
	if !ok {
		return true
	}
	id, known := m.f.ids[n.Program]
	if !known {
		if len(m.f.ids) == mostPrograms {
			return true
		}
		id = int32(len(m.f.ids))
		m.f.ids[n.Program] = id
	}
	m.program[i], m.parents[i] = id, n.Parent
	if n.Number != 0 {
		if m.f.index == nil {
			m.f.index = make([]numbered, 0, len(m.program))
		}
		m.f.index = append(m.f.index, numbered{id, int32(i), n.Number})
	}
	return true
}

// link finds the parents.
func (m *maker) link() {
	f := m.f
	for i := range f.parent {
		f.parent[i] = -1
		if m.parents[i] != 0 {
			f.goroutines = true
			f.parent[i] = int32(f.search(m.program[i], m.parents[i]))
		}
		f.linked = f.linked || f.parent[i] >= 0 && f.parent[i] != int32(i)
	}
	m.adopt()
}

// processesOf returns the processes that a trace tells of.
func processesOf(list *lazy.ThreadList) (all []format.Process) {
	list.Reader().WithContext(func(c *format.Context) {
		all = format.Processes(c)
	})
	return all
}

// adopt finds the parents of the mains of processes.
func (m *maker) adopt() {
	f, list := m.f, processesOf(m.f.of)
	shown := make(map[int64]string)
	for i := range list {
		if list[i].Named {
			shown[list[i].Number] = list[i].Shown
		}
	}
	for i := range list {
		p := &list[i]
		name, named := shown[p.Parent]
		main, known := f.Find(p.Shown, mainNumber)
		parent, found := f.Find(name, mainNumber)
		if id, known := f.ids[name]; known && p.By != nil {
			if at := f.of.Index(p.By.Thread); at < f.of.Len() && f.of.ID(at) == p.By.Thread && m.program[at] == id {
				parent, found = at, true
			}
		}
		if !p.Named || !named || !known || !found || f.parent[main] >= 0 || main == parent {
			continue
		}
		if f.adopted == nil {
			f.adopted = make(map[int32]bool)
		}
		f.parent[main], f.adopted[int32(main)] = int32(parent), true
		f.linked, f.goroutines = true, true
	}
}

// created calls f with all threads: first those of goroutines with numbers, in their order, then those
// of goroutines without numbers, then the others.
func (m *maker) created(f func(thread int32)) {
	for i := range m.f.index {
		f(m.f.index[i].thread)
	}
	numbers := make([]uint64, (len(m.program)+63)/64)
	for i := range m.f.index {
		t := m.f.index[i].thread
		numbers[t/64] |= 1 << (t % 64)
	}
	for _, others := range []bool{false, true} {
		for t := range m.program {
			if numbers[t/64]>>(t%64)&1 == 0 && (m.program[t] < 0) == others {
				f(int32(t))
			}
		}
	}
}

// arrange computes the order.
func (m *maker) arrange() {
	f, n := m.f, len(m.program)
	m.parents, m.program = nil, m.program[:n:n]
	// The children of a thread are children[first[t]:first[t+1]].
	first := make([]int32, n+1)
	for _, p := range f.parent {
		if p >= 0 {
			first[p+1]++
		}
	}
	for t := range n {
		first[t+1] += first[t]
	}
	next, children := slices.Clone(first[:n]), make([]int32, first[n])
	m.created(func(t int32) {
		if p := f.parent[t]; p >= 0 {
			children[next[p]] = t
			next[p]++
		}
	})
	copy(next, first)
	f.order = make([]int32, 0, n)
	f.place, f.below, f.depth = slices.Repeat([]int32{-1}, n), make([]int32, n), make([]int32, n)
	begin := func(t int32, depth int32) {
		f.place[t] = int32(len(f.order))
		f.depth[len(f.order)] = depth
		f.order = append(f.order, t)
	}
	grow := func(root int32) {
		begin(root, 0)
		for at, depth := root, int32(0); ; {
			if i := next[at]; i < first[at+1] {
				next[at]++
				if c := children[i]; f.place[c] < 0 {
					depth++
					begin(c, depth)
					at = c
				}
				continue
			}
			f.below[f.place[at]] = int32(len(f.order)) - f.place[at] - 1
			if at == root {
				return
			}
			at = f.parent[at]
			depth--
		}
	}
	m.created(func(t int32) {
		if f.parent[t] < 0 {
			grow(t)
		}
	})
	// In a damaged trace, threads may have started each other.
	m.created(func(t int32) {
		if f.place[t] < 0 {
			f.parent[t] = -1
			grow(t)
		}
	})
}

// Path returns the numbers of a thread's goroutine and of its ancestors, such as "g24 ← g23 ← g1 main". It
// returns at most so many numbers. arrow is the sign for ←, and more that for numbers that are left out.
// Path is "" for a thread without a goroutine, and ends at the main of the process.
func (f *Forest) Path(thread, most int, arrow, more string) string {
	path := []int{thread}
	if !f.Adopted(thread) {
		f.Ancestors(thread, func(t int) bool { path = append(path, t); return !f.Adopted(t) })
	}
	text := ""
	for i, t := range path {
		if len(path) > most && i >= most-1 && i < len(path)-1 {
			if i == most-1 {
				text += " " + arrow + " " + more
			}
			continue
		}
		n, ok := f.name(t)
		switch {
		case !ok:
			return text
		case i > 0:
			text += " " + arrow + " "
		}
		text += n.short()
		if _, has := f.Parent(t); !has && n.Parent != 0 {
			text += " " + arrow + " " + Label(n.Parent) + ", which is not in the trace"
		}
	}
	return text
}

// name returns the name of a thread.
func (f *Forest) name(thread int) (n Name, ok bool) {
	f.of.Plain(thread, thread+1, func(_ int, name string) bool {
		n, ok = Parse(name)
		return true
	})
	return n, ok
}

// Cache keeps the last Forest. It is safe for concurrent use.
type Cache struct {
	mu   sync.Mutex // held while a Forest is made
	last *Forest
}

// Get returns the Forest of a list. It makes one unless the list is that of the last call: see [NewForest].
func (c *Cache) Get(ctx context.Context, list *lazy.ThreadList, tell lazy.Progress) (*Forest, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && c.last.of.Same(list) {
		return c.last, nil
	}
	f, err := NewForest(ctx, list, tell)
	if err == nil {
		c.last = f
	}
	return f, err
}

// Last returns the last Forest, which may be of an older list. It is nil if there is none, or if one is
// being made.
func (c *Cache) Last() *Forest {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	return c.last
}
