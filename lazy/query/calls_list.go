package query

import (
	"cmp"
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/places"
)

// callsList is the rows of a table with a row for each call.
type callsList struct {
	set      *places.Set
	by       callColumn
	rising   bool
	n        int   // rows
	beyond   int64 // calls without one
	weight   numbers
	keys     numbers // what the rows are sorted by, if the place and the weight do not tell
	texts    sortTexts
	order    []uint32   // rows; nil if they are in the order of the trace
	keysBy   callColumn // what the keys are
	arranged int        // rows when they were put in order
	limit    *callsLimits
}

func newCallsList(set *places.Set, by callColumn, rising bool, limit *callsLimits) callsList {
	return callsList{set: set, by: by, keysBy: by, rising: rising, limit: limit, texts: sortTexts{limit: limit}}
}

// keyed reports whether rows have a key of their own.
func (l *callsList) keyed() bool { return l.keysBy.keyed() }

// keyed reports whether rows need a key to be sorted by the column.
func (c *callColumn) keyed() bool {
	switch c.kind {
	case columnNone, columnEvent, columnSelf, columnEvents:
		return false
	}
	return true
}

// add adds calls that begin, in the order of the trace.
func (l *callsList) add(t threadPlaces) {
	n := min(len(t.at), l.limit.rows-l.n)
	l.beyond += int64(len(t.at) - n)
	l.set.Add(t.thread, t.at...)
	l.n += n
	l.weight.grow(n)
	if l.keyed() {
		l.keys.grow(n)
	}
}

// begin prepares for the values of a part.
func (l *callsList) begin(p *callsPart, groups *callGroups) {
	if groups != nil {
		groups.begin(p)
	} else if l.keysBy.text() {
		if l.texts.full() {
			l.forget()
		}
		l.texts.begin(len(p.values.list))
	}
}

// end adds what is known about a call at its end.
func (l *callsList) end(p *callsPart, e *endedCall, row int, timed bool) {
	if row >= l.n {
		return
	}
	if !timed {
		l.weight.set(row, e.openHere.seen)
	} else if self, ok := e.self(); ok {
		l.weight.set(row, self)
	}
	switch {
	case !l.keyed():
	case l.keysBy.text():
		if key := l.texts.key(p, e.value, l.rising); key != unknownNumber {
			l.keys.set(row, key)
		}
	case e.time.Duration < 0:
	case l.keysBy.kind == columnStart:
		l.keys.set(row, e.time.Start)
	default:
		l.keys.set(row, e.time.Duration)
	}
}

// inOrder returns all rows in order; nil if that is the order of the trace.
func (l *callsList) inOrder() []uint32 {
	if l.by.kind == columnEvent && l.rising {
		return nil
	}
	order := l.sorted(l.n)
	if l.texts.cut != nil {
		order = order[:min(len(order), l.texts.sure)]
	}
	return order
}

// firstRows returns the first rows in order, or all if there are few.
func (l *callsList) firstRows() []uint32 {
	switch {
	case l.by.kind == columnEvent && l.rising:
		return nil
	case l.n > orderedRows:
		return l.sorted(firstRows)
	}
	return l.inOrder()
}

// sorts reports whether what rows are sorted by is known for another column.
func (l *callsList) sorts(by *callColumn) bool {
	return !by.keyed() || l.texts.cut == nil && by.kind == l.keysBy.kind && by.arg == l.keysBy.arg
}

// sorted returns the rows in order, or the first most of them.
func (l *callsList) sorted(most int) []uint32 {
	if l.by.kind == columnEvent {
		order := make([]uint32, min(l.n, most))
		for i := range order {
			if order[i] = uint32(i); !l.rising {
				order[i] = uint32(l.n - 1 - i)
			}
		}
		return order
	}
	key := l.key()
	compare := func(a, b uint32) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b)) }
	if most < l.n {
		return firstOf(l.n, most, compare)
	}
	order := make([]uint32, l.n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, compare)
	return order
}

// key returns the function that has what the rows are in the order of: rows that are not known last.
func (l *callsList) key() func(row uint32) int64 {
	values := &l.weight
	if l.by.keyed() {
		values = &l.keys
	}
	ranks := l.texts.ranks()
	return func(row uint32) int64 {
		k := values.at(int(row))
		if ranks != nil && k >= firstTextKey && k < afterKey {
			k = firstTextKey + int64(ranks[k-firstTextKey])
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
		if l.keys.at(row) < afterKey {
			kept++
		}
	}
	l.texts.sure = min(l.texts.sure, l.limit.sure, kept/2)
	last := l.keys.at(int(l.sorted(l.texts.sure)[l.texts.sure-1]))
	moved := l.texts.forget(last, l.rising)
	for row := range l.n {
		if k := l.keys.at(row); k >= firstTextKey && k < afterKey {
			l.keys.set(row, moved[k-firstTextKey])
		}
	}
}

// firstOf returns the first most of n rows in order.
func firstOf(n, most int, compare func(a, b uint32) int) []uint32 {
	kept := make([]uint32, 0, 2*most)
	var last uint32 // of those that can still be among the first
	full := false
	for row := range uint32(n) {
		if full && compare(row, last) > 0 {
			continue
		}
		if kept = append(kept, row); len(kept) == cap(kept) {
			slices.SortFunc(kept, compare)
			kept, full = kept[:most], true
			last = kept[most-1]
		}
	}
	slices.SortFunc(kept, compare)
	return kept[:min(most, len(kept))]
}

// place returns the place of a row and its weight: its own time or, in a trace without times, its
// points.
func (l *callsList) place(row int, order []uint32) (at lazy.Position, weight int64, ok bool) {
	if order != nil {
		row = int(order[row])
	}
	at, ok = l.set.Place(row)
	return at, l.weight.at(row), ok
}
