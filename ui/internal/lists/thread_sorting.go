package lists

import (
	"context"
	"slices"
	"sort"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
)

// asTree is the order in which threads are below those that started them. It follows the others.
const asTree = lazy.ByCalls + 1

// orderNames are the names of the orders.
var orderNames = map[lazy.ThreadOrder]string{
	lazy.ByID: "by number", lazy.ByName: "by name", lazy.ByDuration: "by duration", lazy.ByCalls: "by calls", asTree: "as a tree",
}

// orderKeys are the keys of the columns that orders are by. The tree is by none.
var orderKeys = map[lazy.ThreadOrder]string{lazy.ByID: "thread", lazy.ByName: "name", lazy.ByDuration: "time", lazy.ByCalls: "calls"}

func (l *ThreadList) next() {
	o := l.order
	if l.sorting != nil {
		o = l.sorting.order
	}
	if o = (o + 1) % lazy.ThreadOrder(len(orderNames)); o == lazy.ByDuration && !l.timed {
		o++
	}
	if o == asTree && !l.family.linked {
		o = lazy.ByID
	}
	l.begin(o, false)
}

// sortBy sorts by the column with a key, or the other way round if the threads are sorted by it.
func (l *ThreadList) sortBy(key string) prompt.ListAction {
	if key == "share" {
		key = map[bool]string{true: "time", false: "calls"}[l.timed]
	}
	for o, of := range orderKeys {
		if of == key {
			l.begin(o, o == l.order && !l.back)
			return prompt.ListAction{}
		}
	}
	if key == "" {
		return prompt.ListAction{Say: "the tree of threads has one order: s sorts"}
	}
	return prompt.ListAction{Say: "the threads are not sorted by that column"}
}

// begin makes the next settle sort the threads.
func (l *ThreadList) begin(o lazy.ThreadOrder, back bool) {
	l.giveUpSorting()
	l.chosen = true
	l.sorting = &sorting{order: o, back: back, all: l.all}
}

// showOrder marks the head of the column that orders the threads.
func (l *ThreadList) showOrder() {
	rises := l.order == lazy.ByID || l.order == lazy.ByName
	l.table.Sorted, l.table.Rising = orderKeys[l.order], rises != l.back
	l.layout.Show(l.table)
}

func (l *ThreadList) giveUpSorting() {
	if l.sorting != nil {
		l.sorting.task.Stop()
		l.sorting = nil
	}
}

// sorting is a sort that is wanted or under way.
type sorting struct {
	order       lazy.ThreadOrder
	back        bool             // the other way round
	all         *lazy.ThreadList // the threads to sort
	task        env.Task
	done, total atomic.Int64
}

func (l *ThreadList) sort() tea.Cmd {
	s, forests := l.sorting, l.starts.Forests
	tell := func(done, total int64) {
		s.done.Store(done)
		s.total.Store(total)
	}
	return s.task.Run(l.env, func(ctx context.Context) func() tea.Cmd {
		var numbers []int
		var forest *goroutines.Forest
		var err error
		if s.order == asTree {
			forest, err = forests.Get(ctx, s.all, tell)
		} else {
			numbers, err = s.all.Sort(ctx, s.order, tell)
		}
		if s.back && err == nil {
			for i := len(numbers); i < s.all.Len(); i++ {
				numbers = append(numbers, i) // the order by number has no list
			}
			slices.Reverse(numbers)
		}
		return func() tea.Cmd {
			l.sorting = nil
			if err == nil { // otherwise the trace is closed
				l.show(s, numbers, forest)
			}
			return nil
		}
	})
}

// show shows the threads as they were sorted: by their numbers, or as a forest.
func (l *ThreadList) show(s *sorting, numbers []int, forest *goroutines.Forest) {
	if forest != nil && !forest.Linked() && !l.chosen {
		return // all parents are missing in the trace
	}
	again, was := l.order == s.order && l.back == s.back, int32(-1)
	if l.Selected() < l.len() {
		was = l.ID(l.Selected())
	}
	l.all, l.order, l.back, l.sorted, l.family.Forest = s.all, s.order, s.back, numbers, forest
	l.showOrder()
	if forest != nil {
		l.family.refold()
	}
	l.Rescan()
	switch {
	case forest != nil && l.Scan == nil && (again || !l.chosen) && was >= 0:
		l.Select(l.family.line(l.all.Index(was)))
	case !again:
		l.Select(0)
	}
}

// family is the lines of a list in which each thread is below the one that started it. Those below
// a thread that is collapsed are left out. With a filter the lines are those that pass, and
// the threads above them; none is left out then.
type family struct {
	*goroutines.Forest                // nil in other orders
	linked             bool           // there may be a tree
	folded             map[int32]bool // ids of the threads that are collapsed
	gaps               []gap
	found              found
}

// gap is a place where threads are left out.
type gap struct {
	at     int // the first line after it
	hidden int // how many threads are left out before that line
}

func (f *family) len() int {
	n := f.Of().Len()
	if len(f.gaps) > 0 {
		n -= f.gaps[len(f.gaps)-1].hidden
	}
	return n
}

// thread returns the number of the thread of a line.
func (f *family) thread(line int) int {
	if i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at > line }); i > 0 {
		line += f.gaps[i-1].hidden
	}
	return f.At(line)
}

// line returns the line of a thread; if that is left out, the line of its nearest ancestor that is not.
func (f *family) line(thread int) int {
	place := f.Place(thread)
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at+f.gaps[i].hidden > place })
	line := place
	if i > 0 {
		line -= f.gaps[i-1].hidden
	}
	if i < len(f.gaps) && line >= f.gaps[i].at {
		line = f.gaps[i].at - 1
	}
	return line
}

func (f *family) fold(thread int, on bool) {
	id := f.Of().ID(thread)
	if f.folded == nil {
		f.folded = make(map[int32]bool)
	}
	if delete(f.folded, id); on {
		f.folded[id] = true
	}
	f.refold()
}

func (f *family) isFolded(thread int) bool { return f.folded[f.Of().ID(thread)] && f.Below(thread) > 0 }

// refold finds out what is left out.
func (f *family) refold() {
	f.gaps = nil
	var places []int
	for id := range f.folded {
		if i := f.Of().Index(id); i < f.Of().Len() && f.Of().ID(i) == id {
			places = append(places, f.Place(i))
		}
	}
	slices.Sort(places)
	end, hidden := 0, 0
	for _, p := range places {
		below := f.Below(f.At(p))
		if p < end || below == 0 {
			continue
		}
		end = p + 1 + below
		at := p + 1 - hidden
		hidden += below
		f.gaps = append(f.gaps, gap{at, hidden})
	}
}

// found is the lines with a filter.
type found struct {
	of     *prompt.Scan
	lines  []int  // threads
	taken  int    // of those that passed
	in     []bool // by thread: it has a line
	passed []bool // by thread
}

// follow adds the threads that have passed a filter since the last call, with those above them. It returns
// the line of the first that passed, once.
func (f *family) follow(s *prompt.Scan) (line int, first bool) {
	if f.found.of != s {
		f.found = found{of: s}
	}
	if s == nil || len(s.Passed) == f.found.taken {
		return 0, false
	}
	l := &f.found
	first = l.taken == 0
	if l.in == nil {
		l.in, l.passed = make([]bool, f.Of().Len()), make([]bool, f.Of().Len())
	}
	for _, thread := range s.Passed[l.taken:] {
		l.passed[thread] = true
		from := len(l.lines)
		add := func(thread int) bool {
			added := !l.in[thread]
			if added {
				l.in[thread] = true
				l.lines = append(l.lines, thread)
			}
			return added
		}
		add(thread)
		f.Ancestors(thread, add)
		slices.Reverse(l.lines[from:])
	}
	l.taken = len(s.Passed)
	return slices.Index(l.lines, s.Passed[0]), first
}
