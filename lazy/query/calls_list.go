package query

import (
	"tracex/lazy"
	"tracex/lazy/internal/compact"
	"tracex/lazy/query/places"
)

// callsList is the rows of a table with a row for each call.
type callsList struct {
	set      *places.Set
	by       callColumn
	rising   bool
	n        int   // rows
	beyond   int64 // calls without one
	weight   compact.Numbers
	keys     compact.Numbers // what the rows are sorted by, if the place and the weight do not tell
	texts    sortTexts
	order    *compact.Order // of the rows; nil if that is the order of the trace
	keysBy   callColumn     // what the keys are
	arranged int            // rows when they were put in order
	limit    *callsLimits
}

func newCallsList(set *places.Set, by callColumn, rising bool, limit *callsLimits) callsList {
	return callsList{set: set, by: by, keysBy: by, rising: rising, limit: limit, texts: sortTexts{limit: limit}}
}

// keyed reports whether rows have a key of their own.
func (l *callsList) keyed() bool { return l.keysBy.keyed() }

// add adds calls that begin, in the order of the trace.
func (l *callsList) add(thread int32, at []int64) {
	n := min(len(at), l.limit.rows-l.n)
	l.beyond += int64(len(at) - n)
	l.set.Add(thread, at...)
	l.n += n
	l.weight.Grow(n)
	if l.keyed() {
		l.keys.Grow(n)
	}
}

// begin prepares for the values of a part.
func (l *callsList) begin(values *valueTable, groups *callGroups) {
	if groups != nil {
		groups.begin(values)
	} else if l.keysBy.text() {
		if l.texts.full() {
			l.forget()
		}
		l.texts.begin(len(values.list))
	}
}

// end adds what is known about a call at its end.
func (l *callsList) end(values *valueTable, e *endedCall, row int, timed bool) {
	if row >= l.n {
		return
	}
	if !timed {
		l.weight.Set(row, e.openHere.seen)
	} else if self, ok := e.self(); ok {
		l.weight.Set(row, self)
	}
	switch {
	case !l.keyed():
	case l.keysBy.text():
		if key := l.texts.key(values, e.value, l.rising); key != compact.Unknown {
			l.keys.Set(row, swapped(key))
		}
	case e.time.Duration < 0:
	case l.keysBy.kind == columnStart:
		l.keys.Set(row, e.time.Start)
	default:
		l.keys.Set(row, e.time.Duration)
	}
}

// inOrder returns the order of all rows, or of those that are sure; nil if it is that of the trace.
func (l *callsList) inOrder() *compact.Order {
	if l.texts.cut != nil {
		return l.sorted(l.texts.sure)
	}
	return l.sorted(l.n)
}

// firstRows returns the first rows in order, or all if there are few.
func (l *callsList) firstRows() *compact.Order {
	if l.n > l.limit.ordered {
		return l.sorted(min(firstRows, l.limit.ordered))
	}
	return l.inOrder()
}

// sorts reports whether what rows are sorted by is known for another column.
func (l *callsList) sorts(by *callColumn) bool {
	return !by.keyed() || l.texts.cut == nil && by.kind == l.keysBy.kind && by.at == l.keysBy.at
}

// sorted returns the order of the first most rows in it; nil if it is that of the trace.
func (l *callsList) sorted(most int) *compact.Order {
	if l.by.kind == columnEvent && l.rising {
		return nil
	}
	return compact.NewOrder(l.n, most, l.limit.ordered, l.key())
}

// key returns the function that has what the rows are in the order of: rows that are not known last.
func (l *callsList) key() func(row uint32) int64 {
	if l.by.kind == columnEvent {
		return func(row uint32) int64 { return -int64(row) }
	}
	values := l.weight
	if l.by.keyed() {
		values = l.keys
	}
	var order *valueOrder
	if l.by.text() {
		order = l.texts.inOrder()
	}
	return func(row uint32) int64 {
		k := values.At(int(row))
		if order != nil {
			k = order.of(swapped(k))
		}
		if l.rising || k >= afterKey {
			return k
		}
		return -1 - k
	}
}

// forget makes room for further values to sort by: it forgets those after the first rows.
func (l *callsList) forget() {
	kept := 0
	for row := range l.n {
		if swapped(l.keys.At(row)) < afterKey {
			kept++
		}
	}
	l.texts.sure = min(l.texts.sure, l.limit.sure, kept/2)
	first := l.sorted(l.texts.sure).AppendRows(nil, l.texts.sure-1, l.texts.sure)
	last := swapped(l.keys.At(int(first[0])))
	moved := l.texts.forget(last, l.rising)
	for row := range l.n {
		if k := swapped(l.keys.At(row)); k >= firstTextKey && k < afterKey {
			l.keys.Set(row, swapped(moved[k-firstTextKey]))
		}
	}
}

// place returns the place of a row and its weight: its own time or, in a trace without times, its
// points.
func (l *callsList) place(row uint32) (at lazy.Position, weight int64, ok bool) {
	at, ok = l.set.Place(int(row))
	return at, l.weight.At(int(row)), ok
}

// firstRows is how many rows are in order while calls are still being looked for, if there are many.
const firstRows = 1000
