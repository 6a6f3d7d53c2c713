package perfetto

import (
	"cmp"
	"slices"
)

const (
	// mergeWays is how many runs are read at a time, each with a page in memory.
	mergeWays = 256
	// runBuffer is the buffer of each, in bytes.
	runBuffer = 1 << 13
)

// runs divides streams into runs, in order of the streams and of their pages.
func (s *spool) runs(streams []*stream) (runs []*run, err error) {
	buf := make([]byte, pageHead)
	for _, t := range streams {
		c := s.cursor(t)
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
			if cur == nil || pageFirst(head) < cur.last {
				cur = &run{reader: pageReader{c: start}, first: pageFirst(head), order: len(runs)}
				runs = append(runs, cur)
			}
			cur.pages++
			cur.last = pageLast(head)
			c.skip(head)
		}
	}
	return runs, nil
}

// reduce merges streams into fewer until no more than mergeWays of their runs
// lie over each other at any time, and returns the runs.
func (s *spool) reduce(streams []*stream) ([]*run, error) {
	for {
		runs, err := s.runs(streams)
		if err != nil || overlap(runs) <= mergeWays {
			return runs, err
		}
		// What is in memory would move while it is read.
		if err := s.spill(); err != nil {
			return nil, err
		}
		if runs, err = s.runs(streams); err != nil {
			return nil, err
		}
		streams = nil
		for group := range slices.Chunk(runs, mergeWays) {
			t := s.stream()
			streams = append(streams, t)
			merged := records{waiting: byFirst(group)}
			for merged.next() {
				if err := s.add(t, merged.time, merged.body); err != nil {
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

// byFirst sorts runs by the time of their first records.
func byFirst(runs []*run) []*run {
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.first, b.first) })
	return runs
}

// overlap returns how many runs lie over each other, at most.
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
