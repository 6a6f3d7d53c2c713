package clock

import "time"

// TimeSource is a counter and a monotonic clock that a [Clock] reads instead of the machine's: for
// tests, and for a recording that has ended.
type TimeSource interface {
	Counter() uint64
	NS() int64
}

// sampler reads the processor's counter and the monotonic clock.
type sampler struct {
	counter bool          // readings are a counter's, not nanoseconds
	count   func() uint64 // the processor's counter
	source  TimeSource    // nil for the machine's
	base    time.Time     // nanosecond 0
	took    uint64        // by the shortest look, in units of the counter
}

// HasCounter reports whether readings are those of a counter, which may restart.
func (s *sampler) HasCounter() bool { return s.counter }

// Start is when the clock began: its nanosecond 0.
func (s *sampler) Start() time.Time { return s.base }

func (s *sampler) Read() uint64 {
	switch {
	case s.source != nil:
		return s.source.Counter()
	case s.counter:
		return s.count()
	}
	return uint64(s.Now())
}

// Now returns the nanosecond of the monotonic clock.
func (s *sampler) Now() int64 {
	if s.source != nil {
		return s.source.NS()
	}
	return int64(time.Since(s.base))
}

// look reads the counter and the monotonic clock at the same moment. It returns the least
// interrupted of several attempts. Two looks cannot be made at once.
func (s *sampler) look() (best instant) {
	least := ^uint64(0)
	for i := 0; i < 3 || i < 30 && least > 2*s.took; i++ {
		before := s.Read()
		ns := s.Now()
		took := s.Read() - before
		if took < least {
			best, least = instant{before + took/2, ns}, took
		}
	}
	if s.took == 0 || least < s.took {
		s.took = least
	}
	return best
}
