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

// limitMemory makes the collector keep the program's memory within answerMemory and a budget, instead of
// letting it grow to twice what is in use. If more is in use than that, it leaves the program room. stop
// ends it. What the environment sets (GOGC, GOMEMLIMIT) is left alone.
func limitMemory(budget int64) (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	l := &memoryLimit{least: answerMemory + budget, before: debug.SetMemoryLimit(-1)}
	l.least = min(l.least, l.before)
	l.now = l.least
	debug.SetMemoryLimit(l.now)
	l.watch()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = true
		debug.SetMemoryLimit(l.before)
	}
}

// memoryLimit adjusts the limit after each collection.
type memoryLimit struct {
	least, before int64
	mu            sync.Mutex // guards the fields below
	now           int64
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

// adjust leaves a quarter of what is in use free, so that collections do not follow one another.
func (l *memoryLimit) adjust() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/metadata/other:bytes"}}
	metrics.Read(used)
	inUse := int64(0)
	for _, s := range used {
		inUse += int64(s.Value.Uint64())
	}
	want := max(l.least, inUse+inUse/4)
	if want > l.now || want < l.now-l.now/8 {
		l.now = want
		debug.SetMemoryLimit(want)
	}
}
