package spool

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
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

// Each passes the records of streams on, in order of time, until f fails or ctx is done. It is [Spool.Open] for
// streams that are read at once.
func (s *Spool) Each(ctx context.Context, f func(time int64, body []byte) error, streams ...*Stream) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := s.Open(streams...)
	if err != nil {
		return err
	}
	for n := 1; r.Next(); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f(r.Time, r.Body); err != nil {
			return err
		}
	}
	return r.err
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

// Numbers reads numbers from the front of a record: uvarints, as the caller has appended them.
type Numbers struct{ Rest []byte }

// Wide returns the next number.
func (n *Numbers) Wide() uint64 {
	if b := n.Rest[0]; b < 0x80 {
		n.Rest = n.Rest[1:]
		return uint64(b)
	}
	u, size := binary.Uvarint(n.Rest)
	n.Rest = n.Rest[size:]
	return u
}

// Int32 returns the next number, of 32 bits.
func (n *Numbers) Int32() int32 { return int32(uint32(n.Wide())) }

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
