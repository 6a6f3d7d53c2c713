package index

import "math"

// groupCells is how many cells share one checkpoint of the smallest start.
const groupCells = 128

// samples hold the smallest start of each whole group of 128 cells, and of each
// 128 groups.
type samples struct {
	groups []int64
	supers []int64
}

// sampler computes samples, some cells at a time.
type sampler struct {
	samples
	inGroup, inSuper       int
	groupStart, superStart int64
}

func newSampler() sampler { return sampler{groupStart: math.MaxInt64, superStart: math.MaxInt64} }

// room returns how many cells the current group lacks, one or more.
func (s *sampler) room() int { return groupCells - s.inGroup }

// addSome adds n cells, at most room(), whose smallest start is smallest.
func (s *sampler) addSome(n int, smallest int64) {
	s.groupStart = min(s.groupStart, smallest)
	if s.inGroup += n; s.inGroup == groupCells {
		s.flush()
	}
}

// flush completes a group.
func (s *sampler) flush() {
	s.groups = append(s.groups, s.groupStart)
	s.superStart = min(s.superStart, s.groupStart)
	if s.inSuper++; s.inSuper == groupCells {
		s.supers = append(s.supers, s.superStart)
		s.inSuper, s.superStart = 0, math.MaxInt64
	}
	s.inGroup, s.groupStart = 0, math.MaxInt64
}
