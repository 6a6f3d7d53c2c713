package spool

import (
	"bufio"
	"cmp"
	"math"
	"slices"
)

// Records reads the records of streams in order of time. Those with the same time
// are in order of the streams, and within a stream in the order in which they were
// added.
type Records struct {
	Time int64  // of the record, as it was added
	Body []byte // valid until the next call of Next
	err  error

	waiting []*run // by first time
	open    []*run // a heap: the first has the earliest record
}

// Err returns the error that ended the reading early, or nil.
func (r *Records) Err() error { return r.err }

// sequential as a number of batches means all that are left.
const sequential = math.MaxInt

// Open begins to read streams. No more records may be added to them, and no other
// streams may be opened until these are read; see [Spool.OpenBeside].
func (s *Spool) Open(streams ...*Stream) (*Records, error) {
	for _, t := range streams {
		s.seal(t)
	}
	if len(streams) == 1 && streams[0].ordered {
		if s.reader == nil {
			s.reader = bufio.NewReaderSize(nil, 1<<18)
		}
		whole := &run{reader: batchReader{c: s.position(streams[0]), file: s.reader}, batches: sequential}
		return &Records{waiting: []*run{whole}}, nil
	}
	runs, err := s.reduce(streams)
	return &Records{waiting: byFirst(runs)}, err
}

// OpenBeside is Open for one stream whose records are in order of time, while
// another is being read.
func (s *Spool) OpenBeside(t *Stream) *Records {
	s.seal(t)
	whole := &run{reader: batchReader{c: s.position(t)}, batches: sequential}
	return &Records{waiting: []*run{whole}}
}

// Next moves to the next record and reports whether there is one.
func (r *Records) Next() bool {
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
	r.Time, r.Body = r.open[0].time, r.open[0].body
	return true
}

// begin opens the first waiting run.
func (r *Records) begin() bool {
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

// sink restores the order of the heap after its first run changed.
func (r *Records) sink() {
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

// A stream that has ended and is short can be packed: its records become one, which may be kept in another stream, so that
// the stream itself needs no memory.

// packOrdered and packMixed begin what Pack returns: the batches that follow are in order of time, or not.
const (
	packOrdered = 1
	packMixed   = 0
)

// Pack appends the records of a stream to dst, for [Unpack], if they take at most some bytes: otherwise ok is false, and
// the stream is as it was. No more records may be added to a stream that is packed.
func (s *Spool) Pack(dst []byte, t *Stream, most int) (packed []byte, ok bool, err error) {
	s.seal(t)
	for c, buf, size := s.position(t), make([]byte, batchHead), 0; ; {
		head, err := c.head(buf)
		if err != nil {
			return dst, false, err
		}
		if head == nil {
			break
		}
		if size += batchHead + batchSize(head); size > most {
			return dst, false, nil
		}
		c.skip(head)
	}
	how := byte(packMixed)
	if t.ordered {
		how = packOrdered
	}
	dst = append(dst, how)
	r := batchReader{c: s.position(t)}
	for {
		batch, err := r.next()
		if err != nil {
			return dst, false, err
		}
		if batch == nil {
			break
		}
		dst = append(dst, batch...)
	}
	for _, batch := range t.batches {
		s.recycle(batch)
	}
	t.batches, t.extents = nil, nil
	s.drop(t)
	return dst, true, nil
}

// Unpack returns the stream that Pack has packed. It refers to packed, and is only read.
func Unpack(packed []byte) *Stream {
	t := &Stream{ordered: packed[0] == packOrdered, begun: true, at: -1}
	for rest := packed[1:]; len(rest) > 0; {
		size := batchHead + batchSize(rest)
		t.batches = append(t.batches, rest[:size:size])
		rest = rest[size:]
	}
	return t
}
