package spool

import (
	"cmp"
	"slices"
)

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
