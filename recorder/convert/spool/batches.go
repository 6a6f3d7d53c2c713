package spool

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// position iterates over the batches of one stream, those in the file first.
type position struct {
	s       *Spool
	t       *Stream
	extents []byte // not read yet
	at, end int64  // in the current extent
	before  int64  // end of the previous extent
	batches int    // read so far of those in memory
}

func (s *Spool) position(t *Stream) position { return position{s: s, t: t, extents: t.extents} }

// turn moves to the next extent when the current one is at its end, and reports
// whether the next batch is in the file.
func (c *position) turn() bool {
	if c.at < c.end {
		return true
	}
	if len(c.extents) == 0 {
		return false
	}
	gap, n := binary.Uvarint(c.extents)
	size, m := binary.Uvarint(c.extents[n:])
	c.extents = c.extents[n+m:]
	c.at = c.before + int64(gap)
	c.end = c.at + int64(size)
	c.before = c.end
	return true
}

// head returns the head of the next batch without moving, or nil at the end.
func (c *position) head(buf []byte) ([]byte, error) {
	if c.turn() {
		if _, err := c.s.file.ReadAt(buf[:batchHead], c.at); err != nil {
			return nil, c.s.failed(err)
		}
		return buf[:batchHead], nil
	}
	if c.batches < len(c.t.batches) {
		return c.t.batches[c.batches], nil
	}
	return nil, nil
}

// skip moves past the batch with the given head.
func (c *position) skip(head []byte) {
	if c.at < c.end {
		c.at += int64(batchHead + batchSize(head))
		return
	}
	c.batches++
}

// batchReader reads the batches of a position in order.
type batchReader struct {
	c     position
	file  *bufio.Reader // reads the rest of the extent
	begun bool          // file is set to this extent
	buf   []byte
}

// next returns the next batch, or nil at the end. It is valid until the next call.
func (r *batchReader) next() ([]byte, error) {
	c := &r.c
	r.begun = r.begun && c.at < c.end
	if !c.turn() {
		if c.batches == len(c.t.batches) {
			return nil, nil
		}
		c.batches++
		return c.t.batches[c.batches-1], nil
	}
	if !r.begun {
		r.begun = true
		extent := io.NewSectionReader(c.s.file, c.at, c.end-c.at)
		if r.file == nil {
			r.file = bufio.NewReaderSize(extent, runBuffer)
		} else {
			r.file.Reset(extent)
		}
	}
	head, err := r.file.Peek(batchHead)
	if err != nil {
		return nil, c.s.failed(err)
	}
	need := batchHead + batchSize(head)
	if cap(r.buf) < need {
		size := need
		for _, usual := range batchSizes {
			if usual >= need {
				size = usual
				break
			}
		}
		r.buf = make([]byte, size)
	}
	r.buf = r.buf[:need]
	if _, err := io.ReadFull(r.file, r.buf); err != nil {
		return nil, c.s.failed(err)
	}
	c.at += int64(need)
	return r.buf, nil
}

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
