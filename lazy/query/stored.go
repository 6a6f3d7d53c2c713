package query

import (
	"cmp"
	"encoding/binary"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/decode"
	"tracex/lazy/query/histogram"
)

// mostStored is how many threads have a table of their own in a summary: the largest ones, of those
// that take long to read.
const mostStored = 64

// wholeTrace is in place of a thread for the table of all threads.
const wholeTrace = -1

// storedTops makes the tables of a summary: what [Top] tells about methods in the folded view, for
// the whole trace and for its largest threads. It is a Collector.
type storedTops struct {
	r    *lazy.LazyTraceReader
	of   Top            // makes the visitors
	own  map[int32]*Top // by thread
	rest *Top           // of all other threads
	big  []int32
}

func newStoredTops(r *lazy.LazyTraceReader, unit int64) *storedTops {
	s := &storedTops{r: r}
	var big []lazy.ThreadInfo
	for t := range r.ThreadList().All() {
		if t.Bytes > unit {
			big = append(big, t)
		}
	}
	slices.SortFunc(big, func(a, b lazy.ThreadInfo) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.ID, b.ID)) })
	for _, t := range big[:min(len(big), mostStored)] {
		s.big = append(s.big, t.ID)
	}
	slices.Sort(s.big)
	s.of.r = r
	_, s.of.timed = r.Times()
	s.Reset()
	return s
}

func (s *storedTops) Reset() {
	s.of.Reset()
	part := func() *Top { return &Top{r: s.r, timed: s.of.timed, groups: s.of.groups} }
	s.rest, s.own = part(), make(map[int32]*Top)
	for _, id := range s.big {
		s.own[id] = part()
	}
}

func (s *storedTops) Visitor() lazy.Visitor { return s.of.Visitor() }

// Merge: a part of a thread with a table of its own has no other thread.
func (s *storedTops) Merge(v lazy.Visitor) error {
	p := v.(*topPart)
	t := s.own[p.thread]
	if t == nil {
		t = s.rest
	}
	if err := t.merge(p, false); err != nil {
		return err
	}
	s.of.pool.put(p)
	return nil
}

// encode returns the tables: on disk, do not change. Numbers are varints; those that may be
// negative are signed. Strings have their size first.
//
//	version     2
//	timed       byte
//	n           methods
//	n times:    byte: 1 if the trace does not describe it; id (signed), class, method, arguments,
//	            result, name, full name; a type is: kind and dimensions (bytes), class
//	n           tables
//	n times:    thread (signed; -1 for all), size, and so many bytes:
//	    calls, points, time (signed), unended, untimed, shorter
//	    n       rows
//	    n times: gap of the method's number, calls, threw, self, total (signed), waiting, own, points,
//	            took, timed, longest (signed), unended, histogram
func (s *storedTops) encode() ([]byte, error) {
	groups := s.of.groups.list()
	if len(groups) > mostMethods {
		return nil, nil // tables of another trace are not read either
	}
	order, ids := s.inOrder(groups)
	b := binary.AppendUvarint(nil, tablesVersion)
	b = appendBool(b, s.of.timed)
	b = binary.AppendUvarint(b, uint64(len(order)))
	for _, n := range order {
		b = groups[n].append(b, ids[n])
	}
	whole := &Top{}
	tables := map[int32]*Top{wholeTrace: whole}
	for _, t := range s.own {
		whole.addAll(t)
	}
	whole.addAll(s.rest)
	threads := []int32{wholeTrace}
	for _, id := range s.big {
		tables[id] = s.own[id]
		threads = append(threads, id)
	}
	b = binary.AppendUvarint(b, uint64(len(threads)))
	for _, id := range threads {
		table := tables[id].append(nil, order)
		b = binary.AppendVarint(b, int64(id))
		b = binary.AppendUvarint(b, uint64(len(table)))
		b = append(b, table...)
	}
	return b, nil
}

const tablesVersion = 2

// mostMethods bounds how many methods tables are kept for, and the memory that reading them takes.
const mostMethods = 1 << 17

// inOrder returns the numbers of groups in an order that does not depend on which was seen first,
// and the smallest id of each.
func (s *storedTops) inOrder(groups []*Group) (order, ids []int32) {
	least := make(map[string]int32)
	s.r.WithContext(func(c *format.Context) {
		for m := range c.Methods() {
			key, _ := s.of.groups.describe(m.ID)
			if id, ok := least[key]; !ok || m.ID < id {
				least[key] = m.ID
			}
		}
		for i, g := range groups {
			order = append(order, int32(i))
			ids = append(ids, g.ID)
			if key, _ := s.of.groups.describe(g.ID); !g.Unknown {
				ids[i] = min(ids[i], least[key])
			}
		}
	})
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(ids[a], ids[b]) })
	return order, ids
}

// addAll adds the rows of another Top of the same groups.
func (t *Top) addAll(o *Top) {
	for i := range o.rows {
		row := t.row(int32(i))
		row.add(&o.rows[i].Sums)
		row.times.Merge(&o.rows[i].times)
	}
	t.all.add(&o.all)
}

// append appends the table of a Top, whose groups have these numbers in order.
func (t *Top) append(b []byte, order []int32) []byte {
	b = appendNumbers(b, t.all.stored())
	count := 0
	for i := range t.rows {
		if t.rows[i].shown() {
			count++
		}
	}
	b = binary.AppendUvarint(b, uint64(count))
	next := 0
	for n, i := range order {
		if int(i) >= len(t.rows) || !t.rows[i].shown() {
			continue
		}
		b = binary.AppendUvarint(b, uint64(n-next))
		next = n + 1
		r := &t.rows[i]
		b = appendNumbers(b, r.stored())
		b = r.times.Append(b)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// append appends the description of a group of calls of a method.
func (g *Group) append(b []byte, id int32) []byte {
	b = appendBool(b, g.Unknown)
	b = binary.AppendVarint(b, int64(id))
	b = appendText(appendText(b, g.Class), g.Method)
	b = binary.AppendUvarint(b, uint64(len(g.Args)))
	for _, t := range append(slices.Clone(g.Args), g.Result) {
		b = append(b, byte(t.Kind), t.Dims)
		b = appendText(b, t.Class)
	}
	if g.Unknown {
		return appendText(appendText(b, g.names[0]), "")
	}
	return appendText(appendText(b, g.name), g.full)
}

// Recall takes the answer from the summary file beside the trace, if it has it: then no pass is
// needed, nor need the reader know the whole trace. A summary has methods, in the folded view, of the
// whole trace or of one of its largest threads.
func (t *Top) Recall() bool {
	s := &t.scope
	thread := int32(wholeTrace)
	switch {
	case s.Raw || s.Timed || s.edits != nil || s.where != nil || t.by != ByMethod || t.focus != nil || len(s.Ranges) > 1:
		return false
	case len(s.Ranges) == 1:
		if g := s.Ranges[0]; g.From > 0 || g.To >= 0 {
			return false
		}
		thread = s.Ranges[0].Thread
	}
	found := false
	err := lazy.SummaryOf(t.r).Tables(func(b []byte) error {
		x := tablesReader{decode.Reader{B: b}}
		found = x.top(t, thread)
		return nil
	})
	return found && err == nil
}

// top reads a table into t; ok is false if it is not there.
func (x *tablesReader) top(t *Top, thread int32) (ok bool) {
	if x.Next() != tablesVersion || x.flag() != t.timed {
		return false
	}
	n := x.count()
	if n > mostMethods {
		return false
	}
	groups := make([]*Group, 0, n)
	for range n {
		if x.Bad {
			return false
		}
		groups = append(groups, x.group())
	}
	for n := x.count(); n > 0 && !x.Bad; n-- {
		id, table := x.Signed(), x.Bytes()
		if id != int64(thread) {
			continue
		}
		y := tablesReader{decode.Reader{B: table}}
		all, rows := y.table(len(groups))
		if x.Bad || y.Bad || len(y.B) > 0 {
			return false
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.groups.mu.Lock()
		defer t.groups.mu.Unlock()
		t.groups.all, t.rows, t.all = groups, rows, all
		return true
	}
	return false
}

// table reads the table of a Top with so many groups.
func (x *tablesReader) table(groups int) (all Totals, rows []topRow) {
	x.numbers(all.stored())
	rows = make([]topRow, groups)
	next := 0
	for n := x.count(); n > 0 && !x.Bad; n-- {
		gap := x.Next()
		if gap >= uint64(groups-next) {
			x.Bad = true
			break
		}
		next += int(gap)
		r := &rows[next]
		next++
		x.numbers(r.stored())
		h, rest, err := histogram.Decode(x.B)
		if err != nil {
			x.Bad = true
			break
		}
		r.times, x.B = *h, rest
	}
	return all, rows
}

func (x *tablesReader) group() *Group {
	g := &Group{Unknown: x.flag(), ID: int32(x.Signed()), Class: x.text(), Method: x.text()}
	n := x.count()
	types := make([]format.Type, 0, n+1)
	for range n + 1 {
		if x.Bad {
			return g
		}
		types = append(types, format.Type{Kind: format.TypeKind(x.Byte()), Dims: x.Byte(), Class: x.text()})
	}
	name, full := x.text(), x.text()
	if g.Unknown {
		return g.named(name)
	}
	g.Args, g.Result = types[:n], types[n]
	g.nameAs(name, full)
	return g
}

// count reads a number of things, each of which has at least a byte.
func (x *tablesReader) count() int { return x.Count(len(x.B)) }

func (x *tablesReader) flag() bool { return x.Byte() == 1 }

func (x *tablesReader) text() string { return string(x.Bytes()) }
