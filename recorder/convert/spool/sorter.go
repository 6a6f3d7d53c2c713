package spool

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// sorter sorts the records of one batch by time; records with the same time keep
// their order.
type sorter struct {
	entries []sortEntry
	scratch []byte
	last    int64 // time of the last record of the sorted batch
}

type sortEntry struct {
	time     int64
	from, to int // the body in the batch
}

// sort sorts a batch, in place unless it becomes too large.
func (s *sorter) sort(batch []byte) []byte {
	s.entries = s.entries[:0]
	time := batchFirst(batch)
	for at := batchHead; at < len(batch); {
		size, delta, n := recordHead(batch[at:])
		at += n
		time += delta
		s.entries = append(s.entries, sortEntry{time, at, at + size})
		at += size
	}
	slices.SortStableFunc(s.entries, func(a, b sortEntry) int { return cmp.Compare(a.time, b.time) })
	time = s.entries[0].time
	s.scratch = append(s.scratch[:0], batch[:batchHead]...)
	setFirst(s.scratch, time)
	for _, e := range s.entries {
		s.scratch = appendRecord(s.scratch, e.time-time, batch[e.from:e.to])
		time = e.time
	}
	s.last = time
	if len(s.scratch) > cap(batch) {
		return slices.Clone(s.scratch)
	}
	return append(batch[:0], s.scratch...)
}

// recordHead decodes the head of the record at the start of b, and returns its
// length n. The spool wrote it, so it is valid.
func recordHead(b []byte) (size int, delta int64, n int) {
	// Both are one byte each in most records.
	if len(b) > 1 && b[0]|b[1] < 0x80 {
		return int(b[0]), int64(b[1]>>1) ^ -int64(b[1]&1), 2
	}
	u, n := binary.Uvarint(b)
	delta, m := binary.Varint(b[n:])
	return int(u), delta, n + m
}
