package threads

import (
	"iter"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/list"
)

// turn returns work that looks at some more threads for the filter.
func (l *List) turn() func() tea.Msg {
	all, number := l.all, func(i int) int { return i }
	if l.order == asTree {
		number = l.family.At
	}
	if sorted := l.sorted; sorted != nil {
		number = func(i int) int { return sorted[i] }
	}
	work := l.filter.Turn(l.all.Len(), number, func(numbers iter.Seq[int], yield func(int, []byte) bool) { all.Names(numbers, yield) })
	return func() tea.Msg { return turned{work()} }
}

// turned is the result of a turn.
type turned struct{ list.Turned }

func (t turned) end(l *List) {
	if l.filter == t.Of() { // otherwise the filter has been replaced
		l.busy = false
		t.Apply()
	}
}
