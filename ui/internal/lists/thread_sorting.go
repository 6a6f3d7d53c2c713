package lists

import (
	"context"
	"slices"
	"sort"

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
	order    lazy.ThreadOrder
	back     bool             // the other way round
	all      *lazy.ThreadList // the threads to sort
	task     env.Task
	progress env.Progress
}

func (l *ThreadList) sort() tea.Cmd {
	s, forests := l.sorting, l.starts.Forests
	return s.task.Run(l.env, func(ctx context.Context) func() tea.Cmd {
		var numbers []int
		var forest *goroutines.Forest
		var err error
		if s.order == asTree {
			forest, err = forests.Get(ctx, s.all, s.progress.Tell)
		} else {
			numbers, err = s.all.Sort(ctx, s.order, s.progress.Tell)
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
	case l.order == lazy.ByID && !l.back && l.Scan == nil && was >= 0:
		l.Select(l.all.Index(was))
	}
	if l.order == lazy.ByID {
		l.relate()
	}
}

// family is the lines of a list in which each thread is below the one that started it: without those below one that is
// collapsed, or, with a filter, those that pass and all threads above them.
type family struct {
	*goroutines.Forest                // nil in other orders
	linked             bool           // there may be a tree
	folded             map[int32]bool // ids of the threads that are collapsed
	lines              []int          // threads; nil if all are shown
	of                 *prompt.Scan   // the filter that lines are of; nil if there is none
	taken              int            // how many of those that passed lines has
}

func (f *family) len() int {
	if f.lines == nil {
		return f.Of().Len()
	}
	return len(f.lines)
}

// thread returns the number of the thread of a line.
func (f *family) thread(line int) int {
	if f.lines == nil {
		return f.At(line)
	}
	return f.lines[line]
}

// line returns the line of a thread; if that is left out, the line of its nearest ancestor that is not.
func (f *family) line(thread int) int {
	place := f.Place(thread)
	if f.lines == nil {
		return place
	}
	return sort.Search(len(f.lines), func(i int) bool { return f.Place(f.lines[i]) > place }) - 1
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

func (f *family) isFolded(thread int) bool { return f.Below(thread) > 0 && f.folded[f.Of().ID(thread)] }

// refold makes the lines without a filter.
func (f *family) refold() {
	f.lines, f.of, f.taken = nil, nil, 0
	if len(f.folded) == 0 {
		return
	}
	for place := 0; place < f.Of().Len(); place++ {
		thread := f.At(place)
		if f.lines = append(f.lines, thread); f.isFolded(thread) {
			place += f.Below(thread)
		}
	}
}

// follow adds the threads that passed a filter since the last call. It returns the line of the first of all, once.
func (f *family) follow(s *prompt.Scan) (line int, first bool) {
	if f.of != s {
		if f.refold(); s != nil {
			f.lines, f.of = []int{}, s
		}
	}
	if s == nil || len(s.Passed) == f.taken {
		return 0, false
	}
	first = f.taken == 0
	for ; f.taken < len(s.Passed); f.taken++ {
		from, last := len(f.lines), -1 // place of the line before: what is above this thread and not after it has a line
		if from > 0 {
			last = f.Place(f.lines[from-1])
		}
		for thread, ok := s.Passed[f.taken], true; ok && f.Place(thread) > last; thread, ok = f.Parent(thread) {
			f.lines = append(f.lines, thread)
		}
		slices.Reverse(f.lines[from:])
	}
	return slices.Index(f.lines, s.Passed[0]), first
}

// passes reports whether a thread passes the filter.
func (f *family) passes(thread int) bool {
	_, ok := slices.BinarySearchFunc(f.of.Passed[:f.taken], f.Place(thread), func(t, place int) int { return f.Place(t) - place })
	return ok
}
