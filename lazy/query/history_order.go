package query

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracex/lazy/query/table"
)

// Sorts returns the keys of the columns by which a table of the history sorts. The first is that of the order in which
// the values were recorded.
func (h *History) Sorts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	when := "event"
	if h.order != ByEvent && !h.oneThread() {
		when = map[Order]string{ByMoment: "start", PerThread: "thread"}[h.order]
	}
	return []string{when, "value"}
}

// oneThread reports whether the trace has only one thread.
func (h *History) oneThread() bool { return h.r.ThreadList().Len() == 1 }

// ordered returns the rows, as indexes of values, in the order of the view.
func (x *historyTable) ordered() []int {
	rows := make([]int, len(x.list))
	for i := range rows {
		rows[i] = i
	}
	switch sort := x.view.Sort; {
	case sort == "value":
		x.columns.Sort(rows, sort, x.view.Rising)
	case sort != "" && !x.view.Rising:
		slices.Reverse(rows)
	}
	return rows
}

// compare compares numbers by value, and texts, which are larger than any number, by their bytes.
func (v *HeldValue) compare(o *HeldValue) int {
	switch {
	case v.Numeric == NoNumber && o.Numeric == NoNumber:
		return strings.Compare(v.Text, o.Text)
	case v.Numeric == NoNumber || o.Numeric == NoNumber:
		return b2i(v.Numeric == NoNumber) - b2i(o.Numeric == NoNumber)
	case v.Numeric == WholeNumber && o.Numeric == WholeNumber:
		return cmp.Compare(v.Int, o.Int)
	}
	return cmp.Compare(v.Float, o.Float)
}

// extremes returns where the smallest and the largest number are, each for the first time; ok is false if there are
// no two numbers that differ, or these are of several fields.
func (x *historyTable) extremes() (low, high int, ok bool) {
	if low = -1; x.h.o.Location.Kind == ObjectLocation {
		return 0, 0, false
	}
	for i := range x.list {
		switch v := &x.list[i].Value; {
		case x.list[i].Kind >= Receiver || v.Numeric == NoNumber || math.IsNaN(v.Float):
		case low < 0:
			low, high = i, i
		case v.compare(&x.list[low].Value) < 0:
			low = i
		case v.compare(&x.list[high].Value) > 0:
			high = i
		}
	}
	return low, high, low >= 0 && low != high
}

// Extremes returns the rows of a table of a [History] with the smallest and the largest number; ok is false if there are
// none, as for an object, whose values are of several fields.
func Extremes(t *table.Table) (low, high int, ok bool) {
	s, is := t.Rows.(*historyRows)
	if !is {
		return 0, 0, false
	}
	low, high, ok = s.x.extremes()
	return slices.Index(s.list, low), slices.Index(s.list, high), ok
}
