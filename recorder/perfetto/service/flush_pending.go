package service

import (
	"maps"
	"slices"

	"tracex/recorder/perfetto/messages"
)

// flushes are the pending flushes of a session, and counts of the finished ones. The
// service's lock guards them.
type flushes struct {
	pending   map[uint64]*flush
	requested uint64
	succeeded uint64
	failed    uint64
	last      messages.TraceStats_FinalFlushOutcome // of the flush that ends the session
}

type flush struct {
	waiting   map[*producer]bool // that have not answered
	unhandled int                // producers with requests sent before the flush that are not handled yet
	done      func(ok bool)      // called once, with the lock held
}

// maxFlushes is how many flushes of a session may be pending.
const maxFlushes = 1000

// begin adds a flush. done is called when it ends.
func (f *flushes) begin(id uint64, done func(ok bool)) *flush {
	f.requested++
	of := &flush{waiting: make(map[*producer]bool), done: done}
	if f.pending == nil {
		f.pending = make(map[uint64]*flush)
	}
	f.pending[id] = of
	return of
}

// answered notes that a producer has done a flush, and thus all earlier ones. It
// returns the flushes that now wait for nothing.
func (f *flushes) answered(p *producer, last uint64) (whole []uint64) {
	for _, id := range slices.Sorted(maps.Keys(f.pending)) {
		if of := f.pending[id]; id <= last && of.waiting[p] {
			delete(of.waiting, p)
			if f.complete(id) {
				whole = append(whole, id)
			}
		}
	}
	return whole
}

// complete reports whether a flush is pending and waits for nothing.
func (f *flushes) complete(id uint64) bool {
	of := f.pending[id]
	return of != nil && len(of.waiting) == 0 && of.unhandled == 0
}

// end removes a flush and counts it. It returns nil if the flush is not pending.
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

// abandon ends all pending flushes without counting them.
func (f *flushes) abandon() {
	for id, of := range f.pending {
		delete(f.pending, id)
		of.done(false)
	}
}

// outcome returns the outcome of the last flush of a session.
func outcome(ok bool) messages.TraceStats_FinalFlushOutcome {
	if ok {
		return messages.TraceStats_FINAL_FLUSH_SUCCEEDED
	}
	return messages.TraceStats_FINAL_FLUSH_FAILED
}
