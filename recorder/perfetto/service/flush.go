package service

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Why a flush is made and by whom, as sent to producers. On the wire: do not change
// them.
const (
	flushPeriodic  = 0x11
	flushStop      = 0x12
	flushClone     = 0x13
	flushBugreport = 0x100 // added to flushClone: the clone is for a bug report
)

// flush asks the producers to commit what they have, and calls done when they have,
// or after a timeout: timeoutMs, or the config's if 0. By then the buffers also have
// all that producers committed before, including those that are not asked.
// Uncommitted chunks are scraped.
func (n *session) flush(timeoutMs uint32, flags uint64, done func(ok bool)) {
	asked := n.flushable(nil)
	for _, i := range n.instances {
		// Only the producer itself can read memory that is not shared.
		if p := i.producer; p.scraped && p.memory.emulated && asked[p] == nil {
			asked[p] = []uint64{}
		}
	}
	n.flushSources(timeoutMs, flags, asked, done)
}

// flushable returns the instances to ask for a flush: those that write into the
// given buffers, or all if nil.
func (n *session) flushable(buffers map[uint32]bool) map[*producer][]uint64 {
	asked := make(map[*producer][]uint64)
	for _, i := range n.instances {
		if !i.source.GetNoFlush() && (buffers == nil || buffers[i.config.GetTargetBuffer()]) {
			asked[i.producer] = append(asked[i.producer], i.id)
		}
	}
	return asked
}

func (n *session) flushSources(timeoutMs uint32, flags uint64, asked map[*producer][]uint64, done func(ok bool)) {
	if n.state != sessionStarted || len(n.flushes.pending) >= maxFlushes {
		done(false)
		return
	}
	n.s.last.flush++
	id := n.s.last.flush
	f := n.flushes.begin(id, done)
	for _, p := range n.s.producersInOrder() {
		ids, ok := asked[p]
		if !ok {
			continue
		}
		f.waiting[p] = true
		p.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_Flush_{
			Flush: &messages.GetAsyncCommandResponse_Flush{
				DataSourceIds: ids, RequestId: proto.Uint64(id), Flags: proto.Uint64(flags),
			},
		}})
	}
	f.unhandled = n.catchUp(func() {
		if f.unhandled--; n.flushes.complete(id) {
			n.flushed(id, true)
		}
	})
	if n.flushes.complete(id) {
		n.flushed(id, true)
		return
	}
	timeout := millis(cmp.Or(timeoutMs, n.config.GetFlushTimeoutMs()))
	n.timers.after(cmp.Or(timeout, defaultFlushTimeout), awake, func() { n.flushed(id, false) })
}

// flushedBy notes that a producer has done a flush, and thus all earlier ones.
func (n *session) flushedBy(p *producer, last uint64) {
	for _, id := range n.flushes.answered(p, last) {
		n.flushed(id, true)
	}
}

// catchUp waits for requests that producers sent before a flush, or before the end,
// and that are still unread, since each connection has its own reader. For each such
// producer it calls then once, with the lock held, when its requests are handled, if
// the session still exists. It returns the number of these producers.
func (n *session) catchUp(then func()) (behind int) {
	for _, p := range n.s.connected {
		if p.writesFor(n) && p.conn.Pending(n.s.locked(func() {
			if n.s.sessions[n.id] == n {
				then()
			}
		})) {
			behind++
		}
	}
	return behind
}

func (n *session) flushed(id uint64, ok bool) {
	f := n.flushes.end(id, ok)
	if f == nil {
		return
	}
	for _, p := range n.s.producersInOrder() {
		n.s.scrape(n, p)
	}
	n.packets.snapshotClocks()
	f.done(ok)
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
