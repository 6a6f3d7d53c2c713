package query

import (
	"slices"

	"tracex/lazy/internal/decode"
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
