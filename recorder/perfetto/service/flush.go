package service

import (
	"cmp"

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

// flushAndDisable flushes a session and then stops it.
func (n *session) flushAndDisable() {
	n.flush(0, flushStop, func(ok bool) {
		if n.s.sessions[n.id] != n {
			return
		}
		n.flushes.last = outcome(ok)
		if n.consumer == nil {
			// No consumer can read it; only its file, if any, remains.
			n.s.free(n)
			return
		}
		n.stop("")
	})
}
