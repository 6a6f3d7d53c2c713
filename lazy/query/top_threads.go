package query

import (
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/decode"
	"tracex/lazy/query/compact"
	"tracex/lazy/query/histogram"
)

// threadRows are the rows of a Top by thread: there may be millions. Those of threads that have
// been merged are encoded: they take some 50 bytes each.
type threadRows struct {
	now    []int32 // threads of the part merged last: their rows are those of the Top, by index
	ids    []int32 // of the other threads
	at     []uint32
	chunks [][]byte            // of rowChunk bytes; at is the index of one times rowChunk, and the offset there
	took   histogram.Histogram // durations of all calls encoded
}

const rowChunk = 1 << 16

// beginThreads makes room for the rows of the threads of a part. The last thread of the part before may go on
// in it: calls of it are open then.
func (t *Top) beginThreads(threads []int32) {
	s := t.threads
	last := len(s.now) - 1
	goesOn := last >= 0 && len(threads) > 0 && s.now[last] == threads[0]
	for i := range t.rows {
		if !goesOn || i < last {
			s.add(s.now[i], &t.rows[i])
		}
	}
	switch {
	case goesOn && last < len(t.rows):
		t.rows[0] = t.rows[last]
		t.rows = t.rows[:1]
	default:
		t.rows = t.rows[:0]
	}
	for i := range t.open.stack {
		t.open.stack[i].group = 0
	}
	s.now = append(s.now[:0], threads...)
}

// add encodes a row. A thread that was added before, as when several parts of it are asked for, keeps one.
func (s *threadRows) add(thread int32, row *topRow) {
	if !row.shown() {
		return
	}
	s.took.Merge(&row.times)
	if n := len(s.ids); n > 0 && s.ids[n-1] >= thread {
		if i := slices.Index(s.ids, thread); i >= 0 {
			var sum topRow
			s.decode(i, &sum)
			sum.add(&row.Sums)
			sum.times.Merge(&row.times)
			s.at = slices.Clone(s.at) // tables share it
			s.at[i] = s.put(&sum)
			return
		}
	}
	s.ids, s.at = append(s.ids, thread), append(s.at, s.put(row))
}

// put encodes a row and returns where.
func (s *threadRows) put(row *topRow) uint32 {
	var buffer [256]byte
	b := row.times.Append(appendNumbers(buffer[:0], row.fields()))
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last])+len(b) > rowChunk {
		s.chunks = append(s.chunks, make([]byte, 0, rowChunk))
		last++
	}
	at := last*rowChunk + len(s.chunks[last])
	s.chunks[last] = append(s.chunks[last], b...)
	return uint32(at)
}

// decode decodes a row.
func (s *threadRows) decode(i int, row *topRow) {
	x := tablesReader{decode.Reader{B: s.chunks[s.at[i]/rowChunk][s.at[i]%rowChunk:]}}
	x.numbers(row.fields())
	if h, _, err := histogram.Decode(x.B); err == nil {
		row.times = *h
	}
}

// fields returns all sums.
func (s *Sums) fields() []*int64 { return append(s.stored(), &s.Merged, &s.Dropped) }

// threadTable is the rows of a topTable by thread. It decodes them when they are asked for.
type threadTable struct {
	threadRows
	r     *lazy.LazyTraceReader
	open  []openThread // not encoded yet
	order *compact.Order
}

// openThread is a row of a thread that may go on.
type openThread struct {
	thread int32
	topRow
}

// threadTable copies what is known. The encoded rows are shared: they do not change.
func (t *Top) threadTable() *threadTable {
	s := t.threads
	x := &threadTable{threadRows: threadRows{ids: slices.Clip(s.ids), at: slices.Clip(s.at), chunks: slices.Clone(s.chunks)}, r: t.r}
	x.took.Merge(&s.took)
	for i := range t.rows {
		if row := &t.rows[i]; row.shown() {
			open := openThread{s.now[i], topRow{Sums: row.Sums}}
			open.times.Merge(&row.times)
			x.open = append(x.open, open)
			x.took.Merge(&row.times)
		}
	}
	return x
}

// Len returns the number of rows.
func (x *threadTable) Len() int { return len(x.ids) + len(x.open) }

// sums returns what is known of a row, in the order in which they were merged, and its thread.
func (x *threadTable) sums(i int, row *topRow) (thread int32) {
	if i >= len(x.ids) {
		open := &x.open[i-len(x.ids)]
		*row = open.topRow
		return open.thread
	}
	*row = topRow{}
	x.decode(i, row)
	return x.ids[i]
}

func (x *threadTable) line(i int) *topLine {
	l := new(topLine)
	thread := x.sums(int(x.order.AppendRows(nil, i, i+1)[0]), &l.topRow)
	x.r.WithContext(func(c *format.Context) { l.group = threadGroup(c, thread) })
	l.name, l.p99 = l.group.names[0], l.times.Quantile(0.99)
	return l
}

// sort leaves rows with the same value in the order of the threads.
func (x *threadTable) sort(of *topTable, rising bool) {
	keys := make([]int64, x.Len())
	var l topLine
	for i := range keys {
		x.sums(i, &l.topRow)
		if of.note(&l.Sums); of.key == "p99" {
			l.p99 = l.times.Quantile(0.99)
		}
		if keys[i] = int64(math.Float64bits(max(0, of.value(&l)))); !rising {
			keys[i] = -keys[i]
		}
	}
	x.order = compact.NewOrder(len(keys), len(keys), compact.UsualPart, func(row uint32) int64 { return keys[row] })
}
