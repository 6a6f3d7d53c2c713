package query

import (
	"math"
	"slices"
	"sort"

	"tracex/lazy/internal/compact"
)

// sortTexts are the different values that rows are sorted by, apart from most integers, which are
// their own keys. If there are too many, only the first rows in order are sure.
type sortTexts struct {
	table packedValues
	now   []int64 // the keys of the part's values; noKey if not known yet
	cut   *callValue
	sure  int // with cut: so many rows are in order, and those after cut are not among them
	limit *callsLimits
}

const (
	afterKey     = math.MaxInt64 - 1 // of values after cut
	firstTextKey = afterKey - 1<<20  // of texts: more than there can be
	noKey        = math.MinInt64
	smallKey     = 1 << 15
)

// swapped is how a key is kept: the keys of texts change places with the integers after smallKey, so that
// they take as few bytes as integers do. The same returns the key.
func swapped(key int64) int64 {
	switch {
	case key >= firstTextKey && key <= afterKey:
		return key - firstTextKey + smallKey
	case key >= smallKey && key <= smallKey+afterKey-firstTextKey:
		return key - smallKey + firstTextKey
	}
	return key
}

// full reports whether values must be forgotten.
func (s *sortTexts) full() bool {
	return len(s.table.list) >= s.limit.texts || s.table.size >= s.limit.textSize
}

// begin prepares for a part with so many values.
func (s *sortTexts) begin(n int) {
	s.now = slices.Grow(s.now[:0], n)[:n]
	for i := range s.now {
		s.now[i] = noKey
	}
	if s.cut == nil {
		s.sure = math.MaxInt
	}
}

// key returns the key of a part's value.
func (s *sortTexts) key(values *valueTable, value int32, rising bool) int64 {
	if s.now[value] == noKey {
		s.now[value] = s.keyOf(values.list[value], rising)
	}
	return s.now[value]
}

func (s *sortTexts) keyOf(v callValue, rising bool) int64 {
	switch {
	case v.kind == valueAbsent:
		return compact.Unknown
	case v.kind == valueInteger && v.n < firstTextKey && v.n > noKey+2:
		return v.n
	case s.cut != nil && after(&v, s.cut, rising):
		return afterKey
	}
	return firstTextKey + int64(s.table.add(&v))
}

// after reports whether a value is after another one in the order of the rows.
func after(v, o *callValue, rising bool) bool {
	if rising {
		return v.compare(o) > 0
	}
	return v.compare(o) < 0
}

// forget forgets the values after that with a key, and returns the keys of all values from now on.
func (s *sortTexts) forget(last int64, rising bool) (moved []int64) {
	s.cut = &callValue{kind: valueInteger, n: last}
	old := s.table
	if last >= firstTextKey {
		cut := old.value(int32(last - firstTextKey))
		s.cut = &cut
	}
	s.table = packedValues{}
	for i := range old.list {
		moved = append(moved, s.keyOf(old.value(int32(i)), rising))
	}
	return moved
}

// valueOrder is the order of rows by values: numbers by their size, then texts. Equal values are in no order.
type valueOrder struct {
	keys    []int64     // of the values in the table, by their number
	numbers []callValue // of these, the different ones that are numbers, in order
}

// inOrder returns the order of the values that were seen.
func (s *sortTexts) inOrder() *valueOrder {
	t := &s.table
	list := make([]int32, len(t.list))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortFunc(list, func(a, b int32) int {
		v, o := t.value(a), t.value(b)
		return v.compare(&o)
	})
	o := &valueOrder{keys: make([]int64, len(list))}
	different := int64(-1)
	var last callValue
	for i, n := range list {
		v := t.value(n)
		if i == 0 || v.compare(&last) != 0 {
			if different++; v.number() {
				o.numbers = append(o.numbers, v)
			}
		}
		if last = v; v.number() {
			// After the integers that are not larger, which of gives keys that are larger by as many.
			o.keys[n] = v.floor() + different + 1
		} else {
			o.keys[n] = firstTextKey + different
		}
	}
	return o
}

// floor is the largest integer that is a key of its own and not larger than the value, or the one below all of
// them.
func (v *callValue) floor() int64 {
	const least, most = noKey + 2, firstTextKey - 1
	switch f := math.Floor(v.f); {
	case v.kind == valueInteger:
		return min(max(v.n, least), most)
	case f >= most:
		return most
	case f > least:
		return min(int64(f), most)
	}
	return least // of what is no number, too
}

// of returns what rows with a key are sorted by.
func (o *valueOrder) of(key int64) int64 {
	switch {
	case key >= afterKey:
		return key
	case key >= firstTextKey:
		return o.keys[key-firstTextKey]
	case len(o.numbers) == 0:
		return key
	}
	v := callValue{kind: valueInteger, n: key}
	return key + int64(sort.Search(len(o.numbers), func(i int) bool { return o.numbers[i].compare(&v) > 0 }))
}
