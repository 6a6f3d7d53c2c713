package index

import "math"

// groupCells is how many cells share one checkpoint of the smallest start.
const groupCells = 128

// samples hold the smallest start of each whole group of 128 cells, and of each
// 128 groups.
type samples struct {
	groups     []int64
	supers     []int64
	inSuper    int
	superStart int64
}

// sampler computes samples, some cells at a time.
type sampler struct {
	*samples   // noSamples before the first: most of a million streams have none
	inGroup    int
	groupStart int64
}

// noSamples never changes.
var noSamples = samples{superStart: math.MaxInt64}

func newSampler() sampler { return sampler{samples: &noSamples, groupStart: math.MaxInt64} }

// reserve makes room for samples. It comes before all others.
func (s *sampler) reserve(groups int64) {
	s.samples = &samples{groups: make([]int64, 0, groups), superStart: math.MaxInt64}
}

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
	if s.samples == &noSamples {
		s.reserve(0)
	}
	s.groups = append(s.groups, s.groupStart)
	s.superStart = min(s.superStart, s.groupStart)
	if s.inSuper++; s.inSuper == groupCells {
		s.supers = append(s.supers, s.superStart)
		s.inSuper, s.superStart = 0, math.MaxInt64
	}
	s.inGroup, s.groupStart = 0, math.MaxInt64
}
