package threads

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// asTree is the order in which threads are below those that started them. It follows the others.
const asTree = lazy.ByCalls + 1

// orderNames are the names of the orders.
var orderNames = map[lazy.ThreadOrder]string{
	lazy.ByID: "by number", lazy.ByName: "by name", lazy.ByDuration: "by duration", lazy.ByCalls: "by calls", asTree: "as a tree",
}

// next sorts the threads by the next order.
func (l *List) next() {
	o := l.order
	if l.sorting != nil {
		o = l.sorting.order
	}
	l.giveUpSorting()
	if o = (o + 1) % lazy.ThreadOrder(len(orderNames)); o == lazy.ByDuration && !l.timed {
		o++
	}
	if o == asTree && !l.family.linked {
		o = lazy.ByID
	}
	l.chosen = true
	l.sorting = &sorting{order: o, all: l.all}
}

func (l *List) giveUpSorting() {
	if l.sorting != nil && l.sorting.cancel != nil {
		l.sorting.cancel()
	}
	l.sorting = nil
}

// sorting is a sort under way.
type sorting struct {
	order       lazy.ThreadOrder
	all         *lazy.ThreadList // the threads to sort
	begun       bool
	cancel      context.CancelFunc
	done, total atomic.Int64
}

func (s *sorting) begin(life context.Context, forests *goroutines.Cache) func() tea.Msg {
	ctx, cancel := context.WithCancel(life)
	s.begun, s.cancel = true, cancel
	tell := func(done, total int64) {
		s.done.Store(done)
		s.total.Store(total)
	}
	return func() tea.Msg {
		if s.order == asTree {
			forest, err := forests.Get(ctx, s.all, tell)
			return sortEnd{s, nil, forest, err}
		}
		numbers, err := s.all.Sort(ctx, s.order, tell)
		return sortEnd{s, numbers, nil, err}
	}
}

// sortEnd is the result of a sort.
type sortEnd struct {
	s       *sorting
	numbers []int
	forest  *goroutines.Forest // for asTree
	err     error
}

func (e sortEnd) end(l *List) {
	if l.sorting != e.s {
		return // that sort was given up
	}
	l.giveUpSorting()
	if e.err != nil {
		return // the trace is closed
	}
	if e.forest != nil && !e.forest.Linked() && !l.chosen {
		return // all parents are missing in the trace
	}
	again, was := l.order == e.s.order, int32(-1)
	if l.Selected() < l.len() {
		was = l.ID(l.Selected())
	}
	l.all, l.order, l.sorted, l.family.Forest = e.s.all, e.s.order, e.numbers, nil
	if e.forest != nil {
		l.family.begin(e.forest)
	}
	if l.filter != nil {
		l.filterBy(l.filter.P)
	}
	switch {
	case e.forest != nil && l.filter == nil && (again || !l.chosen) && was >= 0:
		l.Select(l.family.line(l.all.Index(was)))
	case !again:
		l.Select(0)
	}
}
