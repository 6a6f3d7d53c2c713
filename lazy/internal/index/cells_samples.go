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

// add adds the smallest start of a group.
func (s *samples) add(start int64) {
	s.groups = append(s.groups, start)
	s.superStart = min(s.superStart, start)
	if s.inSuper++; s.inSuper == groupCells {
		s.supers = append(s.supers, s.superStart)
		s.inSuper, s.superStart = 0, math.MaxInt64
	}
}
