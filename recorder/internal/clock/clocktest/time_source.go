// Package clocktest has a clock for tests.
package clocktest

import (
	"sync"
	"time"
)

// TimeSource is a counter and a clock that stand still until a test moves them.
type TimeSource struct {
	Mu      sync.Mutex
	Reading uint64
	Elapsed int64 // ns
	Rate    uint64
}

func (f *TimeSource) Counter() uint64 {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.Reading
}

func (f *TimeSource) NS() int64 {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.Elapsed
}

func (f *TimeSource) Pass(d time.Duration) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Reading += f.Rate * uint64(d)
	f.Elapsed += int64(d)
}
