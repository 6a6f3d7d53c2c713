package perfetto

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// cursor goes over the pages of one stream, those in the file first.
type cursor struct {
	s       *spool
	t       *stream
	extents []byte // that are left
	at, end int64  // in the extent that is being read
	before  int64  // end of the extent before
	pages   int    // in memory, that were read
}

func (s *spool) cursor(t *stream) cursor { return cursor{s: s, t: t, extents: t.extents} }

// turn goes to the next extent when the one that is being read is at its end,
// and reports whether a page in the file comes next.
func (c *cursor) turn() bool {
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

// head reads the head of the next page, without going on; nil at the end.
func (c *cursor) head(buf []byte) ([]byte, error) {
	if c.turn() {
		if _, err := c.s.file.ReadAt(buf[:pageHead], c.at); err != nil {
			return nil, c.s.failed(err)
		}
		return buf[:pageHead], nil
	}
	if c.pages < len(c.t.pages) {
		return c.t.pages[c.pages], nil
	}
	return nil, nil
}

// skip goes on behind the page with this head.
func (c *cursor) skip(head []byte) {
	if c.at < c.end {
		c.at += int64(pageHead + pageSize(head))
		return
	}
	c.pages++
}

// pageReader reads the pages of a cursor one after the other.
type pageReader struct {
	c     cursor
	file  *bufio.Reader // of the rest of the extent
	begun bool          // it is
	buf   []byte
}

// next returns the next page, which is good until the next call; nil at the end.
func (r *pageReader) next() ([]byte, error) {
	c := &r.c
	r.begun = r.begun && c.at < c.end
	if !c.turn() {
		if c.pages == len(c.t.pages) {
			return nil, nil
		}
		c.pages++
		return c.t.pages[c.pages-1], nil
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
	head, err := r.file.Peek(pageHead)
	if err != nil {
		return nil, c.s.failed(err)
	}
	need := pageHead + pageSize(head)
	if cap(r.buf) < need {
		r.buf = make([]byte, max(need, pageSizes[len(pageSizes)-1]))
	}
	r.buf = r.buf[:need]
	if _, err := io.ReadFull(r.file, r.buf); err != nil {
		return nil, c.s.failed(err)
	}
	c.at += int64(need)
	return r.buf, nil
}

// run is consecutive pages of one stream that follow each other in time.
type run struct {
	reader      pageReader
	pages       int // that are left
	first, last int64
	order       int // by which records of the same time stand: that of their origin

	page []byte // what is left of the page that is being read
	time int64  // of the record
	body []byte
}

// next goes to the run's next record and reports whether there is one.
func (r *run) next() (bool, error) {
	for len(r.page) == 0 {
		if r.pages == 0 {
			return false, nil
		}
		page, err := r.reader.next()
		if page == nil || err != nil {
			return false, err
		}
		r.pages--
		r.time = pageFirst(page)
		r.page = page[pageHead:]
	}
	size, delta, n := recordHead(r.page)
	r.time += delta
	r.body = r.page[n : n+size]
	r.page = r.page[n+size:]
	return true, nil
}

// records yields the records of streams in order of time; those of the same
// time in order of the streams, and within a stream as they were added.
type records struct {
	time int64
	body []byte // good until the next call of next
	err  error

	waiting []*run // by first time
	open    []*run // a heap: the first has the earliest record
}

// sequential is a number of pages that stands for all that are left.
const sequential = math.MaxInt

// open begins to read streams. No record is added to them any more, and no
// other streams are opened before these are read.
func (s *spool) open(streams ...*stream) (*records, error) {
	for _, t := range streams {
		s.seal(t)
	}
	if len(streams) == 1 && streams[0].ordered {
		if s.reader == nil {
			s.reader = bufio.NewReaderSize(nil, 1<<18)
		}
		whole := &run{reader: pageReader{c: s.cursor(streams[0]), file: s.reader}, pages: sequential}
		return &records{waiting: []*run{whole}}, nil
	}
	runs, err := s.reduce(streams)
	return &records{waiting: byFirst(runs)}, err
}

// openBeside is open for one stream whose records are in order of time, while
// another is being read.
func (s *spool) openBeside(t *stream) *records {
	s.seal(t)
	whole := &run{reader: pageReader{c: s.cursor(t)}, pages: sequential}
	return &records{waiting: []*run{whole}}
}

// next goes to the next record and reports whether there is one.
func (r *records) next() bool {
	if len(r.open) > 0 {
		more, err := r.open[0].next()
		if err != nil {
			r.err = err
			return false
		}
		if !more {
			last := len(r.open) - 1
			r.open[0] = r.open[last]
			r.open = r.open[:last]
		}
		if len(r.open) > 1 {
			r.sink()
		}
	}
	for len(r.waiting) > 0 && (len(r.open) == 0 || r.waiting[0].first <= r.open[0].time) {
		if !r.begin() {
			return false
		}
	}
	if len(r.open) == 0 {
		return false
	}
	r.time, r.body = r.open[0].time, r.open[0].body
	return true
}

// begin opens the run that waits for the longest.
func (r *records) begin() bool {
	next := r.waiting[0]
	r.waiting = r.waiting[1:]
	more, err := next.next()
	if err != nil {
		r.err = err
		return false
	}
	if !more {
		return true
	}
	r.open = append(r.open, next)
	for i := len(r.open) - 1; i > 0 && r.open[i].before(r.open[(i-1)/2]); i = (i - 1) / 2 {
		r.open[i], r.open[(i-1)/2] = r.open[(i-1)/2], r.open[i]
	}
	return true
}

func (r *run) before(o *run) bool {
	return r.time < o.time || r.time == o.time && r.order < o.order
}

// sink puts the first of the heap where it belongs.
func (r *records) sink() {
	h := r.open
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
