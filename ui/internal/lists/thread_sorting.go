package lists

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/env"
)

// asTree is the order in which threads are below those that started them. It follows the others.
const asTree = lazy.ByCalls + 1

// orderNames are the names of the orders.
var orderNames = map[lazy.ThreadOrder]string{
	lazy.ByID: "by number", lazy.ByName: "by name", lazy.ByDuration: "by duration", lazy.ByCalls: "by calls", asTree: "as a tree",
}

// next sorts the threads by the next order.
func (l *ThreadList) next() {
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

func (l *ThreadList) giveUpSorting() {
	if l.sorting != nil {
		l.sorting.task.Stop()
		l.sorting = nil
	}
}

// sorting is a sort that is wanted or under way.
type sorting struct {
	order       lazy.ThreadOrder
	all         *lazy.ThreadList // the threads to sort
	task        env.Task
	done, total atomic.Int64
}

// sort begins the sort that is wanted.
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
	again, was := l.order == s.order, int32(-1)
	if l.Selected() < l.len() {
		was = l.ID(l.Selected())
	}
	l.all, l.order, l.sorted, l.family.Forest = s.all, s.order, numbers, forest
	if forest != nil {
		l.family.refold()
	}
	if l.filter != nil {
		l.filterBy(l.filter.P)
	}
	switch {
	case forest != nil && l.filter == nil && (again || !l.chosen) && was >= 0:
		l.Select(l.family.line(l.all.Index(was)))
	case !again:
		l.Select(0)
	}
}
