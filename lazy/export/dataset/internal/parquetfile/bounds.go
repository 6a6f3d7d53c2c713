package parquetfile

// longestBound is how many bytes the bound of a column of names may have.
const longestBound = 256

// bounds are the smallest and the largest value of a chunk, of integers.
type bounds struct {
	known    bool
	min, max int64
}

func (s *bounds) add(low, high int64) {
	if !s.known {
		s.known, s.min, s.max = true, low, high
		return
	}
	s.min, s.max = min(s.min, low), max(s.max, high)
}

func (s *bounds) ints32(list []int32) {
	if len(list) == 0 {
		return
	}
	low, high := list[0], list[0]
	for _, n := range list {
		low, high = min(low, n), max(high, n)
	}
	s.add(int64(low), int64(high))
}

func (s *bounds) ints64(list []int64) {
	if len(list) == 0 {
		return
	}
	low, high := list[0], list[0]
	for _, n := range list {
		low, high = min(low, n), max(high, n)
	}
	s.add(low, high)
}
