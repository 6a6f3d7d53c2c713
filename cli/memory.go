package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// answerMemory is how much memory reading a trace may take beyond the budget for loaded events, in bytes.
const answerMemory = 64 << 20

// freeMemory is how much the program may allocate before the collector runs, in bytes. The collector's own
// start, 4 MB, has it run several times while the names of a large trace are read.
const freeMemory = 16 << 20

// The collector's defaults: it runs when the heap has grown by usualPercent of what was in use, and not while
// the heap is below leastHeap bytes. With another percentage that least size changes in proportion.
const (
	usualPercent = 100
	leastHeap    = 4 << 20
)

// limitMemory makes the collector keep the program's memory within answerMemory and a budget, instead of
// letting it grow to twice what is in use, and keeps it from running before the program has allocated
// freeMemory. If more is in use than the limit, it leaves the program room. stop ends it. What the
// environment sets (GOGC, GOMEMLIMIT) is left alone.
func limitMemory(budget int64) (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	l := &memoryLimit{least: answerMemory + budget, before: debug.SetMemoryLimit(-1)}
	l.least = min(l.least, l.before)
	l.now = l.least
	debug.SetMemoryLimit(l.now)
	l.percent = usualPercent * freeMemory / leastHeap
	l.percentBefore = debug.SetGCPercent(l.percent)
	l.watch()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = true
		debug.SetMemoryLimit(l.before)
		debug.SetGCPercent(l.percentBefore)
	}
}

// memoryLimit adjusts the limit after each collection.
type memoryLimit struct {
	least, before int64
	percentBefore int
	mu            sync.Mutex // guards the fields below
	now           int64
	percent       int
	ended         bool
}

// watch adjusts the limit after the next collection, and watches again.
func (l *memoryLimit) watch() {
	runtime.AddCleanup(new([64]byte), func(l *memoryLimit) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ended {
			return
		}
		l.adjust()
		l.watch()
	}, l)
}

// adjust leaves a quarter of what is in use free, so that collections do not follow one another. Small
// changes are not worth it, except back to the least.
func (l *memoryLimit) adjust() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/metadata/other:bytes"}}
	metrics.Read(used)
	inUse := int64(0)
	for _, s := range used {
		inUse += int64(s.Value.Uint64())
	}
	want := max(l.least, inUse+inUse/4)
	if want > l.now || want < l.now-l.now/8 || want == l.least && want != l.now {
		l.now = want
		debug.SetMemoryLimit(want)
	}
	percent := int(max(usualPercent, min(usualPercent*freeMemory/max(inUse, 1), usualPercent*freeMemory/leastHeap)))
	if percent != l.percent {
		l.percent = percent
		debug.SetGCPercent(percent)
	}
}
