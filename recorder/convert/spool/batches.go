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

const (
	// mergeWays is how many runs are read at once, each with a batch in memory.
	mergeWays = 256
	// runBuffer is the size of each run's buffer, in bytes.
	runBuffer = 1 << 13
)

// run is consecutive batches of one stream that follow each other in time.
type run struct {
	reader      batchReader
	batches     int // not read yet
	first, last int64
	order       int // of its origin: the order of records with the same time

	batch []byte // the rest of the current batch
	time  int64  // of the record
	body  []byte
}

// next moves to the run's next record and reports whether there is one.
func (r *run) next() (bool, error) {
	for len(r.batch) == 0 {
		if r.batches == 0 {
			return false, nil
		}
		batch, err := r.reader.next()
		if batch == nil || err != nil {
			return false, err
		}
		r.batches--
		r.time = batchFirst(batch)
		r.batch = batch[batchHead:]
	}
	size, delta, n := recordHead(r.batch)
	r.time += delta
	r.body = r.batch[n : n+size]
	r.batch = r.batch[n+size:]
	return true, nil
}

// runs divides streams into runs, in order of the streams and their batches.
func (s *Spool) runs(streams []*Stream) (runs []*run, err error) {
	buf := make([]byte, batchHead)
	for _, t := range streams {
		c := s.position(t)
		var cur *run
		for {
			c.turn()
			start := c
			head, err := c.head(buf)
			if err != nil {
				return nil, err
			}
			if head == nil {
				break
			}
			if cur == nil || batchFirst(head) < cur.last {
				cur = &run{reader: batchReader{c: start}, first: batchFirst(head), order: len(runs)}
				runs = append(runs, cur)
			}
			cur.batches++
			cur.last = batchLast(head)
			c.skip(head)
		}
	}
	return runs, nil
}

// reduce merges streams into fewer until at most mergeWays of their runs overlap at
// any time, and returns the runs.
func (s *Spool) reduce(streams []*Stream) ([]*run, error) {
	for {
		runs, err := s.runs(streams)
		if err != nil || overlap(runs) <= mergeWays {
			return runs, err
		}
		// Batches in memory would move while they are read.
		if err := s.spill(); err != nil {
			return nil, err
		}
		if runs, err = s.runs(streams); err != nil {
			return nil, err
		}
		streams = nil
		for group := range slices.Chunk(runs, mergeWays) {
			t := s.Stream()
			streams = append(streams, t)
			merged := Records{waiting: byFirst(group)}
			for merged.Next() {
				if err := s.Add(t, merged.Time, merged.Body); err != nil {
					return nil, err
				}
			}
			if merged.err != nil {
				return nil, merged.err
			}
			s.seal(t)
		}
	}
}

// byFirst sorts runs by the time of their first record.
func byFirst(runs []*run) []*run {
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.first, b.first) })
	return runs
}

// overlap returns the maximum number of runs that overlap at any time.
func overlap(runs []*run) int {
	var firsts, lasts []int64
	for _, r := range runs {
		firsts, lasts = append(firsts, r.first), append(lasts, r.last)
	}
	slices.Sort(firsts)
	slices.Sort(lasts)
	most, over := 0, 0
	for i, first := range firsts {
		for over < len(lasts) && lasts[over] < first {
			over++
		}
		most = max(most, i+1-over)
	}
	return most
}
