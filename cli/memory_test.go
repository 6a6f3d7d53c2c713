package cli

import (
	"runtime/debug"
	"testing"
)

// TestMemoryLimitReturns: after a moment with more in use the limit is the least again, even if it was
// only a little more.
func TestMemoryLimitReturns(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(usualPercent)
	defer debug.SetMemoryLimit(before)
	defer debug.SetGCPercent(percent)
	const least = 4 << 30
	l := &memoryLimit{least: least, now: least + least/20, percent: usualPercent}
	if l.adjust(); l.now != least || debug.SetMemoryLimit(-1) != least {
		t.Errorf("the limit is %d, in force %d, want %d", l.now, debug.SetMemoryLimit(-1), int64(least))
	}
	l = &memoryLimit{least: 1, now: 1, percent: usualPercent}
	used := heap()
	if l.adjust(); l.now < used {
		t.Errorf("the limit is %d with %d in use", l.now, used)
	}
}
