package spool

import (
	"bufio"
	"encoding/binary"
	"io"
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
