package service

import (
	"maps"
	"slices"

	"tracex/recorder/internal/perfetto/messages"
)

// flushes are the flushes of a session: those that are under way, and counts of
// those that were. The service's lock guards them.
type flushes struct {
	pending   map[uint64]*flush
	requested uint64
	succeeded uint64
	failed    uint64
	last      messages.TraceStats_FinalFlushOutcome // of the one that ends the session
}

// flush is one that is under way.
type flush struct {
	waiting map[*producer]bool // that have not answered
	behind  int                // producers that had sent something that is not handled
	done    func(ok bool)      // called once, with the lock held
}

// flushesMost is how many flushes of a session may be under way.
const flushesMost = 1000

// begin notes a flush that was asked for. done is called when it ends.
func (f *flushes) begin(id uint64, done func(ok bool)) *flush {
	f.requested++
	of := &flush{waiting: make(map[*producer]bool), done: done}
	if f.pending == nil {
		f.pending = make(map[uint64]*flush)
	}
	f.pending[id] = of
	return of
}

// answered notes that a producer has done a flush, and so all before it. It returns
// those flushes that wait for nothing now.
func (f *flushes) answered(p *producer, last uint64) (whole []uint64) {
	for _, id := range slices.Sorted(maps.Keys(f.pending)) {
		if of := f.pending[id]; id <= last && of.waiting[p] {
			delete(of.waiting, p)
			if f.whole(id) {
				whole = append(whole, id)
			}
		}
	}
	return whole
}

// whole reports whether a flush is under way that waits for nothing.
func (f *flushes) whole(id uint64) bool {
	of := f.pending[id]
	return of != nil && len(of.waiting) == 0 && of.behind == 0
}

// end takes a flush off and counts it; nil if it is not under way.
func (f *flushes) end(id uint64, ok bool) *flush {
	of := f.pending[id]
	if of == nil {
		return nil
	}
	delete(f.pending, id)
	if ok {
		f.succeeded++
	} else {
		f.failed++
	}
	return of
}

// abandon ends all that are under way, uncounted.
func (f *flushes) abandon() {
	for id, of := range f.pending {
		delete(f.pending, id)
		of.done(false)
	}
}

// outcome is how the last flush of a session went.
func outcome(ok bool) messages.TraceStats_FinalFlushOutcome {
	if ok {
		return messages.TraceStats_FINAL_FLUSH_SUCCEEDED
	}
	return messages.TraceStats_FINAL_FLUSH_FAILED
}
