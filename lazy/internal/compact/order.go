package compact

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// Order is an order of rows. Of many rows it keeps only where each part of the order begins, and the
// rows of the part that was asked for last: the rows are not kept twice. Any goroutine may use it.
type Order struct {
	n     int      // rows in order
	first []uint32 // all n; nil if there are parts
	of    int      // rows that the parts are of
	key   func(row uint32) int64

	parts []orderPart // in order
	mu    sync.Mutex  // guards the fields below
	part  int         // whose rows are known; -1 for none
	rows  []uint32
}

// orderPart is where a part of an order begins.
type orderPart struct {
	key   int64
	row   uint32
	place int // in the order, of its first row
}

// compare compares rows: those with the same key are in the order of the trace.
func (p *orderPart) compare(key int64, row uint32) int {
	return cmp.Or(cmp.Compare(p.key, key), cmp.Compare(p.row, row))
}

// UsualPart is how many rows an order usually keeps.
const UsualPart = 1 << 16

// NewOrder puts the first most of so many rows in order by their keys. It has parts if they are more
// than ordered.
func NewOrder(rows, most, ordered int, key func(row uint32) int64) *Order {
	o := &Order{n: min(rows, most), of: rows, key: key, part: -1}
	if o.n > ordered {
		o.split(ordered)
	} else {
		o.first = firstOf(rows, o.n, func(a, b uint32) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b)) })
	}
	return o
}

// sampled is how many rows are looked at to find where a part begins.
const sampled = 64

// split finds parts of about so many rows.
func (o *Order) split(rows int) {
	parts := (o.of + rows - 1) / rows
	sample := make([]orderPart, parts*sampled)
	for i := range sample {
		row := uint32(int64(i) * int64(o.of) / int64(len(sample)))
		sample[i] = orderPart{key: o.key(row), row: row}
	}
	slices.SortFunc(sample, func(a, b orderPart) int { return a.compare(b.key, b.row) })
	o.parts = make([]orderPart, parts)
	for i := range o.parts {
		o.parts[i] = sample[i*sampled]
	}
	counts := make([]int, parts)
	for row := range uint32(o.of) {
		counts[o.partOf(o.key(row), row)]++
	}
	place := 0
	for i, n := range counts {
		o.parts[i].place = place
		place += n
	}
}

// Len returns how many rows are in order.
func (o *Order) Len() int { return o.n }

// partOf returns the part of a row. The first part has the rows before it too.
func (o *Order) partOf(key int64, row uint32) int {
	return max(0, sort.Search(len(o.parts), func(i int) bool { return o.parts[i].compare(key, row) > 0 })-1)
}

// AppendRows appends the rows that are in the order from from, and before to.
func (o *Order) AppendRows(list []uint32, from, to int) []uint32 {
	to = min(to, o.n)
	if o.parts == nil {
		return append(list, o.first[min(from, to):to]...)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for from < to {
		part := sort.Search(len(o.parts), func(i int) bool { return o.parts[i].place > from }) - 1
		o.load(part)
		some := o.rows[from-o.parts[part].place:]
		some = some[:min(len(some), to-from)]
		list, from = append(list, some...), from+len(some)
	}
	return list
}

// load finds the rows of a part.
func (o *Order) load(part int) {
	if o.part == part {
		return
	}
	o.part, o.rows = part, o.rows[:0]
	for row := range uint32(o.of) {
		key := o.key(row)
		if part > 0 && o.parts[part].compare(key, row) > 0 || part+1 < len(o.parts) && o.parts[part+1].compare(key, row) <= 0 {
			continue
		}
		o.rows = append(o.rows, row)
	}
	slices.SortFunc(o.rows, func(a, b uint32) int { return cmp.Or(cmp.Compare(o.key(a), o.key(b)), cmp.Compare(a, b)) })
}

// firstOf returns the first most of n rows in order.
func firstOf(n, most int, compare func(a, b uint32) int) []uint32 {
	kept := make([]uint32, 0, min(n, 2*most))
	var last uint32 // of those that can still be among the first
	full := false
	for row := range uint32(n) {
		if full && compare(row, last) > 0 {
			continue
		}
		if kept = append(kept, row); len(kept) == 2*most {
			slices.SortFunc(kept, compare)
			kept, full = kept[:most], true
			last = kept[most-1]
		}
	}
	slices.SortFunc(kept, compare)
	return kept[:min(most, len(kept))]
}
